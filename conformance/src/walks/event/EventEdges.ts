import { Clock, Effect, Option } from "effect"
import { deliveryIdOf, positionsOf, says, undelivered } from "../../calls/Deliveries.ts"
import {
  awaitDelivery,
  type Subscription,
  subscribe,
  subscribingAlone,
  verifyAndReceive,
  verifyAndWait
} from "../../calls/EventCalls.ts"
import type { Resource } from "../../calls/Resources.ts"
import { makeVerifiable, verify } from "../../calls/VerifyCalls.ts"
import * as Expect from "../../judgement/Expect.ts"
import { ifAsked, judge, judgePair, observe } from "../../judgement/Judge.ts"
import { Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { at, parse } from "../../text/Json.ts"
import { type Exchange, isIn } from "../../wire/Exchange.ts"
import { secretAtPosition } from "../../wire/WebhookSecrets.ts"
import { literal } from "./Verification.ts"

const needs = ["receiver", "webhook body", "verifiable credential"] as const

/** Waits for unwanted deliveries a little longer than an expected delivery took. */
const waitAsLongAs = Effect.fnUntraced(function* ({ startedAt }: Exchange) {
  const { wait } = yield* Session
  const seconds = ((yield* Clock.currentTimeMillis) - startedAt) / 1000
  yield* wait(Math.min(seconds, 2))
})

/** Deliveries at an address that must receive none. */
const strayed = (came: ReadonlyArray<Exchange>, correlationId: string): Expect.Met =>
  came
    .filter(says(correlationId))
    .flatMap((delivery) =>
      Expect.difference(delivery, "unexpected", "delivery", "none of another tenant", correlationId)
    )

const tenants = walk({
  name: "events/tenants",
  judges: ["EVT-13"],
  impact: "mutate-own",
  needs: [...needs, "second tenant"]
})(function* () {
  const there = "second tenant"
  const [ours, theirs] = [yield* subscribe(), yield* subscribe(undefined, there)]
  const [own, other] = [yield* makeVerifiable(), yield* makeVerifiable(there)]
  const forced = { forceRefresh: true }
  const here = yield* verifyAndReceive(ours, own.id, forced)
  // both webhooks receive their own deliveries, so it is evidence if neither receives the other's
  const elsewhere = yield* verifyAndReceive(theirs, other.id, forced, there)
  yield* waitAsLongAs(here.call)
  const evidence = [here.call, here.delivery, elsewhere.call, elsewhere.delivery]
  yield* judge("EVT-13", evidence, [
    ...strayed(yield* theirs.address.came, here.correlationId),
    ...strayed(yield* ours.address.came, elsewhere.correlationId)
  ])
})

/** The places of the literal in a delivery. */
const literalPositions = (delivery: Exchange): ReadonlyArray<string> => positionsOf(delivery, literal)

const noneBegins = walk({
  name: "events/literal-string",
  judges: [],
  alsoJudges: ["ENV-06", "VER-06"],
  impact: "mutate-own",
  needs
})(function* () {
  const { unique } = yield* Session
  const { id } = yield* makeVerifiable()
  const subscription = yield* subscribe()
  const first = yield* verifyAndReceive(subscription, id)
  const probe = yield* verify(id, { correlationId: literal, forceRefresh: true })
  const names = [yield* unique, yield* unique] as const
  const odd = [
    yield* verify(id, { correlationId: names[0], forceRefresh: "yes" }),
    yield* verify(id, { correlationId: names[1], forceRefresh: 1 })
  ]
  // events of the refused call are sent before or shortly after this one
  const next = yield* verifyAndReceive(subscription, id)
  yield* waitAsLongAs(next.call)
  const usual = literalPositions(first.delivery)
  const came = yield* subscription.address.came
  const begun = came.filter(
    (delivery) =>
      delivery.number > probe.number && literalPositions(delivery).some((position) => !usual.includes(position))
  )
  // an event may also have the request's id for a correlation id
  const ids = [...names, ...odd.flatMap((one) => Expect.headerOf(one, "x-request-id") ?? [])]
  const told = came.filter((delivery) => ids.some((id) => says(id)(delivery)))
  yield* judgePair("ENV-06", { control: first.control, probe: odd, after: told }, [
    ...odd.flatMap((one) => Expect.status(one, 400)),
    ...told.flatMap((one) => Expect.difference(one, "unexpected", "delivery", "none for a refused verify", names[0]))
  ])
  yield* judgePair("VER-06", { control: first.control, probe, after: begun }, [
    ...Expect.rejected(probe),
    ...begun.flatMap((delivery) =>
      Expect.difference(delivery, "unexpected", "delivery", "none for a verify that was rejected", literal)
    )
  ])
})

/** The event kinds of deliveries, at the position where the documented kind was seen. */
const kindsOf = (known: Exchange, came: ReadonlyArray<Exchange>): ReadonlyArray<string> => {
  const position = positionsOf(known, "credential.verified").find((one) => one.startsWith("body."))
  if (position === undefined) return []
  const kinds = came.flatMap(({ request }) => at(parse(request.body), position.slice("body.".length)) ?? [])
  return [...new Set(kinds.filter((kind) => typeof kind === "string"))].toSorted()
}

/** Makes a credential by a personal token, if the profile has one and its user may create it. */
const makeByOther = Effect.gen(function* () {
  const { personalToken } = (yield* Session).profile.principals
  const made =
    personalToken === undefined ? Option.none() : yield* Effect.option(makeVerifiable(undefined, "personalToken"))
  return Option.isSome(made) ? made.value : yield* makeVerifiable()
})

/** Every webhook is told of a create. A later delivery has come there already. */
const judgeTold = Effect.fnUntraced(function* ({ address }: Subscription, { exchange }: Resource) {
  const correlationId = at(exchange.answer?.json, "meta.correlationId")
  if (typeof correlationId !== "string" || correlationId === "") return
  const isTold = says(correlationId)
  const told = (yield* address.until((came) => came.some(isTold))).filter(isTold)
  const none = told.length === 0 ? undelivered(exchange, `a delivery with ${correlationId}`) : []
  yield* judge("EVT-02", [exchange, ...told], none)
  yield* judge("CRD-09", [exchange, ...told], none)
})

const edges = walk({
  name: "events/edges",
  judges: ["SIL-25"],
  alsoJudges: ["CRD-09", "EVT-02"],
  impact: "mutate-own",
  needs
})(function* () {
  const { profile } = yield* Session
  const [one, other] = [yield* subscribe(), yield* subscribe()]
  const created = yield* makeByOther
  const { id } = created
  const { call, correlationId, delivery } = yield* verifyAndReceive(one, id)
  const same = yield* awaitDelivery(other, correlationId, call)
  yield* ifAsked(["CRD-09", "EVT-02"], judgeTold(other, created))
  // the outcome is known by now
  const known = yield* verifyAndWait(one, id, {})
  const alone = yield* subscribingAlone
  const ids = [delivery, ...(same === undefined ? [] : [same])].map(deliveryIdOf)
  const seen = {
    "delivery ids of one event for two webhooks": same === undefined ? "one delivery only" : new Set(ids).size,
    "event of a verify without forceRefresh": known.delivery === undefined ? "none in time" : "sent",
    kinds: kindsOf(delivery, [...(yield* one.address.came), ...(yield* other.address.came)]),
    ...(alone && { "subscribing with CREATE on webhook alone": isIn(alone, 2) ? "allowed" : "refused" }),
    "shown first by": secretAtPosition(profile, one.exchange) === undefined ? "a rotation" : "the create"
  }
  yield* observe("SIL-25", seen, [call, delivery, known.call, ...(alone ? [alone] : [])])
})

/** EVT: deliveries that must not happen, and those that may. */
export const eventEdgeWalks: ReadonlyArray<Walk> = [tenants, noneBegins, edges]
