import { assert, layer } from "@effect/vitest"
import { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import { StoreUnavailable } from "@wcs/domain/webhook/StoreUnavailable"
import { fanOutOf, happen, nothingDue, putWebhook, send } from "@wcs/store-suite/delivery/DeliveryFixtures"
import { Cause, Effect, Exit } from "effect"
import { SqlClient } from "effect/sql"
import { postgresStore } from "./engines.ts"
import { store } from "./temporary.ts"

/** Whether a fan-out blames the store. */
const isUnavailable = Effect.map(Effect.exit(send()), (sent) => {
  assert.isTrue(Exit.isFailure(sent))
  return Exit.isFailure(sent) && Cause.squash(sent.cause) instanceof StoreUnavailable
})

/** An event of about 400 KB with a subscriber. */
const prepared = Effect.gen(function* () {
  yield* nothingDue
  const { tenantId } = yield* putWebhook()
  yield* happen(tenantId, { data: { text: "x".repeat(400_000) } })
})

/** The event is still pending, and there is no delivery. */
const assertWaits = Effect.gen(function* () {
  const deliveries = yield* DeliveryStore
  assert.deepStrictEqual(yield* deliveries.fanOut(fanOutOf(10), () => []), { taken: 1, deadLettered: [] })
})

layer(postgresStore, { excludeTestServices: true })("EVT-01: faults of the store or of the event on Postgres", (it) => {
  it.effect("blames the store when it cannot write after the decision, and the event when it cannot be sent", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const [state, isOfStore] of [
        ["08006", true],
        ["25006", true],
        ["40001", true],
        ["53100", true],
        ["53200", true],
        ["55P03", true],
        ["57014", true],
        ["57P01", true],
        ["58030", true],
        ["22P05", false],
        ["23514", false],
        ["54000", false],
        ["XX000", false]
      ] as const) {
        yield* prepared
        yield* sql.unsafe(`CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '${state}'; END $$`)
        yield* sql`CREATE TRIGGER refusing BEFORE INSERT ON delivery FOR EACH ROW EXECUTE FUNCTION refuse()`
        assert.strictEqual(yield* isUnavailable, isOfStore, state)
        yield* sql`DROP TRIGGER refusing ON delivery`
        yield* assertWaits
      }
    })
  )
})

layer(store)("EVT-01: faults of the store or of the event on SQLite", (it) => {
  it.effect("blames the store when the disk is full, and the event when its row is invalid", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* prepared
      yield* sql.withTransaction(sql`PRAGMA max_page_count = 1`)
      assert.isTrue(yield* isUnavailable)
      yield* sql.withTransaction(sql`PRAGMA max_page_count = 1000000`)
      yield* assertWaits
      yield* prepared
      yield* sql`CREATE TRIGGER refusing BEFORE INSERT ON delivery BEGIN SELECT RAISE(ABORT, 'refused'); END`
      assert.isFalse(yield* isUnavailable)
      yield* sql`DROP TRIGGER refusing`
      yield* assertWaits
    })
  )
})
