import type { Item } from "../calls/Contract.ts"
import type { Tone } from "../widgets/Badge.tsx"

type State = Item<"GET /answers">["state"]

/** Each state in words. */
export const stateNames: ReadonlyArray<readonly [State, string]> = [
  ["WAITING", "waits for you"],
  ["APPROVING", "approval not finished"],
  ["APPROVED", "approved"],
  ["REJECTED", "rejected"]
]

export const tones: Readonly<Record<State, Tone>> = {
  WAITING: "wait",
  APPROVING: "wait",
  APPROVED: "good",
  REJECTED: "bad"
}
