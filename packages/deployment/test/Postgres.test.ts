import { readdirSync } from "node:fs"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, describe, it } from "@effect/vitest"
import { Serving } from "@wcs/deployment/Serving"
import { isOutage } from "@wcs/deployment/stores/PostgresStores"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { startEngine } from "@wcs/store-suite/postgres/Engine"
import { freshDatabase } from "@wcs/store-suite/postgres/FreshDatabase"
import { Effect, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { ask } from "./listening/Wire.ts"
import { keyFile, start, until } from "./SharedDatabase.ts"
import { temporaryDirectory } from "./Temporary.ts"
import { bearer, call, superAdmin } from "./TestServer.ts"

const whoAmI = (token: string) => call("/openapi/v1/workers", { headers: bearer(token) })

describe("servers that share a database", () => {
  it.live("start concurrently on an empty database: there is one tenant, and each server sees the other's writes", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const key = { WCS_MASTER_KEY_FILE: yield* keyFile }
      const servers = yield* Effect.all(
        Array.from({ length: 3 }, () => start(url, key)),
        { concurrency: "unbounded" }
      )
      const [one, other] = servers
      if (one === undefined || other === undefined) return assert.fail("none started")
      const tenants = yield* Effect.provideContext(
        AccessStore.use((store) => store.listTenants),
        other
      )
      assert.lengthOf(tenants, 1)
      const token = yield* Effect.provideContext(superAdmin, one)
      for (const server of servers) {
        const { status } = yield* Effect.provideContext(whoAmI(token), server)
        assert.strictEqual(status, 200)
      }
    })
  )

  it.live("refuse to start with a master key that differs from the other servers', and change nothing", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      yield* start(url, { WCS_MASTER_KEY_FILE: yield* keyFile })
      const refused = yield* Effect.flip(start(url, { WCS_MASTER_KEY_FILE: yield* keyFile }))
      assert.match(refused.message, /^The master key does not open signing key .* nothing was changed\.$/)
      const data = yield* temporaryDirectory
      const keyless = yield* Effect.flip(start(url, { WCS_DATA: data }))
      assert.match(keyless.message, /^The database has a store, but .* has no master key: .* was not changed\.$/)
      assert.notInclude(readdirSync(data), "master.key")
      const missing = yield* Effect.flip(start(url, { WCS_MASTER_KEY_FILE: "/nowhere/master.key" }))
      assert.match(missing.message, /^WCS_MASTER_KEY_FILE must be .* does not exist\.$/)
    })
  )

  it.live(
    "with different master keys start concurrently on an empty database: one starts, the others are refused",
    () =>
      Effect.gen(function* () {
        const url = yield* freshDatabase
        const started = yield* Effect.all(
          Array.from({ length: 3 }, () => Effect.result(start(url))),
          { concurrency: "unbounded" }
        )
        const refusals = started.flatMap((result) => (result._tag === "Failure" ? [result.failure.message] : []))
        assert.lengthOf(refusals, 2, refusals.join())
        for (const message of refusals) assert.match(message, /^The database has a store, but .* has no master key/)
      })
  )
})

it.live("have at most three connections besides those for requests", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const server = yield* start(url, { WCS_DATABASE_CONNECTIONS: "3" })
    const token = yield* Effect.provideContext(superAdmin, server)
    const calls = Array.from({ length: 30 }, () => Effect.provideContext(whoAmI(token), server))
    const answers = yield* Effect.all(calls, { concurrency: "unbounded" })
    assert.deepStrictEqual([...new Set(answers.map(({ status }) => status))], [200])
    const sql = yield* PgClient.makeClient({ url, applicationName: "test" })
    const open = yield* sql`SELECT pid FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'wcs'`
    assert.isAtLeast(open.length, 3)
    assert.isAtMost(open.length, 6)
  }).pipe(Effect.provide(Reactivity.layer))
)

describe("an unusable database", () => {
  it.live("is refused in one sentence that names the database, without its password", () =>
    Effect.gen(function* () {
      const url = new URL(Redacted.value(yield* freshDatabase))
      url.username = "no_such_role" // refused whether or not the engine requires a password
      url.password = "wrong-secret"
      const wrong = yield* Effect.flip(start(Redacted.make(url.href)))
      assert.match(wrong.message, /^DATABASE_URL must name a usable Postgres database, but wcs_test_\w+ on 127.0.0.1/)
      assert.notInclude(wrong.message, "wrong-secret")
      const away = yield* Effect.flip(start(Redacted.make("postgres://wcs:hidden-secret@127.0.0.1:1/wcs")))
      assert.match(away.message, /^DATABASE_URL must name .* but wcs on 127.0.0.1:1 failed: [^\n]*ECONNREFUSED/)
      assert.notInclude(away.message, "hidden-secret")
    })
  )

  it.live("reports that nothing was done if there is no connection, and an unknown outcome if one breaks", () =>
    Effect.gen(function* () {
      const nowhere = PgClient.makeClient({ url: Redacted.make("postgres://wcs@127.0.0.1:1/wcs") })
      assert.isTrue(isOutage(yield* Effect.flip(nowhere)))
      const sql = yield* PgClient.makeClient({ url: yield* freshDatabase })
      const broken = yield* Effect.flip(sql`SELECT pg_terminate_backend(pg_backend_pid())`)
      assert.strictEqual(broken.reason._tag, "ConnectionError")
      assert.isFalse(isOutage(broken))
    }).pipe(Effect.provide(Reactivity.layer))
  )

  it.live(
    "that becomes unavailable is reported in the envelope and by the readiness check, and is used again when it returns",
    () =>
      Effect.gen(function* () {
        const engine = yield* Effect.acquireRelease(
          Effect.promise(() => startEngine()),
          ({ stop }) => Effect.promise(() => stop())
        )
        const server = yield* start(Redacted.make(engine.url))
        yield* Effect.gen(function* () {
          const { adminPort } = yield* Serving
          const ready = ask({ url: `http://127.0.0.1:${adminPort}/readyz` })
          const token = yield* superAdmin
          assert.strictEqual((yield* whoAmI(token)).status, 200)
          assert.strictEqual((yield* ready).status, 200)
          yield* Effect.promise(() => engine.crash())
          // A connection that breaks during a call is a failure. Without a connection nothing was done.
          const answer = yield* until(whoAmI(token), ({ status }) => status === 503)
          assert.strictEqual(answer.headers["retry-after"], "1")
          assert.match(answer.text, /"error":\{"code":"UNAVAILABLE"/)
          assert.strictEqual((yield* ready).status, 503)
          yield* Effect.promise(() => engine.restart())
          yield* until(ready, ({ status }) => status === 200)
          yield* until(whoAmI(token), ({ status }) => status === 200)
        }).pipe(Effect.provideContext(server))
      })
  )
})
