import type { Finding } from "@wcs/conformance/judgement/Finding"
import { rulesOf, type Walk } from "@wcs/conformance/judgement/Walk"
import { walks } from "@wcs/conformance/walks/Walks"
import { Effect } from "effect"
import type { Hub } from "../../Hub.ts"
import { findingsOf, judgeBy } from "../../selftest/Judging.ts"
import type { Fault } from "../faults/Rows.ts"
import { start } from "../Stranger.ts"
import { hitOf } from "./Reached.ts"

/** The findings of the suite on a server with one fault. */
export interface Verdict {
  readonly name: string
  /** The rules that fail; none if the fault survives. */
  readonly failing: ReadonlyArray<string>
  /** The number of walks that came to the place of the fault. */
  readonly walks: number
  /** Further findings of a survivor: warnings and rules that were not judged. */
  readonly beside: ReadonlyArray<string>
}

const isIll = ({ outcome }: Finding): boolean => ["warn", "blocked", "inconclusive", "error"].includes(outcome)

/** The most likely walks first: those of the rule, and the three with the fewest requests. */
const inTwo = (fault: Fault, reaching: ReadonlyArray<Walk>, requests: ReadonlyMap<string, number>) => {
  const small = reaching.toSorted((one, other) => (requests.get(one.name) ?? 0) - (requests.get(other.name) ?? 0))
  const likely = new Set([...reaching.filter((walk) => rulesOf(walk).includes(fault.rule)), ...small.slice(0, 3)])
  return [reaching.filter((walk) => likely.has(walk)), reaching.filter((walk) => !likely.has(walk))] as const
}

/**
 * Judges a server with one fault by the walks that come to its place, until a rule fails. If these walks alone cannot
 * judge the rule, all walks are made.
 */
export const verdictOn = Effect.fn("Verdict.verdictOn")(function* (
  hub: Hub,
  fault: Fault,
  names: ReadonlyArray<string>,
  requests: ReadonlyMap<string, number>
) {
  const reaching = walks.filter(({ name }) => names.includes(name))
  const judged = (made: ReadonlyArray<Walk>) =>
    Effect.scoped(Effect.flatMap(start(hub, hitOf(fault)), (target) => Effect.map(judgeBy(target, made), findingsOf)))
  let beside: ReadonlyArray<Finding> = []
  for (const made of [...inTwo(fault, reaching, requests), walks]) {
    const isLast = made === walks
    if (made.length === 0 || (isLast && !beside.some(({ rule }) => rule === fault.rule))) continue
    const findings = yield* judged(made)
    const failing = [...new Set(findings.filter(({ outcome }) => outcome === "fail").map(({ rule }) => rule))]
    if (failing.length > 0) return { name: fault.name, failing, walks: names.length, beside: [] } satisfies Verdict
    beside = isLast ? findings.filter(isIll) : [...beside, ...findings.filter(isIll)]
  }
  // rules about every exchange are often blocked by the small number of walks
  const own = beside.filter(({ walk }) => walk !== "every exchange")
  const told = [...new Set(own.map(({ outcome, rule }) => `${outcome} ${rule}`))]
  return { name: fault.name, failing: [], walks: names.length, beside: told } satisfies Verdict
})
