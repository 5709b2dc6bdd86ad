import type { TaskMeta } from "vitest"

/** The figures of a scenario. `npm run faults` prints them as one row of its table. */
export interface Figures {
  scenario: string
  requests: number
  /** The injected faults, such as kills or hostile requests. */
  faults: number
  /** The faults after which every rule held. */
  survived: number
  /** Acknowledged writes that are gone, and broken rules. */
  lost: number
  notes: string
}

declare module "vitest" {
  interface TaskMeta {
    faults?: Figures
  }
}

/** Starts the figures of a test. Vitest passes them to the report with the result of the test. */
export const figuresOf = ({ task }: { readonly task: { readonly meta: TaskMeta } }, scenario: string): Figures => {
  const figures = { scenario, requests: 0, faults: 0, survived: 0, lost: 0, notes: "" }
  task.meta.faults = figures
  return figures
}
