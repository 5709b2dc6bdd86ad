import { recorded } from "../evidence/KillMatrix.ts"
import type { Checks } from "../report/Explain.ts"
import { exchangeRules, walks } from "../Walks.ts"

/** What judges the rules in this release, and what was seen to break them. */
export const checks = (): Checks => ({
  walks,
  exchangeRules,
  mutants: recorded().mutants.map(({ kills, name }) => ({ name, kills: kills.map(({ rule }) => rule) }))
})
