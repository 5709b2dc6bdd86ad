import { assert, describe, it } from "@effect/vitest"
import type { AuditEntry } from "@wcs/domain/audit/AuditEntry"
import { initialHealth, type WebhookHealth } from "@wcs/domain/event/WebhookHealth"
import type { Stored } from "@wcs/domain/resource/Resource"
import { Ids } from "@wcs/domain/shared/Id"
import { makeAutoDisable, type Silence } from "@wcs/domain/webhook/AutoDisable"
import { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import type { WebhookFields } from "@wcs/domain/webhook/Webhook"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

const day = 86_400_000

const webhook = (status: WebhookFields["status"], overrides: Partial<Stored> = {}): Stored<WebhookFields> => ({
  id: "whk_1",
  version: 4,
  createdAt: 0,
  updatedAt: 0,
  deletedAt: null,
  ...overrides,
  fields: { name: "HR", url: "https://receiver.invalid/", events: ["credential.created"], status, secrets: [] }
})

const failing: WebhookHealth = { ...initialHealth, consecutiveFailures: 50, failingSince: 0, lastFailureAt: day }

/** A store of one webhook with this health, and what was written to it. */
const storeOf = (current: Stored<WebhookFields>, health: WebhookHealth) => {
  const written: Array<{ readonly next: Stored; readonly audit: ReadonlyArray<AuditEntry> }> = []
  const layer = Layer.mock(DeliveryStore, {
    changeWebhook: (_tenantId, _webhookId, decide) =>
      Effect.sync(() => {
        const decided = decide(current, health)
        if (decided._tag === "Changed") written.push({ next: decided.next, audit: decided.records.audit })
        return decided._tag === "Changed"
      })
  })
  return { layer, written }
}

const ids = Ids.of({
  mint: () => Effect.succeed("aud_1"),
  ulid: Effect.succeed("01K0000000000000000000TEST"),
  ulidAt: () => "01K0000000000000000000TEST",
  source: () => () => "aud_1",
  secret: () => Effect.die("unasked")
})

const givenUp: Silence = { _tag: "GivenUp" }

/** The writes for a webhook with this health, a day after its first failure. */
const disabling = Effect.fnUntraced(function* (
  current: Stored<WebhookFields>,
  health: WebhookHealth = failing,
  silence: Silence = givenUp
) {
  yield* TestClock.setTime(day)
  const { layer, written } = storeOf(current, health)
  const isDone = yield* DeliveryStore.use((store) =>
    makeAutoDisable(store, ids)("tnt_1", "whk_1", silence, "request")
  ).pipe(Effect.provide(layer))
  assert.strictEqual(isDone, written.length > 0)
  return written
})

describe("disabling a webhook automatically", () => {
  it.effect("happens once, as the server, with an audit entry", () =>
    Effect.gen(function* () {
      const [{ audit, next } = { audit: [], next: webhook("ACTIVE") }] = yield* disabling(webhook("ACTIVE"))
      assert.deepStrictEqual(next, webhook("AUTO_DISABLED", { version: 5, updatedAt: day }))
      assert.deepInclude(audit[0], {
        account: "urn:wcs:server",
        action: "auto-disable",
        entityId: "whk_1",
        requestId: "request"
      })
    })
  )

  it.effect("does not happen when the webhook is disabled or deleted", () =>
    Effect.gen(function* () {
      for (const current of [webhook("DISABLED"), webhook("AUTO_DISABLED"), webhook("ACTIVE", { deletedAt: 7 })]) {
        assert.deepStrictEqual(yield* disabling(current), [])
      }
    })
  )

  it.effect("does not happen when the failures ended or were reset before the write", () =>
    Effect.gen(function* () {
      const succeeded = { ...initialHealth, lastSuccessAt: day }
      for (const health of [
        succeeded,
        initialHealth,
        { ...failing, consecutiveFailures: 49 },
        { ...failing, failingSince: 1 }
      ]) {
        assert.deepStrictEqual(yield* disabling(webhook("ACTIVE"), health), [])
      }
    })
  )

  it.effect("happens after a 410, unless an attempt succeeded or the webhook changed since", () =>
    Effect.gen(function* () {
      const gone: Silence = { _tag: "Gone", askedAt: 500, storedAt: 600 }
      const once = { ...initialHealth, consecutiveFailures: 1, failingSince: 600, lastFailureAt: 600 }
      assert.lengthOf(yield* disabling(webhook("ACTIVE"), once, gone), 1)
      assert.lengthOf(yield* disabling(webhook("ACTIVE"), { ...once, lastSuccessAt: 600 }, gone), 1)
      assert.lengthOf(yield* disabling(webhook("ACTIVE"), { ...once, lastSuccessAt: 601 }, gone), 0)
      assert.lengthOf(yield* disabling(webhook("ACTIVE", { updatedAt: 500 }), once, gone), 1)
      assert.lengthOf(yield* disabling(webhook("ACTIVE", { updatedAt: 501 }), once, gone), 0)
    })
  )
})
