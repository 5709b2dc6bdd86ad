import { Effect } from "effect"
import { readOne } from "../../calls/EveryCall.ts"
import {
  allCalls,
  attempt,
  blockIfAstray,
  forbidden,
  type Guarded,
  groundOf,
  guardedTypes,
  isShown,
  makeTarget,
  readableTypes,
  readCall,
  type Target
} from "../../calls/GuardedCalls.ts"
import { idOf } from "../../calls/Reading.ts"
import { type State, stateOf } from "../../calls/ResourceState.ts"
import { groupOf } from "../../calls/Resources.ts"
import * as Expect from "../../engine/Expect.ts"
import { apart, block, blockRule, type Control, control, judgePair } from "../../engine/Judge.ts"
import { Session } from "../../engine/Session.ts"
import { type Walk, walk } from "../../engine/Walk.ts"
import { isOfTable } from "../../profile/Groups.ts"
import { covering, type Holder, holdersOf, strangers, withOnly } from "../../profile/LimitedPrincipals.ts"
import type { Operation } from "../../profile/Profile.ts"
import { type Exchange, isIn, statusOf } from "../../wire/Exchange.ts"

/** DELETE comes last because it removes the target. */
const operations: ReadonlyArray<Operation> = ["READ", "CREATE", "UPDATE", "DELETE"]

/** Principals without any privilege on an entity type: the fewest that together have every privilege elsewhere. */
const outsiders = Effect.fnUntraced(function* (entity: string) {
  const { profile } = yield* Session
  const them = strangers(holdersOf(profile), entity)
  return covering(them).filter(({ limited }) => Object.values(limited.privileges).some((granted) => granted.length > 0))
})

const nobodyElse = (entity: string): string =>
  `no limited principal of the profile has privileges, but none on ${entity}`

/** The target still exists, if a read showed it before. */
const isThere = (before: State, after: State): Expect.Met => {
  const id = idOf(before.data)
  return id === undefined
    ? []
    : [...Expect.accepted(after.exchange), ...Expect.same(after.exchange, "body.data.id", id, idOf(after.data))]
}

/** The read of one resource, if the deployment has it: the specification documents it only for credentials. */
const itemRead = Effect.fnUntraced(function* (target: Target) {
  const call = yield* readOne(target)
  return call !== undefined && isIn(yield* attempt(call, "admin"), 2) ? call : undefined
})

/** Makes every call of an entity type as every principal without privileges on it. */
const judgeOutsiders = Effect.fnUntraced(function* (entity: string, them: ReadonlyArray<Holder>) {
  const target = yield* makeTarget(entity)
  const before = yield* groundOf(target)
  const one = yield* itemRead(target)
  const calls = [...(one === undefined ? [] : [one]), ...(yield* allCalls(target))]
  const probes = yield* Effect.forEach(
    them.flatMap(({ name }) => calls.map((call) => ({ name, call }))),
    ({ call, name }) => attempt(call, name)
  )
  const after = yield* stateOf(entity, target.resource)
  yield* blockIfAstray(entity, probes)
  yield* judgePair("PRV-06", { control: before.control, probe: probes, after: after.exchange }, [
    ...probes.flatMap(forbidden),
    ...isThere(before, after)
  ])
})

/** The same for a group that has only reads. */
const judgeReadingOutsiders = Effect.fnUntraced(function* (entity: string, them: ReadonlyArray<Holder>) {
  const call = yield* readCall(entity)
  const shown = yield* control(attempt(call, "admin"))
  const probes = yield* Effect.forEach(them, ({ name }) => attempt(call, name))
  yield* judgePair("PRV-06", { control: shown, probe: probes }, probes.flatMap(forbidden))
})

/** No privilege on workers, or none on credentials. Every other entity type is compared with these two. */
const nothingOn = (entity: "worker" | "credential") =>
  walk({
    name: `privileges/nothing-on-${entity}`,
    judges: ["PRV-06"],
    impact: "mutate-own",
    needs: entity === "worker" ? ["limited tokens"] : ["limited tokens", "credential body"]
  })(function* () {
    const them = yield* outsiders(entity)
    if (them.length === 0) return yield* block(nobodyElse(entity))
    yield* judgeOutsiders(entity, them)
  })

/** Entity types besides workers and credentials: those in the table of §4.2, and further groups. */
type Which = "table" | "further"

const isAmong = (which: Which, entity: string): boolean => !isShown(entity) && isOfTable(entity) === (which === "table")

const nameOf = (which: Which): string => (which === "table" ? "others" : "further-groups")

/** The rest of the matrix: every entity type in the profile. */
const nothingOnOthers = (which: Which) =>
  walk({
    name: `privileges/nothing-on-${nameOf(which)}`,
    judges: [],
    alsoJudges: ["PRV-06"],
    impact: "mutate-own",
    needs: ["limited tokens"]
  })(function* () {
    const made = yield* guardedTypes
    const all = new Set([...made, ...(yield* readableTypes)])
    for (const entity of [...all].filter((one) => isAmong(which, one))) {
      const them = yield* outsiders(entity)
      if (them.length === 0) continue
      const steps = made.includes(entity) ? judgeOutsiders(entity, them) : judgeReadingOutsiders(entity, them)
      yield* apart(["PRV-06"], steps)
    }
  })

/** A 4xx that depends on the request and not on the caller, such as an invalid body in the profile. */
const isOfTheCall = (exchange: Exchange): boolean => isIn(exchange, 4) && ![401, 403, 404].includes(statusOf(exchange))

/** A call that the principal's one privilege allows. Blocks the walk if the call itself is refused for every caller. */
const carriedOut = Effect.fnUntraced(function* (call: Guarded, { name }: Holder) {
  const exchange = yield* attempt(call, name)
  if (isOfTheCall(exchange)) yield* control(attempt(call, "admin"))
  return exchange
})

/** The calls of an entity type, and proof that their target exists. */
interface Asked {
  readonly entity: string
  readonly calls: ReadonlyArray<Guarded>
  readonly shown: Control
}

/**
 * Why CREATE or UPDATE on webhook may not suffice for the profile's body. A subscription to events of another entity
 * may need READ on it; the specification is silent.
 */
const subscribesToo =
  "the deployment refused groups.webhook.create.body from a principal with one privilege on webhook alone: if the " +
  "body subscribes to events about another entity, move these events to subscribedWebhook.body"

/**
 * Makes the allowed calls and the reads as a principal with one privilege. The walks about refused creates, changes and
 * deletes make the other calls.
 */
const judgeOne = Effect.fnUntraced(function* ({ calls, entity, shown }: Asked, holder: Holder, operation: Operation) {
  const isOwn = (call: Guarded) => call.operation === operation
  const others = calls.filter((call) => call.operation === "READ" && !isOwn(call))
  const refused = yield* Effect.forEach(others, (call) => attempt(call, holder.name))
  const allowed = yield* Effect.forEach(calls.filter(isOwn), (call) => carriedOut(call, holder))
  yield* blockIfAstray(entity, [...allowed, ...refused])
  const isOneBody = entity === "webhook" && (yield* Session).profile.subscribedWebhook === undefined
  const isWellRefused = refused.every((exchange) => forbidden(exchange).length === 0)
  if (isOneBody && isWellRefused && allowed.some((exchange) => statusOf(exchange) === 403)) {
    return yield* blockRule("PRV-05", subscribesToo, allowed)
  }
  yield* judgePair("PRV-05", { control: shown, probe: [...allowed, ...refused] }, [
    ...allowed.flatMap(Expect.accepted),
    ...refused.flatMap(forbidden)
  ])
})

/** Each single operation on one entity type. Groups beyond workers and credentials have the calls in the profile. */
const judgeAlone = Effect.fnUntraced(function* (entity: string) {
  const all = holdersOf((yield* Session).profile)
  const target = yield* makeTarget(entity)
  const { control: shown } = yield* groundOf(target)
  const calls = yield* allCalls(target)
  for (const operation of operations) {
    const holder = withOnly(all, entity, operation)
    const shows = calls.some((call) => call.operation === operation)
    const isOwnAction = operation === "DELETE" && (yield* groupOf(entity))?.delete?.method === "POST"
    if (isOwnAction) continue // the specification does not say which privilege guards this POST
    if (!shows && !isShown(entity)) continue
    if (holder === undefined && !isShown(entity)) continue // the report lists the place as not judged
    if (holder === undefined) {
      yield* blockRule("PRV-05", `no limited principal of the profile has ${operation} alone on ${entity}`)
    } else if (!shows) {
      yield* blockRule("PRV-05", `the profile has no call for ${operation} on ${entity}`)
    } else {
      yield* judgeOne({ calls, entity, shown }, holder, operation)
    }
  }
})

const single = walk({
  name: "privileges/one-alone",
  judges: ["PRV-05"],
  impact: "mutate-own",
  needs: ["limited tokens", "write paths", "delete paths", "credential body"]
})(function* () {
  for (const entity of yield* guardedTypes) if (isShown(entity)) yield* apart(["PRV-05"], judgeAlone(entity))
})

/** The same on every other entity type in the profile. */
const singleOnOthers = (which: Which) =>
  walk({
    name: `privileges/one-alone-on-${nameOf(which)}`,
    judges: [],
    alsoJudges: ["PRV-05"],
    impact: "mutate-own",
    needs: ["limited tokens"]
  })(function* () {
    for (const entity of yield* guardedTypes) {
      if (isAmong(which, entity)) yield* apart(["PRV-05"], judgeAlone(entity))
    }
  })

/** Calls that a privilege allows, and calls that it does not. */
export const matrixWalks: ReadonlyArray<Walk> = [
  nothingOn("worker"),
  nothingOn("credential"),
  nothingOnOthers("table"),
  nothingOnOthers("further"),
  single,
  singleOnOthers("table"),
  singleOnOthers("further")
]
