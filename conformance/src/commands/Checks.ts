import { recordedMatrix } from "../release/KillMatrix.ts"
import type { Checks } from "../report/Explain.ts"
import { exchangeRules, walks } from "../walks/Walks.ts"

/** The checks of this release, and the faults that they find if the kill matrix is there. */
export const checks = (): Checks => ({
  walks,
  exchangeRules,
  faults: (recordedMatrix()?.kills ?? []).map(({ fault, rule }) => ({ name: fault, rule }))
})
