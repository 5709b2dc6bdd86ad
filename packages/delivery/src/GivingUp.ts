import { Ids } from "@wcs/domain/shared/Id"
import type { Instant } from "@wcs/domain/shared/Instant"
import { makeAutoDisable, type Silence } from "@wcs/domain/webhook/AutoDisable"
import { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import { Cause, Clock, Effect } from "effect"

/** A webhook that is to be disabled. */
interface Silent {
  readonly tenantId: string
  readonly webhookId: string
  readonly silence: Silence
  /** How often disabling it failed, and when it is tried next. */
  readonly failures: number
  readonly dueAt: Instant
}

/**
 * Pauses between tries to disable a webhook. After the last one, only a further failed attempt of the webhook tries
 * again.
 */
const pausesMillis: ReadonlyArray<number> = [1000, 5000, 30_000, 300_000]

/**
 * Disables webhooks that no longer accept deliveries. A failure to disable one affects neither deliveries nor other
 * webhooks.
 */
export const make = Effect.gen(function* () {
  const ids = yield* Ids
  const autoDisable = makeAutoDisable(yield* DeliveryStore, ids)
  const silent = new Map<string, Silent>()

  const disable = Effect.fnUntraced(function* ({ silence, tenantId, webhookId }: Silent) {
    const requestId = yield* ids.ulid
    if (!(yield* autoDisable(tenantId, webhookId, silence, requestId))) return
    yield* Effect.logWarning("A webhook was disabled because it does not accept deliveries.").pipe(
      Effect.annotateLogs({ tenantId, webhookId, requestId })
    )
  })

  const postpone = Effect.fnUntraced(function* (one: Silent, cause: Cause.Cause<never>, now: Instant) {
    if (Cause.hasInterruptsOnly(cause)) return yield* Effect.failCause(cause)
    const pause = pausesMillis[one.failures]
    yield* Effect.logError(
      "A webhook that does not accept deliveries could not be disabled.",
      Cause.pretty(cause)
    ).pipe(Effect.annotateLogs({ tenantId: one.tenantId, webhookId: one.webhookId, isTriedAgain: pause !== undefined }))
    if (pause !== undefined) silent.set(one.webhookId, { ...one, failures: one.failures + 1, dueAt: now + pause })
  })

  return {
    /** Queues the webhook to be disabled, unless it is queued already. */
    note: (tenantId: string, webhookId: string, silence: Silence): void => {
      if (!silent.has(webhookId)) silent.set(webhookId, { tenantId, webhookId, silence, failures: 0, dueAt: 0 })
    },
    /** Disables the webhooks that are due. Returns the milliseconds until the next one is due. */
    disableDue: Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      for (const one of [...silent.values()].filter(({ dueAt }) => dueAt <= now)) {
        silent.delete(one.webhookId)
        yield* Effect.catchCause(disable(one), (cause) => postpone(one, cause, now))
      }
      return Math.min(Number.POSITIVE_INFINITY, ...[...silent.values()].map(({ dueAt }) => dueAt - now))
    })
  }
})
