import type { KillMatrix } from "@wcs/conformance/release/KillMatrix"
import { Effect } from "effect"
import type { Mutant } from "../Mutant.ts"
import { ours, type Specimen } from "../Specimen.ts"
import type { Variant } from "../Variant.ts"
import { matrixOf } from "./DeclaredMatrix.ts"
import { coverage, deviations, holesIn, isSeenByWaiting, overreaches, unjudged } from "./Matrix.ts"
import type { Found } from "./Thread.ts"
import { findingsAbout, jobName } from "./Threads.ts"
import { combined, groupsOf, judgedTogether } from "./Together.ts"

/** The result of judging specimens. */
export interface Outcome {
  readonly matrix: KillMatrix
  /** One sentence for each problem. */
  readonly complaints: ReadonlyArray<string>
}

const alone = (specimen: Specimen): ReadonlyArray<Specimen> => [specimen]

/** The order of judging: slow specimens first, so that none delays the end. */
const inOrder = (
  mutants: ReadonlyArray<Mutant>,
  groups: ReadonlyArray<ReadonlyArray<Variant>>
): ReadonlyArray<ReadonlyArray<Specimen>> => [
  ...mutants.filter(isSeenByWaiting).map(alone),
  ...(groups.length === 0 ? [] : [[ours], ...groups]),
  ...mutants.filter((mutant) => !isSeenByWaiting(mutant)).map(alone)
]

const namesOf = (specimens: ReadonlyArray<Specimen>): ReadonlyArray<string> => specimens.map(({ name }) => name)

const nothing: Omit<Found, "job"> = { findings: [], idle: [] }

/**
 * Whether a deployment of variants passes what ours passes, except where their profiles offer less, and each variant has
 * an effect.
 */
const isFineBeside =
  (known: Found["findings"]) =>
  (members: ReadonlyArray<Variant>, { findings, idle }: typeof nothing): boolean =>
    idle.length === 0 &&
    overreaches(combined(members), findings, known).length === 0 &&
    (unjudged(findings, known).length === 0 || members.some(({ offersLess }) => offersLess !== undefined))

/**
 * Judges mutants by the walks of their rules, and variants by every walk. A mutant must fail exactly its own rules, for
 * its own reasons. A variant must not fail, and must have an effect. Each rule needs a mutant. Needs listed specimens,
 * because threads find them by name.
 */
export const selftest = Effect.fn("Selftest.selftest")(function* (
  mutants: ReadonlyArray<Mutant>,
  variants: ReadonlyArray<Variant>
) {
  const groups = groupsOf(variants)
  const found = yield* findingsAbout(inOrder(mutants, groups).map(namesOf))
  const foundAbout = (...job: ReadonlyArray<Specimen>) => found.get(jobName(namesOf(job))) ?? nothing
  const about = (specimen: Specimen) => foundAbout(specimen).findings

  const judge = Effect.fnUntraced(function* (open: ReadonlyArray<ReadonlyArray<Variant>>) {
    const jobs = open.map(namesOf).filter((job) => !found.has(jobName(job)))
    if (jobs.length > 0) for (const [name, one] of yield* findingsAbout(jobs)) found.set(name, one)
    return open.map((members) => foundAbout(...members))
  })
  const ofVariants = yield* judgedTogether(groups, judge, isFineBeside(about(ours)))
  const covered = coverage(about(ours), found.get(ours.name)?.profile)
  const outcome: Outcome = {
    matrix: matrixOf(
      mutants,
      variants,
      covered.map(({ of, probed, rule }) => ({ rule, probed, of }))
    ),
    complaints: [
      ...variants.flatMap((variant) => {
        const { findings, idle } = ofVariants.get(variant.name) ?? nothing
        const unseen = idle.includes(variant.name) ? [`${variant.name}: has no effect on the run`] : []
        return [...overreaches(variant, findings, about(ours)), ...unseen]
      }),
      ...mutants.flatMap((mutant) => deviations(mutant, about(mutant))),
      ...holesIn(mutants).map((rule) => `${rule}: no mutant breaks it, so nothing shows that it can fail`),
      ...covered.flatMap(({ missing, rule }) => missing.map((place) => `${rule}: not judged at ${place}`))
    ]
  }
  return outcome
})
