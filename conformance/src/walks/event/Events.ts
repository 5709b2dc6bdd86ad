import { Effect, Option } from "effect"
import {
  deliveryHeader,
  deliveryIdOf,
  hasDeliveryId,
  hasSameId,
  positionsOf,
  says,
  saysSomewhere,
  undelivered
} from "../../calls/Deliveries.ts"
import { awaitDelivery, subscribe, verifyAndReceive, verifyAndWait } from "../../calls/EventCalls.ts"
import { makeVerifiable } from "../../calls/VerifyCalls.ts"
import * as Expect from "../../judgement/Expect.ts"
import { block, control, inconclusive, judge, observe } from "../../judgement/Judge.ts"
import { Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { timeoutSecondsOf } from "../../profile/Limits.ts"
import { fill, fillPath } from "../../profile/Template.ts"
import { at, isObject, type Json, parse } from "../../text/Json.ts"
import { type Exchange, statusOf } from "../../wire/Exchange.ts"
import { judgeAttempts } from "./EventSignatures.ts"

/** The one event kind that §6 names. */
const kind = "credential.verified"

const namesKind = (delivery: Exchange): Expect.Met =>
  says(kind)(delivery) ? [] : Expect.difference(delivery, "missing", "body or headers", kind, null)

/** The field and header names of a delivery, without values because these may be personal data. */
const shapeOf = ({ request }: Exchange): Json => {
  const json = parse(request.body)
  return {
    headers: request.headers.map(([name]) => name.toLowerCase()).toSorted(),
    body: isObject(json) ? Object.keys(json).toSorted() : json === undefined ? "no JSON" : "no object"
  }
}

const needs = ["receiver", "webhook body", "verifiable credential"] as const

const verified = walk({
  name: "events/verify",
  judges: ["EVT-01", "EVT-03", "EVT-04", "EVT-15", "SIL-12"],
  impact: "mutate-own",
  needs
})(function* () {
  const { id } = yield* makeVerifiable()
  const subscription = yield* subscribe()
  const { principals } = (yield* Session).profile
  const other = principals.personalToken === undefined ? undefined : ("personalToken" as const)
  const first = yield* verifyAndWait(subscription, id)
  // each kind of token starts a verification, if the user of the personal one may
  const asOther = other && (yield* Effect.option(verifyAndWait(subscription, id, undefined, undefined, other)))
  const second = asOther && Option.getOrUndefined(asOther)
  const events = [first, yield* verifyAndWait(subscription, id), ...(second === undefined ? [] : [second])]
  const calls = events.map(({ call }) => call)
  const deliveries = events.flatMap(({ delivery }) => delivery ?? [])
  const none = events.flatMap(({ call, correlationId, delivery }) =>
    delivery === undefined ? undelivered(call, `a delivery with ${correlationId}`) : []
  )
  yield* judge("EVT-01", [...calls, ...deliveries], none)
  const last = deliveries.at(-1)
  if (last === undefined || none.length > 0) {
    return yield* block("prerequisite failed: a verify caused no delivery", ...calls)
  }
  yield* judge("EVT-03", deliveries, deliveries.flatMap(hasDeliveryId))
  yield* judge("EVT-15", deliveries, deliveries.flatMap(namesKind))
  const said = { ...Object(shapeOf(last)), correlationId: positionsOf(last, events.at(-1)?.correlationId ?? "") }
  yield* observe("SIL-12", said, deliveries)
  const ids = deliveries.map(deliveryIdOf)
  if (ids.includes(undefined)) return yield* block(`prerequisite failed: no ${deliveryHeader}`, ...deliveries)
  yield* judge("EVT-04", deliveries, Expect.distinct(last, `header ${deliveryHeader.toLowerCase()}`, ids))
})

const created = walk({
  name: "events/create",
  judges: ["EVT-02", "CRD-09"],
  alsoJudges: ["EVT-03", "EVT-07", "EVT-15"],
  impact: "mutate-own",
  needs
})(function* () {
  const subscription = yield* subscribe()
  const { exchange: call, id } = yield* makeVerifiable()
  const correlationId = at(call.answer?.json, "meta.correlationId")
  if (typeof correlationId !== "string" || correlationId === "") {
    return yield* block("prerequisite failed: a create returned no meta.correlationId", call)
  }
  const named = yield* awaitDelivery(subscription, correlationId, call)
  const delivery = named ?? (yield* subscription.address.came).find(says(id))
  const evidence = delivery === undefined ? [call] : [call, delivery]
  yield* judge(
    "CRD-09",
    evidence,
    delivery === undefined ? undelivered(call, `a delivery with ${correlationId} or ${id}`) : []
  )
  if (delivery === undefined) {
    return yield* judge("EVT-02", evidence, undelivered(call, `a delivery with ${correlationId}`))
  }
  yield* judge("EVT-02", evidence, saysSomewhere(delivery, correlationId, "the correlation id of the create"))
  yield* judge("EVT-03", [delivery], hasDeliveryId(delivery))
  yield* judge("EVT-15", [delivery], namesKind(delivery))
  yield* judgeAttempts(subscription, [delivery])
})

/** Deliveries of one event: with its correlation id, or with the delivery id of such a delivery. */
const alike = (delivery: Exchange, correlationId: string, id: string | undefined): boolean =>
  says(correlationId)(delivery) || (id !== undefined && deliveryIdOf(delivery) === id)

/** The seconds that a retry may take on its way. */
const lateSeconds = 1

const retried = walk({
  name: "events/retry",
  judges: ["EVT-05"],
  alsoJudges: ["EVT-07"],
  impact: "mutate-own",
  needs
})(function* () {
  const { profile, unique } = yield* Session
  const { id } = yield* makeVerifiable()
  const correlationId = yield* unique
  const isOf = says(correlationId)
  const subscription = yield* subscribe((delivery, before) => isOf(delivery) && !before.some(isOf))
  const first = yield* verifyAndReceive(subscription, id, { correlationId, forceRefresh: true })
  if (statusOf(first.delivery) !== 500)
    return yield* block("prerequisite failed: verify does not echo the id", first.call)
  const isAgain = (delivery: Exchange) =>
    delivery.number > first.delivery.number && alike(delivery, correlationId, deliveryIdOf(first.delivery))
  const seconds = profile.receiver?.retryWithinSeconds
  const part = seconds === undefined ? 1 : (seconds + lateSeconds) / timeoutSecondsOf(profile)
  const came = yield* subscription.address.until((deliveries) => deliveries.some(isAgain), part)
  const again = came.filter(isAgain)
  const evidence = [first.call, first.delivery, ...again]
  if (again.length === 0 && seconds !== undefined) {
    return yield* judge("EVT-05", evidence, undelivered(first.call, `a retry within ${seconds} s`))
  }
  if (again.length === 0) {
    const reason = `a failed delivery was not retried within ${timeoutSecondsOf(profile)} s`
    return yield* inconclusive("EVT-05", reason, evidence)
  }
  yield* judgeAttempts(subscription, [first.delivery, ...again])
  yield* judge(
    "EVT-05",
    evidence,
    again.flatMap((delivery) => [
      ...hasSameId(delivery, first.delivery),
      ...saysSomewhere(delivery, correlationId, "the correlation id")
    ])
  )
})

/** Milliseconds before a delivery at which a redrive by time begins. */
const leadMillis = 60_000

/** Redrives the failed deliveries of a webhook. */
const redrive = Effect.fnUntraced(function* (webhook: string, delivery: Exchange) {
  const { profile, send } = yield* Session
  const how = profile.redrive
  if (how === undefined) return yield* block("the profile does not say how to redrive a delivery")
  const since = new Date(delivery.startedAt - leadMillis).toISOString()
  const values = { id: webhook, delivery: deliveryIdOf(delivery) ?? "", since }
  const json = how.body === undefined ? {} : { json: fill(how.body, values) }
  return yield* send({ method: how.method, path: fillPath(how.path, values), ...json })
})

/** The maximum number of redrive requests: a deployment may record a failed delivery late. */
const maxRedrives = 5

const redriven = walk({
  name: "events/redrive",
  judges: ["EVT-06"],
  alsoJudges: ["EVT-07"],
  impact: "mutate-own",
  needs: [...needs, "redrive path"]
})(function* () {
  const { profile, unique } = yield* Session
  const { id } = yield* makeVerifiable()
  const correlationId = yield* unique
  let isFailing = profile.redrive?.of !== "delivered"
  const subscription = yield* subscribe((delivery) => isFailing && says(correlationId)(delivery))
  const first = yield* verifyAndReceive(subscription, id, { correlationId, forceRefresh: true })
  isFailing = false
  const isAgain = (delivery: Exchange) =>
    delivery.number > first.delivery.number &&
    statusOf(delivery) === 200 &&
    alike(delivery, correlationId, deliveryIdOf(first.delivery))
  const asked: Array<Exchange> = []
  let again: ReadonlyArray<Exchange> = []
  while (again.length === 0 && asked.length < maxRedrives) {
    asked.push((yield* control(redrive(subscription.id, first.delivery))).exchange)
    const isThere = (deliveries: ReadonlyArray<Exchange>) => deliveries.some(isAgain)
    again = (yield* subscription.address.until(isThere, 1 / maxRedrives)).filter(isAgain)
  }
  const evidence = [first.call, first.delivery, ...asked, ...again]
  if (again.length === 0) {
    const reason = `no delivery was redriven within ${timeoutSecondsOf(profile)} s`
    return yield* inconclusive("EVT-06", reason, evidence)
  }
  yield* judgeAttempts(subscription, again)
  yield* judge(
    "EVT-06",
    evidence,
    again.flatMap((delivery) => hasSameId(delivery, first.delivery))
  )
})

/** EVT: deliveries and their retries. */
export const eventWalks: ReadonlyArray<Walk> = [verified, created, retried, redriven]
