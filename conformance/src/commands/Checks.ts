import { recorded } from "../evidence/KillMatrix.ts"
import type { Checks } from "../report/Explain.ts"
import { exchangeRules, walks } from "../Walks.ts"

/** The checks of this release, and the mutants that they find. */
export const checks = (): Checks => ({
  walks,
  exchangeRules,
  mutants: recorded().mutants.map(({ kills, name }) => ({ name, kills: kills.map(({ rule }) => rule) }))
})
