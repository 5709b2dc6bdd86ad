import type { RuleId } from "@wcs/conformance/catalogue/Catalogue"
import { type Specimen, seams } from "./Specimen.ts"

/** A correct deployment that differs where the specification is silent. */
export interface Variant extends Specimen {
  /** The rules and silences that leave room for the difference. */
  readonly about: readonly [RuleId, ...ReadonlyArray<RuleId>]
  /** Its profile offers less than ours, which could hide other differences: it is judged alone. */
  readonly offersLess?: true
}

/** Starts a row: `variant("pages-of-ten", ["SIL-11"]).requests(…)`. */
export const variant = (name: string, about: Variant["about"], more: Pick<Variant, "offersLess"> = {}) =>
  seams((changes): Variant => ({ name, about, ...changes, ...more }))
