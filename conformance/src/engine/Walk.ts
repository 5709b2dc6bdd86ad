import type { Effect } from "effect"
import type { RuleId } from "../catalogue/Catalogue.ts"
import type { Impact } from "../catalogue/Impact.ts"
import type { NeedName } from "../profile/Need.ts"
import type { Blocked } from "./Blocked.ts"
import type { Session } from "./Session.ts"

/** Requests that give evidence for some rules, and the judging of their answers. */
export interface Walk {
  /** Stable, such as `ownership/link-another`: exchanges and findings are told by it. */
  readonly name: string
  /** Every rule that it judges: where it is cut short, all of them are blocked but those that were seen to be broken. */
  readonly judges: ReadonlyArray<RuleId>
  /** Rules that it judges too where it comes to them; that it does not is no lack, since others judge them. */
  readonly alsoJudges?: ReadonlyArray<RuleId>
  readonly impact: Impact
  /**
   * It logs the legacy user in. A new token may end the earlier ones (LEG-24), so such walks are made one after another.
   */
  readonly logsIn?: true
  readonly needs: ReadonlyArray<NeedName>
  /** Uses what it made itself and nothing else; what it made is deleted after it. */
  readonly steps: Effect.Effect<void, Blocked, Session>
}

/** A walk: what it is, and its steps. */
export const walk = (about: Omit<Walk, "steps">, steps: Walk["steps"]): Walk => ({ ...about, steps })

/** Every rule that a walk may come to a finding about. */
export const rulesOf = ({ alsoJudges = [], judges }: Pick<Walk, "judges" | "alsoJudges">): ReadonlyArray<RuleId> => [
  ...judges,
  ...alsoJudges
]
