import { Clock, Effect, Option, Result } from "effect"
import type { Ids } from "./Id.ts"
import type { ResourceStore } from "./ResourceStore.ts"
import { type AuditEntry, serverUrn } from "./Trail.ts"
import { autoDisabled, Webhook } from "./Webhook.ts"

/** Makes what disables a webhook because nobody listens: once, in the server's own name. */
export const makeAutoDisable = (store: ResourceStore["Service"], ids: Ids["Service"]) =>
  Effect.fn("AutoDisable.autoDisable")(function* (tenantId: string, webhookId: string, requestId: string) {
    const now = yield* Clock.currentTimeMillis
    const audit: AuditEntry = {
      id: yield* ids.mint("audit"),
      account: serverUrn,
      bearer: null,
      operation: "UPDATE",
      action: "auto-disable",
      entityType: "webhook",
      entityId: webhookId,
      requestId,
      at: now
    }
    const changed = yield* store
      .change(Webhook, tenantId, webhookId, [], ({ current }) =>
        Result.map(
          Result.fromOption(current, () => "gone" as const),
          (before) => {
            const fields = autoDisabled(before.fields)
            return fields === before.fields || before.deletedAt !== null
              ? ({ _tag: "Unchanged", current: before } as const)
              : ({
                  _tag: "Changed",
                  next: { ...before, version: before.version + 1, updatedAt: now, fields },
                  trail: { audit: [audit], events: [] }
                } as const)
          }
        )
      )
      .pipe(Effect.option)
    return Option.exists(changed, ({ _tag }) => _tag === "Changed")
  })
