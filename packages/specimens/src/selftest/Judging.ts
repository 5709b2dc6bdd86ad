import type { RuleId } from "@wcs/conformance/catalogue/Catalogue"
import type { Event } from "@wcs/conformance/engine/Event"
import type { Finding } from "@wcs/conformance/engine/Finding"
import { run } from "@wcs/conformance/engine/Run"
import { rulesOf, type Walk } from "@wcs/conformance/engine/Walk"
import * as Journal from "@wcs/conformance/evidence/Journal"
import type { ExchangeRule } from "@wcs/conformance/exchanges/ExchangeRule"
import type { Profile } from "@wcs/conformance/profile/Profile"
import type { Secrets } from "@wcs/conformance/profile/Secrets"
import { exchangeRules, walks } from "@wcs/conformance/Walks"
import type { Exchange } from "@wcs/conformance/wire/Exchange"
import { Receiver, type Receives } from "@wcs/conformance/wire/Receiver"
import { Wire } from "@wcs/conformance/wire/Wire"
import { Effect, Layer, Random } from "effect"
import type { Serve } from "../Serve.ts"

/** A deployment in this process, and what its operator would tell of it. */
export interface Target {
  readonly serve: Serve
  readonly profile: Profile
  readonly secrets: Secrets
  readonly receiver: Receives
}

/** The walks that judge any of these rules; all of them where none are given. */
export const walksFor = (rules: ReadonlySet<RuleId> | undefined) =>
  rules === undefined ? walks : walks.filter((walk) => rulesOf(walk).some((rule) => rules.has(rule)))

/** Whether judging these rules uses up a limit, so that nobody else can be judged on the same deployment meanwhile. */
export const exhausts = (rules?: ReadonlySet<RuleId>): boolean =>
  walksFor(rules).some(({ impact }) => impact === "exhaust")

/** Has a rule that speaks of every exchange speak of these as well. */
const speakingOf =
  (known: ReadonlyArray<Exchange>) =>
  (rule: ExchangeRule): ExchangeRule => {
    const more = known.filter(rule.appliesTo)
    return {
      ...rule,
      atLeast: Math.max(0, (rule.atLeast ?? 1) - more.length),
      judge: (exchanges, all) => rule.judge([...more, ...exchanges], [...known, ...all])
    }
  }

/**
 * Everything that the suite tells of a deployment by these walks. Exchanges that are known already, without being made
 * again, are judged with them by the rules that speak of every exchange.
 */
export const judgeBy = Effect.fnUntraced(function* (
  { profile, receiver, secrets, serve }: Target,
  made: ReadonlyArray<Walk>,
  known: ReadonlyArray<Exchange> = []
) {
  const events: Array<Event> = []
  const number = yield* Random.nextIntBetween(36 ** 5, 36 ** 6)
  yield* run({
    run: number.toString(36),
    profile,
    secrets,
    walks: made,
    exchangeRules: exchangeRules.map(speakingOf(known)),
    stop: Effect.never,
    emit: (event) => Effect.sync(() => void events.push(event)),
    learn: () => Effect.void
  }).pipe(
    Effect.provideService(Receiver, receiver),
    Effect.provide(Layer.merge(Layer.succeed(Wire, Wire.of({ send: serve })), Journal.layerMemory()))
  )
  return events
})

/** The same by the walks that judge any of these rules; by all of them where none are given. */
export const judge = (target: Target, rules?: ReadonlySet<RuleId>) => judgeBy(target, walksFor(rules))

/** What was found, of all that was told. */
export const findingsOf = (events: ReadonlyArray<Event>): ReadonlyArray<Finding> =>
  events.flatMap((event) => (event.type === "finding" ? [event.finding] : []))
