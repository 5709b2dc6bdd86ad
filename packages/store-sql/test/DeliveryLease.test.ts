import { assert, describe, it, layer } from "@effect/vitest"
import { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import {
  answered,
  begin,
  claim,
  draft,
  idsOf,
  leaseMillis,
  letGo,
  pinged,
  putWebhook,
  settle
} from "@wcs/store-suite/delivery/DeliveryFixtures"
import { start } from "@wcs/store-suite/Fixtures"
import { Deferred, Effect } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { engines, postgresStore, waitedFor } from "./engines.ts"

describe.each(engines)("a leased webhook that is marked as due on %s", (_, store) => {
  it.effect("stays leased until the lease ends", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const webhook = yield* putWebhook()
      const drafts = yield* begin(webhook, 3)
      const { claimed } = yield* claim(start + 9, { limit: 1 })
      yield* sql`UPDATE receiver SET claim_at = ${start} WHERE webhook_id = ${webhook.webhookId}`
      assert.deepStrictEqual((yield* claim(start + 10, { holder: "other" })).claimed, [])
      const later = yield* claim(start + 9 + leaseMillis, { holder: "other" })
      assert.deepStrictEqual(
        idsOf(later.claimed),
        drafts.map(({ id }) => id)
      )
      assert.lengthOf(claimed, 1)
    }).pipe(Effect.provide(store))
  )
})

describe.each(engines)("a late settlement after a lost lease, during the next claim, on %s", (_, store) => {
  it.effect("is not returned, and is looked for again soon", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const webhook = yield* putWebhook()
      const ids = (yield* begin(webhook, 2)).map(({ id }) => id)
      const { claimed } = yield* claim(start + 9, { limit: 1 })
      assert.deepStrictEqual(idsOf(claimed), ids.slice(0, 1))
      const now = start + 10
      /** Makes the second delivery due a second later, just before it is read. */
      const settling: Statement.Transformer = (statement) => {
        const postpone = sql`UPDATE delivery SET due_at = ${now + 1000} WHERE id = ${ids[1] ?? ""}`
        const isReading = statement.compile()[0].includes("n.due_by")
        return isReading ? Effect.as(Effect.orDie(postpone), statement) : Effect.succeed(statement)
      }
      const meanwhile = yield* Effect.provideService(
        claim(now, { unsettled: claimed }),
        Statement.CurrentTransformer,
        settling
      )
      assert.deepStrictEqual(meanwhile.claimed, [])
      assert.isAtMost(meanwhile.nextDueAt ?? Number.POSITIVE_INFINITY, now + 1000)
      const later = yield* claim(now + 1000, { unsettled: claimed })
      assert.deepStrictEqual(idsOf(later.claimed), ids.slice(1))
    }).pipe(Effect.provide(store))
  )
})

layer(postgresStore, { excludeTestServices: true })("a released webhook on Postgres", (it) => {
  it.effect("becomes due when new deliveries begin during the release", () =>
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
