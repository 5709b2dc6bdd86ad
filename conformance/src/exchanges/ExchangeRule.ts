import type { ExchangeRuleId } from "../catalogue/Catalogue.ts"
import type { Met } from "../engine/Expect.ts"
import type { NeedName } from "../profile/Need.ts"
import type { Exchange } from "../wire/Exchange.ts"

/** A rule that every exchange of a run is judged by, whatever it was made for. */
export interface ExchangeRule {
  readonly rule: ExchangeRuleId
  /** Whether the rule speaks about an exchange at all. */
  readonly appliesTo: (exchange: Exchange) => boolean
  /** Returns the differences in the exchanges that the rule applies to, in the order sent. `all` are those of the run. */
  readonly judge: (exchanges: ReadonlyArray<Exchange>, all: ReadonlyArray<Exchange>) => Met
  /** The profile entries without which its exchanges are not made; default: none. */
  readonly needs?: ReadonlyArray<NeedName>
  /** So many exchanges that it applies to it takes to judge it; one where it is left out. */
  readonly atLeast?: number
  /** What is said where it applies to fewer: nothing that was not seen is green. */
  readonly whenUnseen: "blocked" | "not-applicable"
}
