/** The steps of a worker at which it can be killed, and when in each: what it passes on its way to a delivery. */
export const steps = ["conclude", "fanOut", "claim", "send", "settle"] as const
export type Step = (typeof steps)[number]

export interface KillPoint {
  readonly step: Step
  readonly when: "before" | "after"
  /** At which time that it comes there, from 1. */
  readonly number: number
}

/** What the worker's process is told. */
export interface Orders {
  readonly database: string
  /** None: it works until it is told to stop. */
  readonly kill: KillPoint | null
}
