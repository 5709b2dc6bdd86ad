import { Effect } from "effect"
import type { RuleId } from "../catalogue/Catalogue.ts"
import { type Impact, impacts } from "../profile/Impact.ts"
import type { NeedName } from "../profile/Need.ts"
import type { Blocked } from "./Blocked.ts"
import type { Session } from "./Session.ts"

/** Requests that provide evidence for some rules, and the checks of their responses. `Id` is a rule of the catalogue. */
export interface Walk<Id extends string = RuleId> {
  /** Stable, such as `ownership/link-another`. Exchanges and findings refer to it. */
  readonly name: string
  /** The rules that it judges. If it is interrupted, all of them are blocked except those that already failed. */
  readonly judges: ReadonlyArray<Id>
  /** Rules that it judges only in some cases. Other walks judge them always. */
  readonly alsoJudges?: ReadonlyArray<Id>
  readonly impact: Impact
  /**
   * The walk logs the legacy user in. A new token may end the earlier ones (LEG-24), so such walks run one after
   * another.
   */
  readonly logsIn?: true
  readonly needs: ReadonlyArray<NeedName>
  /** What single rules need in addition. Without it, the walk judges the others. */
  readonly alsoNeeds?: Readonly<Partial<Record<Id, ReadonlyArray<NeedName>>>>
  /** Changes only its own resources, which are deleted afterwards. */
  readonly steps: Effect.Effect<void, Blocked, Session>
}

/** Makes a walk from its description and its steps: a generator as of `Effect.gen`, or an effect. */
export const walk =
  (about: Omit<Walk, "steps">) =>
  (steps: Walk["steps"] | (() => Effect.gen.Return<void, Blocked, Session>)): Walk => ({
    ...about,
    steps: Effect.isEffect(steps) ? steps : Effect.gen(steps)
  })

/**
 * Returns the effect of judging a rule on the deployment: the strongest among the walks that always judge it. Without
 * such a walk it is `read`.
 */
export const impactOf = (rule: string, walks: ReadonlyArray<Pick<Walk<string>, "judges" | "impact">>): Impact =>
  impacts.findLast((impact) => walks.some((walk) => walk.impact === impact && walk.judges.some((id) => id === rule))) ??
  "read"

/** Returns every rule for which a walk may have a finding. */
export const rulesOf = <Id extends string>({
  alsoJudges = [],
  judges
}: Pick<Walk<Id>, "judges" | "alsoJudges">): ReadonlyArray<Id> => [...judges, ...alsoJudges]
