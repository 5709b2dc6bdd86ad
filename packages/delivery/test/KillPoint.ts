/** The steps of a worker at which it can be killed: before or after each. */
export const steps = ["conclude", "fanOut", "readDue", "send", "settle"] as const
export type Step = (typeof steps)[number]

export interface KillPoint {
  readonly step: Step
  readonly when: "before" | "after"
  /** On which visit of the step, from 1. */
  readonly number: number
}

/** The arguments of the worker's process. */
export interface Orders {
  readonly database: string
  /** None: the worker runs until it is told to stop. */
  readonly kill: KillPoint | null
}
