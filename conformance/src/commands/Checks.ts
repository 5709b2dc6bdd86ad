import { recordedMatrix } from "../release/KillMatrix.ts"
import type { Checks } from "../report/Explain.ts"
import { exchangeRules, walks } from "../walks/Walks.ts"

/** The checks of this release, and the mutants that they find if the kill matrix is there. */
export const checks = (): Checks => ({
  walks,
  exchangeRules,
  mutants: (recordedMatrix()?.mutants ?? []).map(({ kills, name }) => ({ name, kills: kills.map(({ rule }) => rule) }))
})
