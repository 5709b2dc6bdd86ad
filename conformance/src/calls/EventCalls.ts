import { Effect } from "effect"
import { block, type Control, control, inWords } from "../judgement/Judge.ts"
import type { Address, Refuses } from "../judgement/Receiving.ts"
import { type CreatedResource, Session } from "../judgement/Session.ts"
import { holdersOf, withOnly } from "../profile/LimitedPrincipals.ts"
import type { PrincipalName } from "../profile/Principals.ts"
import type { Exchange } from "../wire/Exchange.ts"
import { whereOf } from "./CleanUp.ts"
import { says } from "./Deliveries.ts"
import { bodyFrom, bodyOf, create, idsOf, made, makeParts } from "./Resources.ts"
import { returnedId, type VerifyRequest, verify } from "./VerifyCalls.ts"

/** A webhook of the walk, its address and the call that created it. */
export interface Subscription {
  readonly id: string
  readonly address: Address
  readonly exchange: Exchange
}

/** Creates a webhook that receives verification events at a URL. */
const createSubscribed = Effect.fnUntraced(function* (
  receiver: string,
  to?: CreatedResource["to"],
  as?: PrincipalName
) {
  const { profile, unique: nextName } = yield* Session
  const unique = yield* nextName
  const parts = to === undefined ? idsOf(yield* makeParts("webhook")) : {}
  const given = { ...parts, receiver }
  const { body: template } = profile.subscribedWebhook ?? {}
  const body = yield* template === undefined ? bodyOf("webhook", unique, given) : bodyFrom(template, unique, given)
  const more = { ...whereOf({ to }), to, ...(as === undefined ? {} : { as }) }
  return { unique, exchange: yield* create("webhook", unique, body, more) }
})

/** Whether a principal with only CREATE on webhook may subscribe; undefined without such a principal. */
export const subscribingAlone = Effect.gen(function* () {
  const { closedUrl, profile, unique } = yield* Session
  const holder = withOnly(holdersOf(profile), "webhook", "CREATE")
  if (holder === undefined || Object.keys(holder.limited.privileges).length > 1) return undefined
  const { exchange } = yield* createSubscribed(yield* closedUrl(yield* unique), undefined, holder.name)
  return exchange
})

/** Creates a webhook with a receiving address of the walk's own. */
export const subscribe = Effect.fnUntraced(function* (refuses?: Refuses, to?: CreatedResource["to"]) {
  const { listen } = yield* Session
  const address = yield* listen(refuses)
  const sent = yield* createSubscribed(address.url, to)
  const { exchange, id } = yield* made(sent.unique, sent.exchange)
  const subscription: Subscription = { id, address, exchange }
  return subscription
})

/**
 * Waits for a delivery that contains a text. Undefined on timeout; blocks the walk if no delivery at all reached the
 * receiver.
 */
export const awaitDelivery = Effect.fnUntraced(function* ({ address }: Subscription, text: string, call: Exchange) {
  const came = yield* address.until((deliveries) => deliveries.some(says(text)))
  const delivery = came.find(says(text))
  if (delivery === undefined && !(yield* address.isReached)) {
    return yield* block(`no delivery reached the receiver at ${new URL(address.url).origin} in time`, call)
  }
  return delivery
})

/** A verify and the delivery of its event. */
export interface Verified {
  readonly call: Exchange
  readonly control: Control
  readonly correlationId: string
  /** The first delivery with this correlation id; undefined on timeout. */
  readonly delivery: Exchange | undefined
}

/** Verifies a credential (with `forceRefresh` by default) and waits for the event. */
export const verifyAndWait = Effect.fnUntraced(function* (
  subscription: Subscription,
  credential: string,
  request: VerifyRequest = { forceRefresh: true },
  to?: CreatedResource["to"],
  as?: PrincipalName
) {
  const unique = yield* (yield* Session).unique
  const json = { correlationId: unique, ...request }
  const done = yield* control(verify(credential, json, { ...whereOf({ to }), ...(as && { as }) }))
  const call = done.exchange
  const correlationId = returnedId(call)
  if (correlationId === undefined) {
    return yield* block(`prerequisite failed: ${inWords(call)} and returned no correlationId`, call)
  }
  const delivery = yield* awaitDelivery(subscription, correlationId, call)
  const verified: Verified = { call, control: done, correlationId, delivery }
  return verified
})

/** Like `verifyAndWait`, but blocks the walk without the event. */
export const verifyAndReceive = Effect.fnUntraced(function* (...given: Parameters<typeof verifyAndWait>) {
  const { delivery, ...verified } = yield* verifyAndWait(...given)
  return delivery === undefined
    ? yield* block("prerequisite failed: a verify caused no delivery", verified.call)
    : { ...verified, delivery }
})
