import { assert, describe, it, layer } from "@effect/vitest"
import { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import { migrate, migrations } from "@wcs/store-sql/engine/Migrations"
import * as StoreSql from "@wcs/store-sql/StoreSql"
import {
  answered,
  begin,
  claim,
  draft,
  holdMillis,
  idsOf,
  letGo,
  pinged,
  putWebhook,
  settle
} from "@wcs/store-suite/delivery/DeliveryFixtures"
import { start } from "@wcs/store-suite/Fixtures"
import { Deferred, Effect, type Layer } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { engines, postgresClient, postgresStore, waitedFor } from "./engines.ts"
import { client } from "./temporary.ts"

describe.each(engines)("writes of a server of the previous version on %s", (_, store) => {
  it.effect("do not end a webhook's lease", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const webhook = yield* putWebhook()
      const drafts = yield* begin(webhook, 3)
      const { claimed } = yield* claim(start + 9, { limit: 1 })
      // That version knows no leases and marks any webhook as due.
      yield* sql`UPDATE receiver SET due_at = ${start} WHERE webhook_id = ${webhook.webhookId}`
      assert.deepStrictEqual((yield* claim(start + 10, { holder: "other" })).claimed, [])
      const later = yield* claim(start + 9 + holdMillis, { holder: "other" })
      assert.deepStrictEqual(
        idsOf(later.claimed),
        drafts.map(({ id }) => id)
      )
      assert.lengthOf(claimed, 1)
    }).pipe(Effect.provide(store))
  )
})

describe.each(engines)("a settlement after a lost lease, during the next claim, on %s", (_, store) => {
  it.effect("is not handed out, and is looked up again soon", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const webhook = yield* putWebhook()
      const ids = (yield* begin(webhook, 2)).map(({ id }) => id)
      const { claimed } = yield* claim(start + 9, { limit: 1 })
      assert.deepStrictEqual(idsOf(claimed), ids.slice(0, 1))
      const now = start + 10
      /** Just before the second delivery is read, another worker makes it due a second later. */
      const settling: Statement.Transformer = (statement) => {
        const postpone = sql`UPDATE delivery SET due_at = ${now + 1000} WHERE id = ${ids[1] ?? ""}`
        const isReading = statement.compile()[0].includes("n.due_by")
        return isReading ? Effect.as(Effect.orDie(postpone), statement) : Effect.succeed(statement)
      }
      const meanwhile = yield* Effect.provideService(
        claim(now, { underWay: claimed }),
        Statement.CurrentTransformer,
        settling
      )
      assert.deepStrictEqual(meanwhile.claimed, [])
      assert.isAtMost(meanwhile.nextDueAt ?? Number.POSITIVE_INFINITY, now + 1000)
      const later = yield* claim(now + 1000, { underWay: claimed })
      assert.deepStrictEqual(idsOf(later.claimed), ids.slice(1))
    }).pipe(Effect.provide(store))
  )
})

layer(postgresStore, { excludeTestServices: true })("a released webhook on Postgres", (it) => {
  it.effect("becomes due by a delivery that begins meanwhile", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const store = yield* DeliveryStore
      const webhook = yield* putWebhook()
      yield* begin(webhook)
      const { claimed } = yield* claim(start)
      yield* settle(claimed.map((one) => answered(one, 200, start)))
      const isBegun = yield* Deferred.make<void>()
      const next = draft(webhook)
      const beginning = sql.withTransaction(
        store
          .begin(next, pinged(next))
          .pipe(Effect.andThen(Deferred.succeed(isBegun, undefined)), Effect.andThen(waitedFor))
      )
      const givingBack = Effect.andThen(Deferred.await(isBegun), letGo(claimed, start + 1))
      yield* Effect.all([beginning, givingBack], { concurrency: "unbounded" })
      assert.deepStrictEqual(idsOf((yield* claim(start + 1, { holder: "other" })).claimed), [next.id])
    })
  )
})

const clients: ReadonlyArray<readonly [string, Layer.Layer<SqlClient.SqlClient, unknown>]> = [
  ["SQLite", client],
  ["Postgres", postgresClient]
]

describe.each(clients)("deliveries claimed before webhooks had leases, on %s", (_, engine) => {
  it.effect("are due when their lease expires, and others of a webhook without free places immediately", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const before = migrations.findIndex(({ name }) => name === "delivery_hold")
      yield* migrate(migrations.slice(0, before))
      const same = { tenant_id: "tnt_1", webhook_id: "whk_1", kind: "credential.created", correlation_id: null }
      const untried = { state: "PENDING", attempt_count: 0, failures: 0, attempts: "[]", body: "{}" }
      const row = (id: string, due_at: number, lease: string | null) => ({
        ...same,
        ...untried,
        id,
        event_id: id,
        due_at,
        lease,
        created_at: start
      })
      const leaseEnds = start + 120_000
      for (const one of [row("dlv_1", leaseEnds, "lease"), row("dlv_2", start, null)]) {
        yield* sql`INSERT INTO delivery ${sql.insert(one)}`
      }
      const receiver = { tenant_id: "tnt_1", webhook_id: "whk_1", served_at: start, consecutive_failures: 0 }
      yield* sql`INSERT INTO receiver ${sql.insert({ ...receiver, due_at: leaseEnds })}`
      yield* Effect.gen(function* () {
        const { claimed, nextDueAt } = yield* claim(start)
        assert.deepStrictEqual([idsOf(claimed), nextDueAt], [["dlv_2"], start + holdMillis])
        const later = yield* claim(leaseEnds, { underWay: claimed })
        assert.deepStrictEqual(idsOf(later.claimed), ["dlv_1"])
      }).pipe(Effect.provide(StoreSql.layer))
    }).pipe(Effect.provide(engine))
  )
})
