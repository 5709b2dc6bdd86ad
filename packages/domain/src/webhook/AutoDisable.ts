import { Clock, Effect } from "effect"
import { makeAudit, serverActing } from "../audit/AuditEntry.ts"
import type { Stored } from "../resource/Resource.ts"
import type { Ids } from "../shared/Id.ts"
import type { Instant } from "../shared/Instant.ts"
import type { DeliveryStore } from "./DeliveryStore.ts"
import { autoDisabled, type WebhookFields } from "./Webhook.ts"
import { isGivenUp, type WebhookHealth } from "./WebhookHealth.ts"

/** Why nobody is thought to listen at a webhook (DECISIONS.md#webhooks). */
export type Silence =
  /** It has failed for too long. */
  | { readonly _tag: "GivenUp" }
  /** The receiver said that it is gone for good: when it was asked, and when that was written. */
  | { readonly _tag: "Gone"; readonly askedAt: Instant; readonly toldAt: Instant }

/** Whether that is so still: since it was found, an attempt may have succeeded, or somebody changed the webhook. */
export const isSilent = (
  silence: Silence,
  webhook: Pick<Stored, "updatedAt">,
  health: WebhookHealth,
  now: Instant
): boolean => {
  switch (silence._tag) {
    case "GivenUp":
      return isGivenUp(health, now)
    case "Gone":
      return webhook.updatedAt <= silence.askedAt && (health.lastSuccessAt ?? 0) <= silence.toldAt
  }
}

/** The webhook that is disabled, where nobody listens still; none where it stays as it is. */
const disabledAt = (
  webhook: Stored<WebhookFields>,
  health: WebhookHealth,
  silence: Silence,
  now: Instant
): Stored<WebhookFields> | undefined => {
  const fields = autoDisabled(webhook.fields)
  if (fields === webhook.fields || webhook.deletedAt !== null) return undefined
  if (!isSilent(silence, webhook, health, now)) return undefined
  return { ...webhook, version: webhook.version + 1, updatedAt: now, fields }
}

/** Makes what disables a webhook because nobody listens: once, in the server's own name. Answers whether it did. */
export const makeAutoDisable = (store: DeliveryStore["Service"], ids: Ids["Service"]) =>
  Effect.fn("AutoDisable.autoDisable")(function* (
    tenantId: string,
    webhookId: string,
    silence: Silence,
    requestId: string
  ) {
    const now = yield* Clock.currentTimeMillis
    const auditedAction = {
      operation: "UPDATE",
      action: "auto-disable",
      entityType: "webhook",
      entityId: webhookId
    } as const
    const audit = yield* makeAudit(ids)(serverActing(requestId), auditedAction, now)
    return yield* store.changeWebhook(tenantId, webhookId, (current, health) => {
      const next = disabledAt(current, health, silence, now)
      return next === undefined
        ? { _tag: "Unchanged", current }
        : { _tag: "Changed", next, records: { audit: [audit], events: [] } }
    })
  })
