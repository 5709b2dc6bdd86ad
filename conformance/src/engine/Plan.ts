import { ruleOf } from "../catalogue/Catalogue.ts"
import type { Walk } from "../judgement/Walk.ts"
import { alternatives, type Need, needs } from "../profile/Need.ts"
import type { Profile } from "../profile/Profile.ts"
import { type Choice, chooseAll, unmetNeeds } from "./Selection.ts"

/** The plan for one walk. */
export interface PlannedWalk {
  readonly walk: Walk
  readonly choice: Choice
}

/** A need that the profile does not meet, the blocked rules, and alternative lines that would meet it. */
export interface Unmet {
  readonly need: string
  readonly text: string
  readonly lines: ReadonlyArray<string>
  readonly rules: ReadonlyArray<string>
}

/** The plan of a run. */
export interface Plan {
  readonly walks: ReadonlyArray<PlannedWalk>
  readonly unmet: ReadonlyArray<Unmet>
}

const known: Readonly<Record<string, Need>> = needs

/** The needs of a walk with its rules, and those of single rules. */
const needing = ({ alsoNeeds = {}, judges, needs: own }: Walk) => [
  { judges: judges as ReadonlyArray<string>, own },
  ...Object.entries(alsoNeeds).map(([rule, needs]) => ({ judges: [rule], own: needs }))
]

const unmetOf = (walks: ReadonlyArray<Walk>, profile: Profile): ReadonlyArray<Unmet> => {
  const rules = new Map<string, Set<string>>()
  for (const { judges, own } of walks.flatMap(needing)) {
    for (const need of unmetNeeds({ needs: own }, profile)) {
      if (profile.notOffered?.includes(need) === true) continue
      const kept = rules.get(need) ?? new Set()
      for (const rule of judges) if (ruleOf(rule)?.judged !== "observation") kept.add(rule)
      rules.set(need, kept)
    }
  }
  return [...rules].map(([need, kept]) => ({
    need,
    text: known[need]?.text ?? need,
    lines: known[need]?.lines ?? [],
    rules: [...kept].sort()
  }))
}

/** Returns the plan of a run, and what would unlock the other walks. */
export const planOf = (walks: ReadonlyArray<Walk>, profile: Profile): Plan => ({
  walks: [...chooseAll(walks, profile)].map(([walk, choice]) => ({ walk, choice })),
  unmet: unmetOf(walks, profile)
})

/** Formats the missing lines of a profile: each need, the rules that it unlocks, and the lines or alternatives. */
export const unlockLines = (unmet: ReadonlyArray<Unmet>): ReadonlyArray<string> =>
  unmet.flatMap(({ lines, need, rules, text }) => [
    `${need}: ${text}; unlocks ${rules.join(" ")}`,
    ...alternatives(lines).map((line) => `    ${line}`)
  ])
