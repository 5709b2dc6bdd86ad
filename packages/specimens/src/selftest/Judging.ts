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

/** A deployment in this process, with its profile and secrets. */
export interface Target {
  readonly serve: Serve
  readonly profile: Profile
  readonly secrets: Secrets
  readonly receiver: Receives
}

/** The walks that judge any of these rules; by default all. */
export const walksFor = (rules: ReadonlySet<RuleId> | undefined) =>
  rules === undefined ? walks : walks.filter((walk) => rulesOf(walk).some((rule) => rules.has(rule)))

/** Whether judging these rules exhausts a limit. Other runs cannot share the deployment then. */
export const exhausts = (rules?: ReadonlySet<RuleId>): boolean =>
  walksFor(rules).some(({ impact }) => impact === "exhaust")

/** Makes a rule about every exchange also judge the known exchanges. */
const speakingOf =
  ({ exchanges: known, profile: told }: Known) =>
  (rule: ExchangeRule): ExchangeRule => {
    const more = told === undefined ? [] : known.filter((exchange) => rule.appliesTo(exchange, told))
    // walks judge these rules: no verdict needs exchanges of both deployments, whose profiles differ
    if (rule.whenUnseen === "nothing") {
      const differences = told === undefined ? [] : rule.judge(more, known, told)
      return { ...rule, judge: (...given) => [...differences, ...rule.judge(...given)] }
    }
    return {
      ...rule,
      atLeast: Math.max(0, (rule.atLeast ?? 1) - more.length),
      judge: (exchanges, all, profile) => rule.judge([...more, ...exchanges], [...known, ...all], profile)
    }
  }

/** Exchanges of another run, and the profile of its deployment. */
export interface Known {
  readonly exchanges: ReadonlyArray<Exchange>
  readonly profile?: Profile
}

/**
 * Runs walks against a deployment, and returns all events. The rules about every exchange also judge the known ones.
 */
export const judgeBy = Effect.fnUntraced(function* (
  { profile, receiver, secrets, serve }: Target,
  made: ReadonlyArray<Walk>,
  known: Known = { exchanges: [] }
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

/** Runs the walks that judge any of these rules, by default all walks, and returns all events. */
export const judge = (target: Target, rules?: ReadonlySet<RuleId>) => judgeBy(target, walksFor(rules))

/** The findings among the events. */
export const findingsOf = (events: ReadonlyArray<Event>): ReadonlyArray<Finding> =>
  events.flatMap((event) => (event.type === "finding" ? [event.finding] : []))
