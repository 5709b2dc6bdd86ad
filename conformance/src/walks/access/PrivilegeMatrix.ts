import { Effect } from "effect"
import { readOne } from "../../calls/EveryCall.ts"
import {
  allCalls,
  attempt,
  blockIfAstray,
  createCall,
  forbidden,
  type Guarded,
  guardedTypes,
  isById,
  isShown,
  type Target
} from "../../calls/GuardedCalls.ts"
import { groupOf, lendParts, made, madeId, makeFrom } from "../../calls/Resources.ts"
import * as Expect from "../../judgement/Expect.ts"
import { apart, block, blockRule, control, judgePair } from "../../judgement/Judge.ts"
import { Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { covering, type Holder, holdersOf, strangers, tellingMost, withOnly } from "../../profile/LimitedPrincipals.ts"
import type { Operation } from "../../profile/Profile.ts"
import { type Exchange, isIn, statusOf } from "../../wire/Exchange.ts"
import { judgeTrials, lendGround, makeGround, type Trial } from "../places/Trials.ts"

/** Principals without any privilege on an entity type: the fewest that together have every privilege elsewhere. */
export const outsiders = Effect.fnUntraced(function* (entity: string) {
  const { profile } = yield* Session
  const them = strangers(holdersOf(profile), entity)
  return covering(them).filter(({ limited }) => Object.values(limited.privileges).some((granted) => granted.length > 0))
})

const nobodyElse = (entity: string): string =>
  `no limited principal of the profile has privileges, but none on ${entity}`

/**
 * The read of one resource, if the deployment has it: the specification documents it only for credentials. `shown` is a
 * read of the target.
 */
const itemRead = Effect.fnUntraced(function* (target: Target, shown: Exchange) {
  const call = yield* readOne(target)
  if (call === undefined) return []
  const known = isById(target, shown) ? shown : yield* attempt(call, "admin")
  return isIn(known, 2) ? [call] : []
})

const asEach = Effect.fnUntraced(function* (them: ReadonlyArray<Holder>, calls: ReadonlyArray<Guarded>) {
  const all = holdersOf((yield* Session).profile)
  const asked = calls.flatMap((call) =>
    tellingMost(them, call.entity, call.operation, all).map(({ name }) => ({ name, call }))
  )
  return yield* Effect.forEach(asked, ({ call, name }) => attempt(call, name))
})

/** Makes every call of a target as principals without privileges on it. Another walk reads the lists. */
export const askOutsiders = Effect.fnUntraced(function* (target: Target, them: ReadonlyArray<Holder>) {
  const calls = yield* allCalls(target)
  return yield* asEach(
    them,
    calls.filter(({ operation }) => operation !== "READ")
  )
})

/** Judges these calls, and reads of the target by its id. `after` is a read of the target after the calls. */
export const judgeOutsiders = Effect.fnUntraced(function* (
  target: Target,
  them: ReadonlyArray<Holder>,
  asked: ReadonlyArray<Exchange>,
  after: Exchange,
  gone: Expect.Met = []
) {
  const made = yield* control(Effect.succeed(target.resource.exchange))
  const probe = [...asked, ...(yield* asEach(them, yield* itemRead(target, after)))]
  yield* blockIfAstray(target.entity, probe)
  yield* judgePair("PRV-06", { control: made, probe, after }, [...probe.flatMap(forbidden), ...gone])
})

/** No privilege on workers, or none on credentials. Another walk compares every other entity type with these two. */
const nothingOn = (entity: "worker" | "credential") =>
  walk({
    name: `privileges/nothing-on-${entity}`,
    judges: ["PRV-06"],
    impact: "mutate-own",
    needs: entity === "worker" ? ["limited tokens"] : ["limited tokens", "credential body"]
  })(function* () {
    const them = yield* outsiders(entity)
    if (them.length === 0) return yield* block(nobodyElse(entity))
    const trial: Trial = Effect.fnUntraced(function* ({ stage }) {
      const asked = yield* askOutsiders(stage, them)
      return {
        names: [],
        creates: [],
        judge: ({ kept, state }) => judgeOutsiders(stage, them, asked, state.exchange, kept)
      }
    })
    yield* judgeTrials(yield* lendGround(entity), makeGround(entity), [trial])
  })

/** A 4xx that depends on the request and not on the caller, such as an invalid body in the profile. */
const isOfTheCall = (exchange: Exchange): boolean => isIn(exchange, 4) && ![401, 403, 404].includes(statusOf(exchange))

/** A call that the principal's one privilege allows. Blocks the walk if the call itself is refused for every caller. */
const carriedOut = Effect.fnUntraced(function* (call: Guarded, { name }: Holder) {
  const exchange = yield* attempt(call, name)
  if (isOfTheCall(exchange)) yield* control(attempt(call, "admin"))
  return exchange
})

/**
 * Why CREATE or UPDATE on webhook may not suffice for the profile's body. A subscription to events of another entity
 * may need READ on it; the specification is silent.
 */
const subscribesToo =
  "the deployment refused groups.webhook.create.body from a principal with one privilege on webhook alone: if the " +
  "body subscribes to events about another entity, move these events to subscribedWebhook.body"

/**
 * Judges calls that a principal's one privilege allows. The walks about refused reads, creates, changes and deletes make
 * the other calls.
 */
const judgeAllowed = Effect.fnUntraced(function* ({ entity, resource }: Target, allowed: ReadonlyArray<Exchange>) {
  yield* blockIfAstray(entity, allowed)
  const isOneBody = entity === "webhook" && (yield* Session).profile.subscribedWebhook === undefined
  if (isOneBody && allowed.some((exchange) => statusOf(exchange) === 403)) {
    return yield* blockRule("PRV-05", subscribesToo, allowed)
  }
  const made = yield* control(Effect.succeed(resource.exchange))
  yield* judgePair("PRV-05", { control: made, probe: allowed }, allowed.flatMap(Expect.accepted))
})

/**
 * The principal with one operation alone on an entity type. Blocks the rule for workers and credentials only: the report
 * lists other places as not judged.
 */
const holderAlone = Effect.fnUntraced(function* (entity: string, operation: Operation) {
  const { isAsked, profile } = yield* Session
  if (!isAsked("PRV-05")) return undefined
  const holder = withOnly(holdersOf(profile), entity, operation)
  if (holder === undefined && isShown(entity)) {
    yield* blockRule("PRV-05", `no limited principal of the profile has ${operation} alone on ${entity}`)
  }
  return holder
})

/**
 * Makes and judges the calls of one operation as the principal with this operation alone. Groups beyond workers and
 * credentials have the calls in the profile.
 */
export const askAlone = Effect.fnUntraced(function* (target: Target, operation: Operation) {
  const { entity } = target
  const calls = (yield* allCalls(target)).filter((call) => call.operation === operation)
  // the specification does not say which privilege guards a POST that deletes
  if (operation === "DELETE" && (yield* groupOf(entity))?.delete?.method === "POST") return []
  if (calls.length === 0 && !isShown(entity)) return []
  const holder = yield* holderAlone(entity, operation)
  if (holder === undefined) return []
  if (calls.length === 0) {
    yield* blockRule("PRV-05", `the profile has no call for ${operation} on ${entity}`)
    return []
  }
  const allowed = yield* Effect.forEach(calls, (call) => carriedOut(call, holder))
  yield* judgeAllowed(target, allowed)
  return allowed
})

/** Creates a target as the principal with CREATE alone, if there is one and its create shows the new id. */
export const makeAlone = Effect.fnUntraced(function* (entity: string) {
  const parts = yield* lendParts(entity)
  const holder = yield* holderAlone(entity, "CREATE")
  const call = yield* createCall(entity, parts)
  const own = holder === undefined ? undefined : yield* carriedOut(call, holder)
  const isMade = own !== undefined && madeId(own, call.unique) !== undefined
  const resource = yield* isMade ? made(call.unique, own) : makeFrom(entity, parts)
  const target: Target = { entity, resource, parts }
  if (own !== undefined) yield* judgeAllowed(target, [own])
  return target
})

const single = walk({
  name: "privileges/one-alone",
  judges: ["PRV-05"],
  impact: "mutate-own",
  needs: ["limited tokens", "write paths", "delete paths", "credential body"]
})(function* () {
  for (const entity of yield* guardedTypes) {
    if (!isShown(entity)) continue
    const steps = Effect.gen(function* () {
      const target = yield* makeAlone(entity)
      // DELETE comes last because it removes the target
      for (const operation of ["READ", "UPDATE", "DELETE"] as const) yield* askAlone(target, operation)
    })
    yield* apart(["PRV-05"], steps)
  }
})

/** Calls of workers and credentials that a privilege allows, and calls that it does not. */
export const matrixWalks: ReadonlyArray<Walk> = [nothingOn("worker"), nothingOn("credential"), single]
