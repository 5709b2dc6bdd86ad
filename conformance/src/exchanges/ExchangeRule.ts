import type { JudgedRuleId } from "../catalogue/Catalogue.ts"
import type { Met } from "../judgement/Expect.ts"
import type { NeedName } from "../profile/Need.ts"
import type { Profile } from "../profile/Profile.ts"
import type { Exchange } from "../wire/Exchange.ts"

/** A rule that applies to exchanges of every walk. */
export interface ExchangeRule<Id extends string = JudgedRuleId> {
  readonly rule: Id
  /** Whether the rule applies to an exchange. */
  readonly appliesTo: (exchange: Exchange, profile: Profile) => boolean
  /**
   * Returns the differences in the exchanges that the rule applies to, in the order sent. `all` are those of the run.
   */
  readonly judge: (exchanges: ReadonlyArray<Exchange>, all: ReadonlyArray<Exchange>, profile: Profile) => Met
  /** The profile entries without which no such exchange is made; default none. */
  readonly needs?: ReadonlyArray<NeedName>
  /** The fewest matching exchanges that allow a verdict; default one. */
  readonly atLeast?: number
  /** The outcome below `atLeast`: an unseen rule never passes. `nothing`: walks judge the rule, and say so. */
  readonly whenUnseen: "blocked" | "not-applicable" | "nothing"
}

/** A rule that walks judge, and that every further exchange can break too. */
export const besides = (
  rule: JudgedRuleId,
  appliesTo: ExchangeRule["appliesTo"],
  differences: (exchange: Exchange, profile: Profile) => Met
): ExchangeRule => ({
  rule,
  appliesTo,
  judge: (exchanges, _, profile) => exchanges.flatMap((exchange) => differences(exchange, profile)),
  whenUnseen: "nothing"
})
