import type { Effect } from "effect"
import type { Rule } from "../catalogue/Rule.ts"
import type { ExchangeRule } from "../exchanges/ExchangeRule.ts"
import type { Session } from "../judgement/Session.ts"
import type { Walk } from "../judgement/Walk.ts"

/** A catalogue of rules, and how they are judged. The engine and the reports work for every suite. */
export interface Suite {
  /** The command that runs the suite. */
  readonly command: string
  readonly rules: ReadonlyArray<Rule>
  readonly walks: ReadonlyArray<Walk<string>>
  /** The rules that apply to all exchanges of a run. */
  readonly exchangeRules: ReadonlyArray<ExchangeRule<string>>
  /** Sends a first call. Returns undefined if there is something to judge, else the reason. */
  readonly preflight: (session: Session["Service"]) => Effect.Effect<string | undefined>
}
