import type { RuleId } from "@wcs/conformance/Catalogue"
import type { Event } from "@wcs/conformance/Event"
import type { Finding } from "@wcs/conformance/Finding"
import * as Journal from "@wcs/conformance/Journal"
import type { Profile } from "@wcs/conformance/Profile"
import { Receiver, type Receives } from "@wcs/conformance/Receiver"
import { run } from "@wcs/conformance/Run"
import type { Secrets } from "@wcs/conformance/Secrets"
import { rulesOf } from "@wcs/conformance/Walk"
import { exchangeRules, walks } from "@wcs/conformance/Walks"
import { Wire } from "@wcs/conformance/Wire"
import { Effect, Layer, Random } from "effect"
import type { Serve } from "./Specimen.ts"

/** A deployment in this process, and what its operator would tell of it. */
export interface Target {
  readonly serve: Serve
  readonly profile: Profile
  readonly secrets: Secrets
  readonly receiver: Receives
}

/** The walks that judge any of these rules; all of them where none are given. */
const walksFor = (rules: ReadonlySet<RuleId> | undefined) =>
  rules === undefined ? walks : walks.filter((walk) => rulesOf(walk).some((rule) => rules.has(rule)))

/** Whether judging these rules uses up a limit, so that nobody else can be judged on the same deployment meanwhile. */
export const exhausts = (rules?: ReadonlySet<RuleId>): boolean =>
  walksFor(rules).some(({ blast }) => blast === "exhaust")

/** Everything that the suite tells of a deployment; only the walks that judge `rules`, where they are given. */
export const judge = Effect.fnUntraced(function* (
  { profile, receiver, secrets, serve }: Target,
  rules?: ReadonlySet<RuleId>
) {
  const events: Array<Event> = []
  const number = yield* Random.nextIntBetween(36 ** 5, 36 ** 6)
  yield* run({
    run: number.toString(36),
    profile,
    secrets,
    walks: walksFor(rules),
    exchangeRules,
    stop: Effect.never,
    emit: (event) => Effect.sync(() => void events.push(event)),
    learn: () => Effect.void
  }).pipe(
    Effect.provideService(Receiver, receiver),
    Effect.provide(Layer.merge(Layer.succeed(Wire, Wire.of({ send: serve })), Journal.layerMemory()))
  )
  return events
})

/** What was found, of all that was told. */
export const findingsOf = (events: ReadonlyArray<Event>): ReadonlyArray<Finding> =>
  events.flatMap((event) => (event.type === "finding" ? [event.finding] : []))
