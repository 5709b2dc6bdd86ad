import type { RuleId } from "@wcs/conformance/catalogue/Catalogue"
import { type Specimen, seams } from "./Specimen.ts"

/** A correct deployment that differs where the specification is silent. */
export interface Variant extends Specimen {
  /** The rules and silences that leave room for the difference. */
  readonly about: readonly [RuleId, ...ReadonlyArray<RuleId>]
  /**
   * The part of its profile that offers less than ours. It could hide other differences, so the variant is judged only
   * beside variants that offer less in other parts.
   */
  readonly offersLess?: "owners" | "further groups" | "tokens" | "legacy surface"
  /** Its answers differ only in time, so the self-test cannot notice whether it has an effect. */
  readonly changesOnlyTime?: true
}

/** Starts a row: `variant("pages-of-ten", ["SIL-11"]).requests(…)`. */
export const variant = (
  name: string,
  about: Variant["about"],
  more: Pick<Variant, "offersLess" | "changesOnlyTime"> = {}
) => seams((changes): Variant => ({ name, about, ...changes, ...more }))
