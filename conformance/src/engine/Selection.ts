import type { Walk } from "../judgement/Walk.ts"
import { type Impact, impacts } from "../profile/Impact.ts"
import { limitsOf } from "../profile/Limits.ts"
import { type Need, needs } from "../profile/Need.ts"
import type { Profile } from "../profile/Profile.ts"
import { recordedCounts } from "../release/Counts.ts"
import { affordable } from "./Budget.ts"

/** Whether a walk runs, and the reason if not. */
export type Choice =
  | { readonly as: "made" }
  | {
      readonly as: "blocked"
      readonly reason: string
      readonly lacks: ReadonlyArray<string>
      /** The blocked rules; default: all of the walk. */
      readonly only?: ReadonlyArray<string>
    }
  | { readonly as: "not-applicable"; readonly reason: string; readonly lacks: ReadonlyArray<string> }

const isWithin = (impact: Impact, ceiling: Impact): boolean => impacts.indexOf(impact) <= impacts.indexOf(ceiling)

const known: Readonly<Record<string, Need>> = needs

/** Returns the needs of a walk that the profile does not meet. */
export const unmetNeeds = (walk: Pick<Walk, "needs">, profile: Profile): ReadonlyArray<string> =>
  walk.needs.filter((name) => known[name]?.isMet(profile) !== true)

/** Returns the consequence of unmet needs. Only a need that is not declared as not offered blocks. */
export const chooseByNeeds = (
  needing: Pick<Walk, "needs">,
  profile: Profile
): Exclude<Choice, { readonly as: "made" }> | undefined => {
  const unmet = unmetNeeds(needing, profile)
  const notOffered = unmet.filter((name) => profile.notOffered?.includes(name) === true)
  if (notOffered.length > 0) {
    return { as: "not-applicable", reason: `not offered: ${notOffered.join(", ")}`, lacks: notOffered }
  }
  return unmet.length > 0 ? { as: "blocked", reason: `needs ${unmet.join(", ")}`, lacks: unmet } : undefined
}

/** The entry in `lacks` of rules beyond the ceiling. */
export const ceilingLack = (impact: Impact): string => `the ceiling ${impact}`

/** Whether the profile and the ceiling allow a walk. */
export const choose = (walk: Walk<string>, profile: Profile, ceiling: Impact): Choice => {
  const lacking = chooseByNeeds(walk, profile)
  if (lacking !== undefined) return lacking
  if (!isWithin(walk.impact, ceiling)) {
    const needed = ceilingLack(walk.impact)
    return { as: "blocked", reason: `needs ${needed}; the profile allows ${ceiling}`, lacks: [needed] }
  }
  return { as: "made" }
}

/** The entry in `lacks` of rules that the run's budget leaves out. */
export const budgetLack = "a larger budget"

/** The entry in `lacks` of rules that the run's requests did not suffice for. */
export const requestsLack = "more requests"

/** The entry in `lacks` of rules that the run's time limit left open. */
export const timeLack = "more time"

/**
 * Whether the profile, the ceiling and the budget allow each walk. A walk beyond the budget leaves those of its rules
 * open that no other walk judges.
 */
export const chooseAll = <W extends Walk<string>>(
  walks: ReadonlyArray<W>,
  profile: Profile
): ReadonlyMap<W, Choice> => {
  const { budget, ceiling } = limitsOf(profile)
  const choices = new Map(walks.map((walk) => [walk, choose(walk, profile, ceiling)]))
  if (budget === undefined) return choices
  const allowed = walks.filter((walk) => choices.get(walk)?.as === "made")
  const chosen = affordable(allowed, budget, recordedCounts().requests)
  const judged = new Set([...chosen].flatMap(({ judges }) => judges))
  for (const walk of allowed) {
    if (chosen.has(walk)) continue
    const beyond = walk.judges.filter((rule) => !judged.has(rule))
    choices.set(walk, {
      as: "blocked",
      reason: `needs ${budgetLack}; this run has ${budget} requests`,
      lacks: [budgetLack],
      only: beyond
    })
  }
  return choices
}
