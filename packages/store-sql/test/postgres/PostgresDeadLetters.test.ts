import { assert, layer } from "@effect/vitest"
import { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import { happen, nothingDue, putWebhook } from "@wcs/store-suite/delivery/DeliveryFixtures"
import { start } from "@wcs/store-suite/Fixtures"
import { Deferred, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { postgresStore, waitedFor } from "../engines.ts"

layer(postgresStore, { excludeTestServices: true })("EVT-01: dead letters on Postgres", (it) => {
  it.effect("keeps an event sent when another worker has just sent it", () =>
    Effect.gen(function* () {
      yield* nothingDue
      const sql = yield* SqlClient.SqlClient
      const store = yield* DeliveryStore
      const { tenantId } = yield* putWebhook()
      const { id } = yield* happen(tenantId)
      const isSent = yield* Deferred.make<void>()
      const sending = Effect.gen(function* () {
        yield* sql`UPDATE event SET state = 'sent' WHERE tenant_id = ${tenantId} AND id = ${id}`
        yield* Deferred.succeed(isSent, undefined)
        yield* waitedFor
      })
      const deadLettering = Effect.andThen(Deferred.await(isSent), store.deadLetter(tenantId, id, start + 1))
      yield* Effect.all([sql.withTransaction(sending), deadLettering], { concurrency: "unbounded" })
      const rows = yield* sql`SELECT state, retry_at FROM event WHERE tenant_id = ${tenantId} AND id = ${id}`
      assert.deepStrictEqual(rows, [{ state: "sent", retry_at: null }])
    })
  )
})
