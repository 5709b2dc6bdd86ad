import type { RuleId } from "@wcs/conformance/catalogue/Catalogue"
import { isRuleId } from "@wcs/conformance/catalogue/RuleIdSchema"
import { run } from "@wcs/conformance/engine/Run"
import type { Event } from "@wcs/conformance/evidence/Event"
import * as Journal from "@wcs/conformance/evidence/Journal"
import type { Finding } from "@wcs/conformance/judgement/Finding"
import type { Walk } from "@wcs/conformance/judgement/Walk"
import type { Profile } from "@wcs/conformance/profile/Profile"
import type { Secrets } from "@wcs/conformance/profile/Secrets"
import { exchangeRules, walks } from "@wcs/conformance/walks/Walks"
import * as Handles from "@wcs/conformance/wire/Handles"
import { Receiver, type Receives } from "@wcs/conformance/wire/Receiver"
import type { FormsOf } from "@wcs/conformance/wire/SecretForms"
import { Wire } from "@wcs/conformance/wire/Wire"
import { Effect, Layer, Random } from "effect"
import type { Serve } from "./Serve.ts"

/** A deployment in this process, with its profile and secrets. */
export interface Target {
  readonly serve: Serve
  readonly profile: Profile
  readonly secrets: Secrets
  readonly receiver: Receives
  /** The known forms of its secrets. */
  readonly formsOf?: FormsOf
}

/** The rules of a run: those that its walks judge, and those about every exchange; by default all. */
export interface Asked {
  readonly only?: ReadonlySet<RuleId>
  readonly everywhere?: ReadonlySet<RuleId>
}

/** Runs walks against a deployment, as far as they judge any of these rules, and returns all events. */
export const judgeBy = Effect.fnUntraced(function* (
  { formsOf, profile, receiver, secrets, serve }: Target,
  made: ReadonlyArray<Walk>,
  { everywhere, only }: Asked = {}
) {
  const events: Array<Event> = []
  const number = yield* Random.nextIntBetween(36 ** 5, 36 ** 6)
  yield* run({
    run: number.toString(36),
    profile,
    handles: Handles.make(profile, secrets, formsOf),
    walks: made,
    exchangeRules: everywhere === undefined ? exchangeRules : exchangeRules.filter(({ rule }) => everywhere.has(rule)),
    ...(only === undefined ? {} : { only }),
    stop: Effect.never,
    emit: (event) => Effect.sync(() => void events.push(event))
  }).pipe(
    Effect.provideService(Receiver, receiver),
    Effect.provide(Layer.merge(Layer.succeed(Wire, Wire.of({ send: serve })), Journal.layerMemory()))
  )
  return events
})

/** Runs the walks that judge any of these rules, by default all walks, and returns all events. */
export const judge = (target: Target, only?: ReadonlySet<RuleId>) =>
  judgeBy(target, walks, only === undefined ? {} : { only })

/** The findings among the events. */
export const findingsOf = (events: ReadonlyArray<Event>): ReadonlyArray<Finding<RuleId>> =>
  events.flatMap((event) => (event.type === "finding" && isOfCatalogue(event.finding) ? [event.finding] : []))

const isOfCatalogue = (finding: Finding): finding is Finding<RuleId> => isRuleId(finding.rule)

/** The rules that fail, warn, break or are not judged in a run, each with its outcome. */
export const alarmsIn = (events: ReadonlyArray<Event>): ReadonlyArray<string> => {
  const ill = findingsOf(events).filter(({ outcome }) =>
    ["fail", "warn", "error", "blocked", "inconclusive"].includes(outcome)
  )
  return [...new Set(ill.map(({ outcome, rule }) => `${outcome} ${rule}`))]
}
