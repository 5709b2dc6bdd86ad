import type { Instant } from "../shared/Instant.ts"

/** How deliveries to a webhook have gone. It changes beside the webhook, which is nobody's update. */
export interface WebhookHealth {
  /** How many attempts have failed since one succeeded. */
  readonly consecutiveFailures: number
  /** When the first of those failed; null where there is none. */
  readonly failingSince: Instant | null
  readonly lastSuccessAt: Instant | null
  readonly lastFailureAt: Instant | null
}

export const untried: WebhookHealth = {
  consecutiveFailures: 0,
  failingSince: null,
  lastSuccessAt: null,
  lastFailureAt: null
}

/** The health after one attempt more. */
export const afterAttempt = (health: WebhookHealth, succeeded: boolean, now: Instant): WebhookHealth =>
  succeeded
    ? { consecutiveFailures: 0, failingSince: null, lastSuccessAt: now, lastFailureAt: health.lastFailureAt }
    : {
        consecutiveFailures: health.consecutiveFailures + 1,
        failingSince: health.failingSince ?? now,
        lastSuccessAt: health.lastSuccessAt,
        lastFailureAt: now
      }

/** The health of a webhook that is enabled again: its failures count anew. */
export const forgiven = (health: WebhookHealth): WebhookHealth => ({
  ...health,
  consecutiveFailures: 0,
  failingSince: null
})

const failuresMax = 50
const failingMaxMillis = 24 * 3_600_000

/** Whether nobody can be thought to listen: 50 failures in a row, and 24 hours of failing (DECISIONS.md#webhooks). */
export const isGivenUp = ({ consecutiveFailures, failingSince }: WebhookHealth, now: Instant): boolean =>
  consecutiveFailures >= failuresMax && failingSince !== null && now - failingSince >= failingMaxMillis
