import { Effect, Schema } from "effect"
import { type Subscription, subscribe, verifyAndReceive } from "../../calls/EventCalls.ts"
import { makeVerifiable } from "../../calls/VerifyCalls.ts"
import * as Expect from "../../judgement/Expect.ts"
import { block, blockRule, control, judge, observe } from "../../judgement/Judge.ts"
import { Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import type { Exchange } from "../../wire/Exchange.ts"
import { isSignedWith, signaturesIn } from "../../wire/Signature.ts"
import { secretAtPosition } from "../../wire/WebhookSecrets.ts"
import { rotate } from "./Webhooks.ts"

/** The secret in an answer; blocks the walk if there is none. */
const secretIn = Effect.fnUntraced(function* (exchange: Exchange) {
  const { profile } = yield* Session
  const secret = secretAtPosition(profile, exchange)
  if (secret === undefined)
    return yield* block("prerequisite failed: no secret at the place that the profile names", exchange)
  return secret
})

/** A webhook's new secret. */
const rotated = Effect.fnUntraced(function* (webhook: string) {
  const { exchange } = yield* control(rotate(webhook))
  return { exchange, secret: yield* secretIn(exchange) }
})

/** The first visible secret of a new webhook: from its create, or else from a rotation. */
const firstSecret = Effect.fnUntraced(function* (webhook: string, created: Exchange) {
  const { profile } = yield* Session
  if (profile.signingSecret?.create === undefined) return yield* rotated(webhook)
  return { exchange: created, secret: yield* secretIn(created) }
})

const schemeOf = Effect.gen(function* () {
  const { profile } = yield* Session
  return profile.signature ?? (yield* block("the profile does not say how deliveries are signed"))
})

/** Whether a delivery is signed with one of these secrets. */
const isSignedBy = Effect.fnUntraced(function* (delivery: Exchange, secrets: ReadonlyArray<string>) {
  const { recordValue } = yield* Session
  const scheme = yield* schemeOf
  return yield* recordValue("signed", Schema.Boolean, ({ filled, open }) => {
    const whole = { ...delivery, request: filled(delivery.request) }
    return secrets.some((one) => isSignedWith(scheme, whole, open(one)))
  })
})

/** The delivery is signed with one of these secrets; `words` names them. */
const isSigned = Effect.fnUntraced(function* (delivery: Exchange, secrets: ReadonlyArray<string>, words: string) {
  const scheme = yield* schemeOf
  const where = `header ${scheme.header.toLowerCase()}`
  const expected = `a signature with ${words}`
  const found = signaturesIn(scheme, delivery)
  if (found === undefined) return Expect.difference(delivery, "missing", where, expected, null)
  return (yield* isSignedBy(delivery, secrets))
    ? []
    : Expect.difference(delivery, "wrong-value", where, expected, [...found])
})

/**
 * Judges the signatures of attempts of one webhook's deliveries, if the profile says how they are signed and the create
 * shows the secret.
 */
export const judgeAttempts = Effect.fnUntraced(function* (
  { exchange }: Pick<Subscription, "exchange">,
  attempts: ReadonlyArray<Exchange>
) {
  const { profile } = yield* Session
  const secret = secretAtPosition(profile, exchange)
  if (profile.signature === undefined || secret === undefined) return
  for (const attempt of attempts) {
    yield* judge("EVT-07", [exchange, attempt], yield* isSigned(attempt, [secret], "the secret of the webhook"))
  }
})

const needs = [
  "receiver",
  "webhook body",
  "verifiable credential",
  "position of the signing secret",
  "signature scheme"
] as const

const afterRotation = walk({
  name: "events/rotation",
  judges: ["EVT-07", "EVT-10"],
  alsoJudges: ["SIL-12"],
  impact: "mutate-own",
  needs
})(function* () {
  const { id } = yield* makeVerifiable()
  const subscription = yield* subscribe()
  const old = yield* firstSecret(subscription.id, subscription.exchange)
  // a delivery before the rotation shows that the rotation matters
  const earlier = yield* verifyAndReceive(subscription, id)
  const unsigned = yield* isSigned(earlier.delivery, [old.secret], "the secret of the webhook")
  yield* judge("EVT-07", [old.exchange, earlier.delivery], unsigned)
  const fresh = yield* rotated(subscription.id)
  const { delivery } = yield* verifyAndReceive(subscription, id)
  if (unsigned.length > 0) {
    return yield* blockRule("EVT-10", "prerequisite failed: EVT-07, before any rotation", [earlier.delivery])
  }
  const differences = yield* isSigned(delivery, [old.secret, fresh.secret], "the new secret or the old one")
  yield* judge("EVT-10", [old.exchange, fresh.exchange, delivery], differences)
  const by = [
    ...((yield* isSignedBy(delivery, [fresh.secret])) ? ["the new secret"] : []),
    ...((yield* isSignedBy(delivery, [old.secret])) ? ["the old one"] : [])
  ]
  yield* observe("SIL-12", { "signed after a rotation with": by }, [delivery])
})

/** EVT: signatures of deliveries. */
export const eventSignatureWalks: ReadonlyArray<Walk> = [afterRotation]
