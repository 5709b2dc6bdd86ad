/** How much of a webhook is not delivered. Each number is at most `countedMax`, which means so many or more. */
export interface WebhookBacklog {
  /** Deliveries that wait for an attempt. */
  readonly waiting: number
  /** Deliveries that were given up. */
  readonly exhausted: number
}

/** A backlog of a webhook is counted up to this number, so that a large one does not slow down a list. */
export const countedMax = 1000
