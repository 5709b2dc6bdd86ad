import { unmetNeeds } from "@wcs/conformance/engine/Selection"
import type { Finding } from "@wcs/conformance/judgement/Finding"
import { rulesOf, type Walk } from "@wcs/conformance/judgement/Walk"
import type { Profile } from "@wcs/conformance/profile/Profile"
import { exchangeRules, walks } from "@wcs/conformance/walks/Walks"
import { Effect } from "effect"
import { hitOf } from "../faults/Hits.ts"
import { type Fault, killBy } from "../faults/Rows.ts"
import { routes } from "../server/Routes.ts"
import type { Hub } from "../target/Hub.ts"
import { start } from "../target/Start.ts"
import { type Asked, findingsOf, judgeBy } from "../target/Target.ts"

/** The findings of the suite on a server with one fault. */
export interface Verdict {
  readonly name: string
  /** Found as the row expects, found by another rule or kind of difference, or not found. */
  readonly as: "expected" | "otherwise" | "survivor"
  /** The rules that fail, each with the kinds of its differences: `OWN-04 status`. */
  readonly failing: ReadonlyArray<string>
  /** The number of walks that came to the place of the fault. */
  readonly walks: number
  /** Further findings of a survivor: warnings and rules that were not judged. */
  readonly beside: ReadonlyArray<string>
  /** Defects of the suite: rules whose check failed instead of giving a result. */
  readonly errors: ReadonlyArray<string>
}

const isIll = ({ outcome }: Finding): boolean => ["warn", "blocked", "inconclusive", "error"].includes(outcome)

/** The walks of the rule, then the three others with the fewest requests, then the rest. */
const inThree = (fault: Fault, reaching: ReadonlyArray<Walk>, requests: ReadonlyMap<string, number>) => {
  const isOwn = (walk: Walk) => rulesOf(walk).includes(fault.rule)
  const small = reaching.toSorted((one, other) => (requests.get(one.name) ?? 0) - (requests.get(other.name) ?? 0))
  const others = small.filter((walk) => !isOwn(walk))
  return [small.filter(isOwn), others.slice(0, 3), others.slice(3)] as const
}

const unique = (texts: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(texts)]

const failingIn = (findings: ReadonlyArray<Finding>): ReadonlyArray<string> =>
  unique(
    findings.flatMap(({ differences, outcome, rule }) =>
      outcome === "fail" ? differences.map(({ kind }) => `${rule} ${kind}`) : []
    )
  )

/** Sums up the findings on a server with a fault. */
export const verdictOf = (fault: Fault, findings: ReadonlyArray<Finding>, reaching: number): Verdict => {
  const failing = failingIn(findings)
  const isExpected = failing.includes(killBy(fault))
  // rules about every exchange are often blocked by the small number of walks
  const beside = findings.filter((finding) => isIll(finding) && finding.walk !== "every exchange")
  const errors = findings.filter(({ outcome }) => outcome === "error")
  return {
    name: fault.name,
    as: isExpected ? "expected" : failing.length > 0 ? "otherwise" : "survivor",
    failing,
    walks: reaching,
    beside: failing.length > 0 ? [] : unique(beside.map(({ outcome, rule }) => `${outcome} ${rule}`)),
    errors: unique(errors.map(({ reason, rule }) => `${rule}: ${reason}`))
  }
}

const withoutGroup = (profile: Profile, name: string): Profile => {
  const { [name]: _, ...groups } = profile.groups ?? {}
  return { ...profile, groups }
}

/**
 * The profile without the groups that neither the walk nor the endpoint of the fault needs, so that sweeps are short. An
 * operator of the server may write it, so what fails here fails rightly.
 */
const narrowedTo = (profile: Profile, walk: Walk, { place: { endpoint } }: Fault): Profile => {
  const type = routes.find((route) => route.endpoint === endpoint)?.type ?? ""
  const own = profile.groups?.[type]
  if (own === undefined) return profile
  const isOther = (name: string) => name !== type && !JSON.stringify(own).includes(`{{${name}}}`)
  return Object.keys(profile.groups ?? {})
    .filter(isOther)
    .reduce((left, name) => {
      const fewer = withoutGroup(left, name)
      return unmetNeeds(walk, fewer).length > 0 ? left : fewer
    }, profile)
}

const isAboutExchanges = ({ rule }: Fault): boolean => exchangeRules.some((one) => one.rule === rule)

/**
 * Judges a server with one fault. First each walk that comes to its place judges its rule alone, the smallest first: most
 * faults are found so, by few calls. Otherwise all these walks judge every rule, until the rule fails as expected. If no
 * rule fails and these walks alone cannot judge the rule, all walks are made.
 */
export const verdictOn = Effect.fn("Verdict.verdictOn")(function* (
  hub: Hub,
  fault: Fault,
  names: ReadonlyArray<string>,
  requests: ReadonlyMap<string, number>
) {
  const reaching = walks.filter(({ name }) => names.includes(name))
  const judged = Effect.fnUntraced(function* (made: ReadonlyArray<Walk>) {
    return findingsOf(yield* judgeBy(yield* start(hub, hitOf(fault)), made))
  }, Effect.scoped)
  const judgedAlone = Effect.fnUntraced(function* (walk: Walk, asked: Asked) {
    const target = yield* start(hub, hitOf(fault))
    const profile = narrowedTo(target.profile, walk, fault)
    return findingsOf(yield* judgeBy({ ...target, profile }, [walk], asked))
  }, Effect.scoped)
  const [own, ...others] = inThree(fault, reaching, requests)
  const alone = new Set([fault.rule])
  for (const walk of isAboutExchanges(fault) ? [own, ...others].flat() : own) {
    const asked = own.includes(walk) ? { only: alone, everywhere: alone } : { everywhere: alone }
    const verdict = verdictOf(fault, yield* judgedAlone(walk, asked), names.length)
    if (verdict.as === "expected") return verdict
  }
  let findings: ReadonlyArray<Finding> = []
  for (const made of [own, ...others]) {
    if (made.length > 0) findings = [...findings, ...(yield* judged(made))]
    const verdict = verdictOf(fault, findings, names.length)
    if (verdict.as === "expected") return verdict
  }
  const isOpen = failingIn(findings).length === 0 && findings.some((one) => isIll(one) && one.rule === fault.rule)
  return verdictOf(fault, isOpen ? yield* judged(walks) : findings, names.length)
})
