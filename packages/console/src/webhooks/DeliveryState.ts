import type { Item } from "../calls/Contract.ts"

type State = Item<"GET /webhooks/:id/deliveries">["state"]

/** The label of a delivery's state. */
export const stateWords: Readonly<Record<State, string>> = {
  PENDING: "waiting",
  DELIVERED: "delivered",
  FAILED_RETRYABLE: "failed, will retry",
  EXHAUSTED: "failed, given up",
  SKIPPED_DISABLED: "skipped, webhook disabled"
}
