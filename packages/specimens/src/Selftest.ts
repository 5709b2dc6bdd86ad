import type { KillMatrix } from "@wcs/conformance/KillMatrix"
import { Effect } from "effect"
import { exhausts, findingsOf, judge } from "./Judging.ts"
import { deviations, holesIn, overreaches, rulesFor } from "./Matrix.ts"
import type { Mutant } from "./Mutant.ts"
import type { Specimen } from "./Specimen.ts"
import * as Specimens from "./Specimens.ts"

/** Specimens under judgement at a time: they wait for their rate limits, not for the processor. */
const concurrency = 8

/** What came of letting the suite loose on specimens. */
export interface Outcome {
  readonly matrix: KillMatrix
  /** All that is not as it should be, one sentence each. */
  readonly complaints: ReadonlyArray<string>
}

const record = ({ alsoKills = [], kills, name }: Mutant) => ({ name, kills, alsoKills })

/**
 * Judges every mutant, by the walks of the rules that it was made to break, and every variant, by all of them: each
 * mutant has to fail by its own rules for its own reasons and no others, on a variant nothing may fail, and no rule may
 * be without a mutant.
 */
export const selftest = Effect.fn("Selftest.selftest")(function* (
  mutants: ReadonlyArray<Mutant>,
  variants: ReadonlyArray<Specimen>
) {
  const start = yield* Specimens.make
  const examine = Effect.fnUntraced(function* (mutant: Mutant) {
    const rules = rulesFor(mutant)
    return deviations(mutant, findingsOf(yield* judge(yield* start(mutant, exhausts(rules)), rules)))
  }, Effect.scoped)
  const all = Effect.fnUntraced(function* (specimen: Specimen) {
    return findingsOf(yield* judge(yield* start(specimen, exhausts())))
  }, Effect.scoped)
  const ours = yield* Effect.cached(all({ name: "ours" }))
  const spare = Effect.fnUntraced(function* (variant: Specimen) {
    return overreaches(variant, yield* all(variant), yield* ours)
  })
  const complaints = yield* Effect.forEach([...variants.map(spare), ...mutants.map(examine)], (judged) => judged, {
    concurrency
  })
  const outcome: Outcome = {
    matrix: { mutants: mutants.map(record), variants: variants.map(({ name }) => name) },
    complaints: [
      ...complaints.flat(),
      ...holesIn(mutants).map((rule) => `${rule}: no mutant breaks it, so nothing shows that it can fail`)
    ]
  }
  return outcome
}, Effect.scoped)
