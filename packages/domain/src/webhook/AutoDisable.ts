import { Clock, Effect } from "effect"
import { makeAudit, serverActing } from "../audit/AuditEntry.ts"
import { isGivenUp, type WebhookHealth } from "../event/WebhookHealth.ts"
import type { Stored } from "../resource/Resource.ts"
import type { Ids } from "../shared/Id.ts"
import type { Instant } from "../shared/Instant.ts"
import type { DeliveryStore } from "./DeliveryStore.ts"
import { autoDisabled, type WebhookFields } from "./Webhook.ts"

/** Why a webhook is disabled automatically (DECISIONS.md#webhooks). */
export type Silence =
  /** Its attempts have failed for too long. */
  | { readonly _tag: "GivenUp" }
  /** The receiver answered 410: when the attempt began, and when its result was stored. */
  | { readonly _tag: "Gone"; readonly askedAt: Instant; readonly storedAt: Instant }

/** Whether the reason still holds. A later success or a later change of the webhook clears it. */
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
      return webhook.updatedAt <= silence.askedAt && (health.lastSuccessAt ?? 0) <= silence.storedAt
  }
}

/** The disabled webhook; undefined when nothing has to change. */
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

/**
 * Returns a function that disables a webhook automatically, with an audit entry of the server. It returns whether the
 * webhook was changed.
 */
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
