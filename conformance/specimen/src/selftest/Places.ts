import { catalogue, type RuleId } from "@wcs/conformance/catalogue/Catalogue"
import type { Finding } from "@wcs/conformance/judgement/Finding"
import { type Coverage, coverageOf } from "@wcs/conformance/places/Coverage"
import { rulesWithPlaces } from "@wcs/conformance/places/Places"
import type { Profile } from "@wcs/conformance/profile/Profile"
import { exchangeRules, walks } from "@wcs/conformance/walks/Walks"
import type { Kill, Mutant } from "../Mutant.ts"
import type { Specimen } from "../Specimen.ts"

/** The rules that the suite judges. Each needs a mutant. */
export const judgedRules: ReadonlyArray<RuleId> = catalogue
  .filter(({ judged }) => judged !== "observation" && judged !== "elsewhere")
  .map(({ id }) => id)
  .filter((id) => walks.some(({ judges }) => judges.includes(id)) || exchangeRules.some(({ rule }) => rule === id))

/** The rules whose walks are made against a mutant. */
export const rulesFor = ({ alsoKills = [], kills, seenBy = [] }: Mutant): ReadonlySet<RuleId> =>
  new Set([...kills.map(({ rule }) => rule), ...alsoKills, ...seenBy])

/**
 * Whether the defect may show only after a wait: for a delivery that is missing after the whole timeout, or for the next
 * code of a second factor (RFC 6238: 30 s).
 */
export const isSeenByWaiting = ({ kills }: Mutant): boolean =>
  kills.some(
    ({ at, kind, rule }) => rule === "AUT-17" || (kind === "missing" && ["delivery", "body or headers"].includes(at))
  )

const isFor = (finding: Finding, { at, kind, rule }: Kill): boolean =>
  finding.rule === rule &&
  finding.outcome === "fail" &&
  finding.differences.some((difference) => difference.kind === kind && difference.at === at)

const reasonsIn = (findings: ReadonlyArray<Finding>, rule: RuleId): string =>
  findings
    .filter((finding) => finding.rule === rule)
    .map(({ differences, outcome, reason }) =>
      [outcome, reason, ...differences.map(({ at, kind }) => `${kind} at ${at}`)]
        .filter((part) => part !== undefined)
        .join(" ")
    )
    .join("; ") || "nothing"

/** The deviations of a mutant's findings from its expected ones, one sentence each. */
export const deviations = (mutant: Mutant, findings: ReadonlyArray<Finding>): ReadonlyArray<string> => {
  const { alsoKills = [], kills, name } = mutant
  const failures = findings.filter(({ outcome }) => outcome === "fail")
  const failing = new Set(failures.map(({ rule }) => rule))
  const expected = new Set<RuleId>([...kills.map(({ rule }) => rule), ...alsoKills])
  const faults = findings.filter(({ outcome }) => outcome === "error")
  return [
    ...kills
      .filter((kill) => !findings.some((finding) => isFor(finding, kill)))
      .map(
        ({ at, kind, rule }) => `${name}: ${rule} should fail by ${kind} at ${at}, found ${reasonsIn(findings, rule)}`
      ),
    ...alsoKills.filter((rule) => !failing.has(rule)).map((rule) => `${name}: ${rule} survives`),
    ...[...failing]
      .filter((rule) => !expected.has(rule))
      .map((rule) => `${name}: ${rule} fails too: ${reasonsIn(failures, rule)}`),
    ...faults.map(({ reason, rule }) => `${name}: the suite failed at ${rule}: ${reason}`)
  ]
}

const isIll = ({ outcome }: Finding): boolean => ["fail", "warn", "error", "blocked", "inconclusive"].includes(outcome)

const complaintOf = ({ outcome, rule }: Finding): string => `${rule} ${outcome}`

/** The failures, warnings and blocked rules on a variant that ours does not have, one sentence each. */
export const overreaches = (
  { name }: Specimen,
  findings: ReadonlyArray<Finding>,
  ours: ReadonlyArray<Finding>
): ReadonlyArray<string> => {
  const known = new Set(ours.filter(isIll).map(complaintOf))
  const rules = new Set(
    findings.filter((finding) => isIll(finding) && !known.has(complaintOf(finding))).map(({ rule }) => rule)
  )
  return [...rules].map((rule) => `${name}: ${rule} should pass: ${reasonsIn(findings, rule)}`)
}

/** The rules that pass on ours and on no walk of a deployment: it proves nothing about them. */
export const unjudged = (findings: ReadonlyArray<Finding>, ours: ReadonlyArray<Finding>): ReadonlyArray<RuleId> => {
  const passed = new Set(passing(findings))
  return passing(ours).filter((rule) => !passed.has(rule))
}

const passing = (findings: ReadonlyArray<Finding>): ReadonlyArray<RuleId> => [
  ...new Set(findings.filter(({ outcome }) => outcome === "pass").map(({ rule }) => rule))
]

/** The judged rules without a mutant. A rule that cannot fail must not ship. */
export const holesIn = (mutants: ReadonlyArray<Mutant>): ReadonlyArray<RuleId> => {
  const killed = new Set(mutants.flatMap(({ kills }) => kills.map(({ rule }) => rule)))
  return judgedRules.filter((rule) => !killed.has(rule))
}

/** The places at which each rule was judged on our deployment, of those that its profile offers. */
export const coverage = (
  findings: ReadonlyArray<Finding>,
  profile: Profile | undefined
): ReadonlyArray<Coverage & { readonly rule: RuleId }> =>
  profile === undefined
    ? []
    : rulesWithPlaces.flatMap((rule) => {
        const own = findings.filter((finding) => finding.rule === rule)
        const covered = coverageOf(rule, own, profile)
        return covered === undefined ? [] : [{ rule, ...covered }]
      })
