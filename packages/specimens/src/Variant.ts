import type { RuleId } from "@wcs/conformance/catalogue/Catalogue"
import { type Specimen, seams } from "./Specimen.ts"

/** A correct deployment that differs where the specification is silent. */
export interface Variant extends Specimen {
  /** The rules and silences that leave room for the difference. */
  readonly about: readonly [RuleId, ...ReadonlyArray<RuleId>]
  /**
   * Its profile offers less than ours: the rules that are judged on ours and not on it, if any. It is judged beside few
   * others, whose differences it must not hide.
   */
  readonly offersLess?: ReadonlyArray<RuleId>
  /** Its answers differ only in time, so the self-test cannot notice whether it has an effect. */
  readonly changesOnlyTime?: true
}

/** Starts a row: `variant("pages-of-ten", ["SIL-11"]).requests(…)`. */
export const variant = (
  name: string,
  about: Variant["about"],
  more: Pick<Variant, "offersLess" | "changesOnlyTime"> = {}
) => seams((changes): Variant => ({ name, about, ...changes, ...more }))
