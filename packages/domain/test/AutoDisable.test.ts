import { assert, describe, it } from "@effect/vitest"
import { makeAutoDisable } from "@wcs/domain/AutoDisable"
import { Ids } from "@wcs/domain/Id"
import type { Stored } from "@wcs/domain/Resource"
import { ResourceStore } from "@wcs/domain/ResourceStore"
import type { AuditEntry } from "@wcs/domain/Trail"
import type { WebhookFields } from "@wcs/domain/Webhook"
import { Effect, Option, Result } from "effect"

const webhook = (status: WebhookFields["status"], deletedAt: number | null = null): Stored<WebhookFields> => ({
  id: "whk_1",
  version: 4,
  createdAt: 0,
  updatedAt: 0,
  deletedAt,
  fields: { name: "HR", url: "https://receiver.invalid/", events: ["credential.created"], status, secrets: [] }
})

/** A store of one webhook, and what was written to it. */
const storeOf = (current: Stored<WebhookFields> | undefined) => {
  const written: Array<{ readonly next: Stored; readonly audit: ReadonlyArray<AuditEntry> }> = []
  const store = ResourceStore.of({
    find: () => Effect.die("unasked"),
    list: () => Effect.die("unasked"),
    change: (_resource, _tenantId, _id, _references, decide) =>
      Effect.suspend(() => {
        const decided = decide({ current: Option.fromUndefinedOr(current) as never, references: [], others: 0 })
        if (Result.isSuccess(decided) && decided.success._tag === "Changed") {
          written.push({ next: decided.success.next, audit: decided.success.trail.audit })
        }
        return Effect.fromResult(decided)
      })
  })
  return { store, written }
}

const ids = Ids.of({
  mint: () => Effect.succeed("aud_1"),
  ulid: Effect.succeed("01K0000000000000000000TEST"),
  source: () => () => "aud_1",
  secret: () => Effect.die("unasked")
})

describe("disabling a webhook that nobody listens to", () => {
  it.effect("is done once, in the server's own name, with an entry in the audit history", () =>
    Effect.gen(function* () {
      const { store, written } = storeOf(webhook("ACTIVE"))
      assert.isTrue(yield* makeAutoDisable(store, ids)("tnt_1", "whk_1", "request"))
      const [{ audit, next } = { audit: [], next: webhook("ACTIVE") }] = written
      assert.deepStrictEqual(next, { ...webhook("AUTO_DISABLED"), version: 5, updatedAt: 0 })
      assert.deepInclude(audit[0], {
        account: "urn:wcs:server",
        action: "auto-disable",
        entityId: "whk_1",
        requestId: "request"
      })
    })
  )

  it.effect("is not done to one that somebody disabled, or deleted, or that is not there", () =>
    Effect.gen(function* () {
      for (const current of [webhook("DISABLED"), webhook("AUTO_DISABLED"), webhook("ACTIVE", 7), undefined]) {
        const { store, written } = storeOf(current)
        assert.isFalse(yield* makeAutoDisable(store, ids)("tnt_1", "whk_1", "request"))
        assert.deepStrictEqual(written, [])
      }
    })
  )
})
