import type { Instant } from "../shared/Instant.ts"

/**
 * Delivery health of a webhook. It is stored apart from the webhook, so attempts do not change the webhook's version.
 */
export interface WebhookHealth {
  /** Failed attempts since the last success. */
  readonly consecutiveFailures: number
  /** Time of the first of those failures; null when there is none. */
  readonly failingSince: Instant | null
  readonly lastSuccessAt: Instant | null
  readonly lastFailureAt: Instant | null
  /** Why the last failed attempt failed: `failureOf` its attempt. Null before the first. */
  readonly lastFailure: string | null
}

/** The health before any attempt. */
export const initialHealth: WebhookHealth = {
  consecutiveFailures: 0,
  failingSince: null,
  lastSuccessAt: null,
  lastFailureAt: null,
  lastFailure: null
}

/** Whether the webhook has had an attempt. */
export const isAttempted = ({ lastFailureAt, lastSuccessAt }: WebhookHealth): boolean =>
  lastFailureAt !== null || lastSuccessAt !== null

/** The health after one more attempt. `failure`: why it failed; null if it succeeded. */
export const afterAttempt = (health: WebhookHealth, failure: string | null, now: Instant): WebhookHealth =>
  failure === null
    ? { ...health, consecutiveFailures: 0, failingSince: null, lastSuccessAt: now }
    : {
        ...health,
        consecutiveFailures: health.consecutiveFailures + 1,
        failingSince: health.failingSince ?? now,
        lastFailureAt: now,
        lastFailure: failure
      }

/** The health after the webhook is enabled again: its failure count restarts. */
export const forgiven = (health: WebhookHealth): WebhookHealth => ({
  ...health,
  consecutiveFailures: 0,
  failingSince: null
})

const failuresMax = 50
const failingMaxMillis = 24 * 3_600_000

/** Whether to disable the webhook: 50 failures in a row over at least 24 hours (DECISIONS.md#webhooks). */
export const isGivenUp = ({ consecutiveFailures, failingSince }: WebhookHealth, now: Instant): boolean =>
  consecutiveFailures >= failuresMax && failingSince !== null && now - failingSince >= failingMaxMillis
