import { assert, describe, it, layer } from "@effect/vitest"
import { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import * as AccessEpoch from "@wcs/store-sql/access/AccessEpoch"
import * as LeaseStoreSql from "@wcs/store-sql/lease/LeaseStoreSql"
import {
  answered,
  begin,
  draft,
  idsOf,
  nothingDue,
  pinged,
  putWebhook,
  readDue,
  settle
} from "@wcs/store-suite/delivery/DeliveryFixtures"
import { type StoresTest, start, tenantTest } from "@wcs/store-suite/Fixtures"
import { leaseSuite } from "@wcs/store-suite/lease/LeaseSuite"
import { Effect, Layer } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { engines, postgresStore, underWay } from "./engines.ts"
import { store } from "./temporary.ts"

layer(Layer.provideMerge(Layer.provide(LeaseStoreSql.layer, AccessEpoch.layer), store))(
  "leases that several processes share, on SQLite",
  (it) => leaseSuite(tenantTest(it as StoresTest))
)

describe.each(engines)("a late settlement after a lost lease, during the next read, on %s", (_, store) => {
  it.effect("is not returned, and is looked for again soon", () =>
    Effect.gen(function* () {
      yield* nothingDue
      const sql = yield* SqlClient.SqlClient
      const webhook = yield* putWebhook()
      const [first, second] = yield* begin(webhook, 2)
      const now = start + 10
      /** Makes the second delivery due a second later, just before it is read. */
      const settling: Statement.Transformer = (statement) => {
        const postpone = sql`UPDATE delivery SET due_at = ${now + 1000} WHERE id = ${second?.id ?? ""}`
        const isReading = statement.compile()[0].includes("n.due_by")
        return isReading ? Effect.as(Effect.orDie(postpone), statement) : Effect.succeed(statement)
      }
      const meanwhile = yield* Effect.provideService(readDue(now), Statement.CurrentTransformer, settling)
      assert.deepStrictEqual(idsOf(meanwhile.deliveries), [first?.id ?? ""])
      const { deliveries, nextDueAt } = yield* readDue(now, { known: meanwhile.deliveries })
      assert.deepStrictEqual([deliveries, nextDueAt], [[], now + 1000])
    }).pipe(Effect.provide(store))
  )
})

describe.each(engines)("the time to look at a webhook again on %s", (_, store) => {
  it.effect("is never later than its first due delivery or its last settlement", () =>
    Effect.gen(function* () {
      yield* nothingDue
      const sql = yield* SqlClient.SqlClient
      const webhook = yield* putWebhook()
      const nextAt = Effect.map(
        sql<{ readonly next_at: unknown }>`SELECT next_at FROM receiver WHERE webhook_id = ${webhook.webhookId}`,
        ([row]) => (row === undefined || row.next_at === null ? null : Number(row.next_at))
      )
      yield* begin(webhook, 2)
      assert.strictEqual(yield* nextAt, start)
      const { deliveries } = yield* readDue(start + 9)
      const settleAt = (index: number, status: number, now: number) =>
        settle(
          deliveries.slice(index, index + 1).map((one) => answered(one, status, now, [500])),
          now
        )
      yield* settleAt(0, 500, start + 20)
      assert.strictEqual(yield* nextAt, start + 20)
      yield* settleAt(1, 200, start + 30)
      assert.strictEqual(yield* nextAt, start + 520)
      const { deliveries: retried } = yield* readDue(start + 520)
      yield* settle(
        retried.map((one) => answered(one, 200, start + 530)),
        start + 530
      )
      assert.isNull(yield* nextAt)
    }).pipe(Effect.provide(store))
  )
})

layer(postgresStore, { excludeTestServices: true })("a settlement on Postgres", (it) => {
  it.effect("leaves the webhook due when new deliveries begin meanwhile", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const store = yield* DeliveryStore
      const webhook = yield* putWebhook()
      yield* begin(webhook)
      const { deliveries } = yield* readDue(start)
      const next = draft(webhook)
      yield* underWay(sql, store.begin(next, pinged(next)))
      yield* settle(deliveries.map((one) => answered(one, 200, start)))
      assert.deepStrictEqual(idsOf((yield* readDue(start + 1)).deliveries), [next.id])
    })
  )
})
