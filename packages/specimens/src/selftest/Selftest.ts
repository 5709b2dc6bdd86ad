import type { KillMatrix } from "@wcs/conformance/evidence/KillMatrix"
import { Effect } from "effect"
import type { Mutant } from "../Mutant.ts"
import { ours, type Specimen } from "../Specimen.ts"
import type { Variant } from "../Variant.ts"
import { coverage, deviations, holesIn, isSeenByWaiting, overreaches } from "./Matrix.ts"
import { findingsAbout } from "./Threads.ts"
import { groupsOf } from "./Together.ts"

/** The result of judging specimens. */
export interface Outcome {
  readonly matrix: KillMatrix
  /** One sentence for each problem. */
  readonly complaints: ReadonlyArray<string>
}

const alone = (specimen: Specimen): ReadonlyArray<Specimen> => [specimen]

const record = ({ alsoKills = [], kills, name }: Mutant) => ({ name, kills, alsoKills })

/** The order of judging: slow specimens first, so that none delays the end. */
const inOrder = (
  mutants: ReadonlyArray<Mutant>,
  variants: ReadonlyArray<Variant>
): ReadonlyArray<ReadonlyArray<string>> =>
  [
    ...mutants.filter(isSeenByWaiting).map(alone),
    ...(variants.length === 0 ? [] : [[ours], ...groupsOf(variants)]),
    ...mutants.filter((mutant) => !isSeenByWaiting(mutant)).map(alone)
  ].map((group) => group.map(({ name }) => name))

/**
 * Judges mutants by the walks of their rules, and variants by every walk. A mutant must fail exactly its own rules, for
 * its own reasons. A variant must not fail. Each rule needs a mutant. Needs listed
 * specimens, because threads find them by name.
 */
export const selftest = Effect.fn("Selftest.selftest")(function* (
  mutants: ReadonlyArray<Mutant>,
  variants: ReadonlyArray<Variant>
) {
  const found = yield* findingsAbout(inOrder(mutants, variants))
  const about = ({ name }: Specimen) => found.get(name)?.findings ?? []
  const covered = coverage(about(ours), found.get(ours.name)?.profile)
  const outcome: Outcome = {
    matrix: {
      mutants: mutants.map(record),
      variants: variants.map(({ name }) => name),
      places: covered.map(({ of, probed, rule }) => ({ rule, probed, of }))
    },
    complaints: [
      ...variants.flatMap((variant) => overreaches(variant, about(variant), about(ours))),
      ...mutants.flatMap((mutant) => deviations(mutant, about(mutant))),
      ...holesIn(mutants).map((rule) => `${rule}: no mutant breaks it, so nothing shows that it can fail`),
      ...covered.flatMap(({ missing, rule }) => missing.map((place) => `${rule}: not judged at ${place}`))
    ]
  }
  return outcome
})
