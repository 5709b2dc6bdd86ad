import { isRuleId } from "@wcs/conformance/catalogue/RuleIdSchema"
import { recordedCounts } from "@wcs/conformance/release/Counts"
import type { KillMatrix } from "@wcs/conformance/release/KillMatrix"
import type { Mutant } from "../Mutant.ts"
import { mutants } from "../Mutants.ts"
import type { Variant } from "../Variant.ts"
import { variants } from "../Variants.ts"

/** The matrix of specimens that the suite judges as their rows say. */
export const matrixOf = (
  judged: ReadonlyArray<Mutant>,
  accepted: ReadonlyArray<Variant>,
  places: KillMatrix["places"]
): KillMatrix => ({
  mutants: judged.map(({ alsoKills = [], kills, name }) => ({ name, kills, alsoKills })),
  variants: accepted.map(({ name }) => name),
  places
})

/** The matrix by the rows of all specimens and the recorded places. A self-test without complaints proves it. */
export const declaredMatrix = (): KillMatrix =>
  matrixOf(
    mutants,
    variants,
    Object.entries(recordedCounts().places).flatMap(([rule, of]) => (isRuleId(rule) ? [{ rule, probed: of, of }] : []))
  )
