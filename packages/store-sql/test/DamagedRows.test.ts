import { assert, layer } from "@effect/vitest"
import { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import { fanOut } from "@wcs/domain/webhook/FanOut"
import {
  begin,
  fanOutOf,
  happen,
  idsOf,
  listed,
  nothingDue,
  putWebhook,
  readDue
} from "@wcs/store-suite/delivery/DeliveryFixtures"
import { mint, start } from "@wcs/store-suite/Fixtures"
import { Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import { engines } from "./engines.ts"

const send = (now = start) =>
  DeliveryStore.use((store) =>
    store.fanOut(fanOutOf(100, now), (event, subscribers) => fanOut(event, subscribers, () => mint("delivery"), start))
  )

const later = fanOutOf(1).retryAt()

for (const [engine, stores] of engines) {
  layer(stores)(`EVT-01: damaged rows of deliveries on ${engine}`, (it) => {
    it.effect(
      "makes an event with invalid JSON a dead letter without blocking others, and sends it after a repair",
      () =>
        Effect.gen(function* () {
          yield* nothingDue
          const sql = yield* SqlClient.SqlClient
          const [one, two] = [yield* putWebhook(), yield* putWebhook()]
          const broken = yield* happen(one.tenantId)
          for (const { tenantId } of [one, two]) yield* happen(tenantId)
          yield* sql`UPDATE event SET data = 'a secret' WHERE tenant_id = ${one.tenantId} AND id = ${broken.id}`
          const { deadLettered, taken } = yield* send()
          assert.strictEqual(taken, 3)
          assert.deepStrictEqual(deadLettered, [
            {
              tenantId: one.tenantId,
              eventId: broken.id,
              until: later,
              fault: new Error(`the data of ${broken.id} is not valid JSON`)
            }
          ])
          for (const webhook of [one, two]) assert.lengthOf(yield* listed(webhook), 1)
          yield* sql`UPDATE event SET data = '{}' WHERE tenant_id = ${one.tenantId} AND id = ${broken.id}`
          assert.deepStrictEqual(yield* send(later), { taken: 1, deadLettered: [] })
          assert.lengthOf(yield* listed(one), 2)
        })
    )

    it.effect(
      "sends to the other webhooks when one cannot be read, to that one after a repair, and to none twice",
      () =>
        Effect.gen(function* () {
          yield* nothingDue
          const sql = yield* SqlClient.SqlClient
          const [broken, other] = [yield* putWebhook(), yield* putWebhook()]
          const sister = yield* putWebhook(broken.tenantId)
          const [row] = yield* sql<{ readonly document: string }>`SELECT document FROM webhook
          WHERE tenant_id = ${broken.tenantId} AND id = ${broken.webhookId}`
          const write = (document: string) => sql`UPDATE webhook SET document = ${document}
          WHERE tenant_id = ${broken.tenantId} AND id = ${broken.webhookId}`
          yield* write('{"url":5}')
          const event = yield* happen(broken.tenantId)
          yield* happen(other.tenantId)
          const first = yield* send()
          assert.deepStrictEqual(
            first.deadLettered.map(({ eventId, until }) => ({ eventId, until })),
            [{ eventId: event.id, until: later }]
          )
          for (const webhook of [sister, other]) assert.lengthOf(yield* listed(webhook), 1)
          assert.lengthOf((yield* send(later)).deadLettered, 1)
          yield* write(row?.document ?? "")
          assert.deepStrictEqual(yield* send(later - 1), { taken: 0, deadLettered: [] })
          yield* sql`UPDATE event SET retry_at = 2 WHERE tenant_id = ${broken.tenantId} AND state = 'retrying'`
          assert.deepStrictEqual(yield* send(), { taken: 1, deadLettered: [] })
          for (const webhook of [sister, broken]) assert.lengthOf(yield* listed(webhook), 1)
        })
    )

    it.effect("returns deliveries with unreadable attempts, and the fault of an unreadable webhook", () =>
      Effect.gen(function* () {
        yield* nothingDue
        const sql = yield* SqlClient.SqlClient
        const [broken, other] = [yield* putWebhook(), yield* putWebhook()]
        const [one] = yield* begin(broken)
        const [two] = yield* begin(other)
        yield* sql`UPDATE webhook SET document = 'no JSON' WHERE tenant_id = ${broken.tenantId}`
        yield* sql`UPDATE delivery SET attempts = 'no JSON' WHERE tenant_id = ${other.tenantId}`
        const { deliveries } = yield* readDue(start)
        assert.sameMembers([...idsOf(deliveries)], [one?.id ?? "", two?.id ?? ""])
        assert.deepStrictEqual(
          deliveries.map(({ attempts }) => attempts),
          [[], []]
        )
        const webhooks = yield* DeliveryStore.use((store) => store.webhooks([broken, other]))
        assert.deepStrictEqual(
          [broken, other]
            .map(({ webhookId }) => webhooks.get(webhookId))
            .map((webhook) => webhook && Result.isFailure(webhook)),
          [true, false]
        )
      })
    )
  })
}
