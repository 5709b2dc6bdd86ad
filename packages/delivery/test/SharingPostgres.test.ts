import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { DeliverySettings } from "@wcs/domain/webhook/DeliverySchedule"
import * as AccessEpoch from "@wcs/store-sql/access/AccessEpoch"
import * as StoreSql from "@wcs/store-sql/StoreSql"
import { freshDatabase } from "@wcs/store-suite/postgres/FreshDatabase"
import { Effect, Exit, Fiber, Layer, References, Schedule, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { deliveriesOf } from "./Seeds.ts"
import { answered, type Behaviour, deliver, Outside, putWebhook, surroundingsOf, watched } from "./World.ts"

const webhooks = 6
const each = 80

type Url = Effect.Success<typeof freshDatabase>

const clientOf = (url: Url) => Layer.fresh(PgClient.layer({ url, maxConnections: 4 }))

/** The stores on one database, each time with connections of their own. */
const storesOn = (url: Url) =>
  Layer.fresh(StoreSql.layerShared.pipe(Layer.provide(AccessEpoch.layer), Layer.provide(clientOf(url))))

/** A receiver that counts its concurrent attempts. It fails the first attempt of every fifth delivery. */
const makeReceiver = () => {
  const seen = new Set<string>()
  const inFlight = { now: 0, most: 0 }
  const behaviour: Behaviour = (count, { headers }) =>
    Effect.suspend(() => {
      inFlight.now += 1
      inFlight.most = Math.max(inFlight.most, inFlight.now)
      const id = headers["webhook-id"] ?? ""
      const isRefused = count % 5 === 0 && !seen.has(id)
      seen.add(id)
      return Effect.as(Effect.sleep(10 + ((7 * count) % 30)), answered(isRefused ? 503 : 200))
    }).pipe(
      Effect.ensuring(
        Effect.sync(() => {
          inFlight.now -= 1
        })
      )
    )
  return { behaviour, inFlight }
}

/** Receivers whose `next_at` is later than their first due delivery and their last settlement. */
const liars = SqlClient.SqlClient.use(
  (sql) => sql`SELECT r.webhook_id, r.next_at FROM receiver AS r WHERE EXISTS (
      SELECT 1 FROM delivery AS d WHERE d.tenant_id = r.tenant_id AND d.webhook_id = r.webhook_id
      AND (r.next_at IS NULL OR r.next_at > greatest(d.due_at, r.last_success_at, r.last_failure_at))
      AND d.due_at IS NOT NULL
    )`
)

/** Whether all deliveries are finished. */
const isOver = SqlClient.SqlClient.use((sql) => sql`SELECT 1 FROM delivery WHERE due_at IS NOT NULL LIMIT 1`).pipe(
  Effect.map((open) => open.length === 0)
)

/** A worker with connections of its own: where it sends, and its stop. */
const working = Effect.fnUntraced(function* (url: Url) {
  const { layer, sentTo } = yield* watched({ stopMillis: 5000, attemptsMax: 64, pollMillis: 1000 })
  const scope = yield* Scope.make()
  yield* Layer.buildWithScope(Layer.provide(layer, storesOn(url)), scope)
  return { sentTo, stop: Scope.close(scope, Exit.void) }
})

it.live(
  "EVT-05: workers of one Postgres attempt each delivery once, at most 8 of a webhook at a time, and lose none",
  () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      yield* Effect.gen(function* () {
        const receivers = Array.from({ length: webhooks }, makeReceiver)
        yield* Effect.forEach(receivers, ({ behaviour }, n) => putWebhook(n, behaviour))
        const lies: Array<unknown> = []
        const look = Effect.map(liars, (found) => lies.push(...found))
        const looking = yield* Effect.forkChild(Effect.repeat(look, Schedule.spaced(5)))
        const numbers = Array.from({ length: webhooks * each }, (_, m) => m)
        const begin = (from: number, to: number, concurrency: number) =>
          Effect.forEach(numbers.slice(from, to), (m) => deliver(m % webhooks, m), { concurrency, discard: true })

        yield* begin(0, 240, 8)
        const one = yield* working(url)
        const other = yield* working(url)
        yield* begin(240, 320, 8)
        const [third] = yield* Effect.all([working(url), one.stop, begin(320, 400, 8)], { concurrency: "unbounded" })
        // Slow enough that webhooks become idle in between.
        yield* begin(400, 480, 2)
        yield* Effect.repeat(isOver, { until: (over) => over, schedule: Schedule.spaced(10) })
        yield* Effect.all([other.stop, third.stop], { concurrency: "unbounded" })
        yield* Fiber.interrupt(looking)

        const { arrivals } = yield* Outside
        const all = (yield* Effect.forEach(receivers, (_, n) => deliveriesOf(n))).flat()
        assert.lengthOf(all, webhooks * each)
        assert.isTrue(all.every(({ state }) => state === "DELIVERED"))
        const attempts = Map.groupBy(arrivals, ({ headers }) => headers["webhook-id"])
        for (const { attemptCount, id } of all) assert.lengthOf(attempts.get(id) ?? [], attemptCount)
        assert.isNotEmpty(all.filter(({ attemptCount }) => attemptCount > 1))
        for (const { sentTo } of [one, other, third]) assert.isNotEmpty(sentTo)
        for (const { inFlight } of receivers) assert.isAtMost(inFlight.most, 8)
        assert.deepStrictEqual(lies, [])
        const sql = yield* SqlClient.SqlClient
        assert.deepStrictEqual(yield* sql`SELECT webhook_id FROM receiver WHERE next_at IS NOT NULL`, [])
        assert.deepStrictEqual(yield* sql`SELECT held_by FROM lease UNION SELECT id FROM lease_holder`, [])
      }).pipe(Effect.provide([surroundingsOf(storesOn(url)), clientOf(url)]))
    }).pipe(
      Effect.scoped,
      Effect.provideService(DeliverySettings, { retryDelaysMillis: [30, 30, 30], retentionMillis: 1_000_000 }),
      Effect.provideService(References.TracerEnabled, false)
    )
)
