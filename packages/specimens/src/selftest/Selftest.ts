import type { KillMatrix } from "@wcs/conformance/evidence/KillMatrix"
import { Effect } from "effect"
import type { Mutant } from "../Mutant.ts"
import { ours, type Specimen } from "../Specimen.ts"
import { deviations, holesIn, isSeenByWaiting, overreaches } from "./Matrix.ts"
import { findingsAbout } from "./Threads.ts"

/** What came of letting the suite loose on specimens. */
export interface Outcome {
  readonly matrix: KillMatrix
  /** All that is not as it should be, one sentence each. */
  readonly complaints: ReadonlyArray<string>
}

const record = ({ alsoKills = [], kills, name }: Mutant) => ({ name, kills, alsoKills })

/** In the order in which they are begun: what waits first, so that nothing has to be waited for in the end. */
const inOrder = (mutants: ReadonlyArray<Mutant>, variants: ReadonlyArray<Specimen>): ReadonlyArray<string> =>
  [
    ...mutants.filter(isSeenByWaiting),
    ...(variants.length === 0 ? [] : [ours, ...variants]),
    ...mutants.filter((mutant) => !isSeenByWaiting(mutant))
  ].map(({ name }) => name)

/**
 * Judges every mutant, by the walks of the rules that it was made to break, and every variant, by all that may find
 * something else on it than on ours: each mutant has to fail by its own rules for its own reasons and no others, on a
 * variant nothing may fail, and no rule may be without a mutant. They are specimens that are listed: threads of their own
 * know them by their names.
 */
export const selftest = Effect.fn("Selftest.selftest")(function* (
  mutants: ReadonlyArray<Mutant>,
  variants: ReadonlyArray<Specimen>
) {
  const found = yield* findingsAbout(inOrder(mutants, variants))
  const about = ({ name }: Specimen) => found.get(name) ?? []
  const outcome: Outcome = {
    matrix: { mutants: mutants.map(record), variants: variants.map(({ name }) => name) },
    complaints: [
      ...variants.flatMap((variant) => overreaches(variant, about(variant), about(ours))),
      ...mutants.flatMap((mutant) => deviations(mutant, about(mutant))),
      ...holesIn(mutants).map((rule) => `${rule}: no mutant breaks it, so nothing shows that it can fail`)
    ]
  }
  return outcome
})
