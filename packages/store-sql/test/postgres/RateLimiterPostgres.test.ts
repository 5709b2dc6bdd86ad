import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, layer } from "@effect/vitest"
import { defaultRateLimits, RateLimiter, type RateLimits } from "@wcs/domain/access/RateLimitTier"
import { migrate, migrations } from "@wcs/store-sql/engine/Migrations"
import * as RateLimiterPostgres from "@wcs/store-sql/engine/RateLimiterPostgres"
import { rateLimiterSuite } from "@wcs/store-suite/access/RateLimiterSuite"
import { digits } from "@wcs/store-suite/Fixtures"
import { freshDatabase } from "@wcs/store-suite/postgres/FreshDatabase"
import { Clock, Context, Effect, Layer, type Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { postgresClient } from "../engines.ts"
import { recording } from "../recording.ts"

/** The connections use the real clock, not the test clock. */
const migrated = Layer.provideMerge(Layer.effectDiscard(migrate(migrations)), postgresClient).pipe(
  Layer.provide(Layer.succeed(Clock.Clock, Clock.Clock.defaultValue()))
)

rateLimiterSuite("RateLimiterPostgres, by the caller's clock", (limits) =>
  RateLimiterPostgres.layer(limits, "caller").pipe(Layer.provide(migrated))
)

const limits: RateLimits = {
  ...defaultRateLimits,
  standard: 500,
  intensive: 7,
  tenantStandard: 1000,
  tenantIntensive: 20
}

layer(RateLimiterPostgres.layer(limits, "caller").pipe(Layer.provideMerge(migrated)))("a budget of a tenant", (it) => {
  it.effect("takes hardly any statement more than the rare calls that count against the budget", () =>
    Effect.gen(function* () {
      const tenant = digits()
      const calls = Effect.forEach(Array.from({ length: 50 }), () =>
        Effect.andThen(
          TestClock.adjust("1 second"),
          Effect.flatMap(Clock.currentTimeMillis, (now) =>
            RateLimiter.use((limiter) =>
              limiter.takeBoth(
                { tier: "standard", key: digits(), own: null },
                { tier: "tenantStandard", key: tenant, own: null },
                now
              )
            )
          )
        )
      )
      const { ran } = yield* recording(calls)
      assert.isAtLeast(ran.length, 50)
      assert.isAtMost(ran.length, 56)
    })
  )
})

/** A limiter as in a process of its own. */
const instance = (url: Redacted.Redacted) =>
  Layer.build(
    Layer.fresh(RateLimiterPostgres.layer(limits).pipe(Layer.provideMerge(PgClient.layer({ url, maxConnections: 4 }))))
  )

/** A database that several limiters share. Each test has its own keys. */
class Shared extends Context.Service<Shared, Redacted.Redacted>()("@wcs/store-sql/test/RateLimiterPostgres") {}

const shared = Layer.effect(
  Shared,
  Effect.tap(freshDatabase, (url) => Effect.provide(migrate(migrations), PgClient.layer({ url })))
)

/** How many of these concurrent calls are allowed. */
const through = (tier: "standard" | "intensive", key: string, calls: number) =>
  Effect.map(
    Effect.forEach(Array.from({ length: calls }), () => RateLimiter.use((limiter) => limiter.take(tier, key)), {
      concurrency: "unbounded"
    }),
    (quotas) => quotas.filter(({ exceeded }) => !exceeded).length
  )

/** Which of these concurrent calls for a tenant are allowed, each call by a key of its own. */
const throughTenant = (tenant: string, keys: ReadonlyArray<string>) =>
  Effect.map(
    Effect.forEach(
      keys,
      (key) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          RateLimiter.use((limiter) =>
            limiter.takeBoth(
              { tier: "intensive", key, own: null },
              { tier: "tenantIntensive", key: tenant, own: null },
              now
            )
          )
        ),
      { concurrency: "unbounded" }
    ),
    (quotas) => keys.filter((_, index) => quotas[index]?.exceeded === false)
  )

layer(shared, { excludeTestServices: true })("servers that share limits", (it) => {
  it.effect("RTL-02: allow exactly the limit together", () =>
    Effect.gen(function* () {
      const [url, key] = [yield* Shared, digits()]
      const servers = [yield* instance(url), yield* instance(url), yield* instance(url)]
      for (const [tier, limit] of [
        ["standard", 500],
        ["intensive", 7]
      ] as const) {
        const counts = yield* Effect.all(
          servers.map((server) => Effect.provideContext(through(tier, key, limit), server)),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(
          counts.reduce((sum, count) => sum + count, 0),
          limit,
          counts.join()
        )
        const quota = yield* Effect.provideContext(
          RateLimiter.use((limiter) => limiter.peek(tier, key)),
          yield* instance(url)
        )
        assert.deepInclude(quota, { limit, remaining: 0, exceeded: true })
      }
    })
  )

  it.effect("threat 43: allow exactly the budget of a tenant together, and count a refused call nowhere", () =>
    Effect.gen(function* () {
      const [url, tenant] = [yield* Shared, digits()]
      const servers = [yield* instance(url), yield* instance(url), yield* instance(url)]
      const keysOf = servers.map(() => Array.from({ length: 15 }, () => digits()))
      const allowed = yield* Effect.all(
        servers.map((server, index) => Effect.provideContext(throughTenant(tenant, keysOf[index] ?? []), server)),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(allowed.flat(), limits.tenantIntensive)
      for (const [index, server] of servers.entries()) {
        for (const key of keysOf[index] ?? []) {
          const { remaining } = yield* Effect.provideContext(
            RateLimiter.use((limiter) => limiter.peek("intensive", key)),
            server
          )
          assert.strictEqual(limits.intensive - remaining, allowed[index]?.includes(key) === true ? 1 : 0)
        }
      }
    })
  )

  it.effect("RTL-04: count each other's calls one by one if these are few", () =>
    Effect.gen(function* () {
      const [url, key] = [yield* Shared, digits()]
      const [one, other] = [yield* instance(url), yield* instance(url)]
      const remaining: Array<number> = []
      for (const server of [one, other, one, other, other, one, one, one]) {
        const quota = yield* Effect.provideContext(
          RateLimiter.use((limiter) => limiter.take("intensive", key)),
          server
        )
        remaining.push(quota.exceeded ? -1 : quota.remaining)
      }
      assert.deepStrictEqual(remaining, [6, 5, 4, 3, 2, 1, 0, -1])
    })
  )

  it.effect("take permits in blocks for frequent calls, and none once the window is known to be exhausted", () =>
    Effect.gen(function* () {
      const [server, key] = [yield* instance(yield* Shared), digits()]
      const many = Effect.provideContext(
        recording(Effect.forEach(Array.from({ length: 400 }), () => through("standard", key, 1))),
        server
      )
      assert.isBelow((yield* many).ran.length, 60)
      const rest = yield* Effect.provideContext(recording(through("standard", key, 200)), server)
      assert.strictEqual(rest.answer, 100)
      const none = yield* Effect.provideContext(recording(through("standard", key, 50)), server)
      assert.deepStrictEqual([none.answer, none.ran.length], [0, 0])
    })
  )

  it.effect("begin a new window when the last ends by the database's clock", () =>
    Effect.gen(function* () {
      const [url, key] = [yield* Shared, digits()]
      const server = yield* instance(url)
      yield* Effect.provideContext(through("intensive", key, 7), server)
      const rewind = SqlClient.SqlClient.use((sql) => sql`UPDATE rate_window SET started_at = started_at - 60000`)
      yield* Effect.provideContext(rewind, server)
      const count = yield* Effect.provideContext(through("intensive", key, 20), yield* instance(url))
      assert.strictEqual(count, 7)
    })
  )

  it.effect("count against a window that began while the statement waited", () =>
    Effect.gen(function* () {
      const [url, key] = [yield* Shared, digits()]
      const server = yield* instance(url)
      yield* Effect.provideContext(through("intensive", key, 3), server)
      const later = SqlClient.SqlClient.use((sql) => sql`UPDATE rate_window SET started_at = started_at + 5000`)
      yield* Effect.provideContext(later, server)
      for (const other of [yield* instance(url), yield* instance(url)]) {
        const quota = yield* Effect.provideContext(
          RateLimiter.use((limiter) => limiter.peek("intensive", key)),
          other
        )
        assert.deepStrictEqual(quota, { limit: 7, remaining: 4, resetSeconds: 60, exceeded: false })
      }
      const counts = yield* Effect.all(
        [yield* instance(url), yield* instance(url)].map((other) =>
          Effect.provideContext(through("intensive", key, 20), other)
        ),
        { concurrency: "unbounded" }
      )
      assert.strictEqual((counts[0] ?? 0) + (counts[1] ?? 0), 4)
    })
  )
})
