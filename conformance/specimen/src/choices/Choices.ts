import type { RuleId } from "@wcs/conformance/catalogue/Catalogue"

/** A way in which the second server differs where the specification is silent. */
export interface Choice {
  readonly name: string
  /** The rules and silences that leave room for it. */
  readonly about: ReadonlyArray<RuleId>
}

export const choices: ReadonlyArray<Choice> = []
