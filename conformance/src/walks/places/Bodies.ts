import { Effect } from "effect"
import { everyCall, makeStage, readOne, type Stage } from "../../calls/EveryCall.ts"
import {
  attempt,
  deleteCalls,
  type Guarded,
  groundOf,
  isById,
  makeableTypes,
  type Target,
  updateCalls
} from "../../calls/GuardedCalls.ts"
import { idOf } from "../../calls/Reading.ts"
import { isUntouched, type State, stateOf, told } from "../../calls/ResourceState.ts"
import { codesOf } from "../../catalogue/ErrorCodes.ts"
import * as Expect from "../../engine/Expect.ts"
import { apart, type Control, control, ifAsked, judge, judgePair } from "../../engine/Judge.ts"
import { type Call, Session } from "../../engine/Session.ts"
import { type Walk, walk } from "../../engine/Walk.ts"
import { errorEnvelope } from "../../exchanges/Envelope.ts"
import { isExistingOwner } from "../../profile/ExistingOwners.ts"
import { type Exchange, isIn, statusOf } from "../../wire/Exchange.ts"
import { formOf } from "../../wire/FormEncoding.ts"
import { isObject, type Json } from "../../wire/Json.ts"
import { lookAfter, straysIn } from "../resource/RefusedCreates.ts"
import { nobodysId } from "../resource/UnknownIds.ts"
import { attemptAsEach, attemptInTurn, furtherRules } from "./FurtherTokens.ts"

/** The calls of a target that take a JSON body. */
const tellingCalls = Effect.fnUntraced(function* (target: Stage) {
  return (yield* everyCall(target)).filter(({ call }) => call.json !== undefined)
})

/**
 * A success of each call, by method and path. Only changes need such a control, because their paths come from the
 * profile. The specification documents the other paths, so the created target is their control.
 */
const controlsOf = Effect.fnUntraced(function* (target: Stage) {
  const made = yield* control(Effect.succeed(target.resource.exchange))
  const good = new Map<string, Control>()
  for (const one of yield* tellingCalls(target)) {
    const isChange = one.operation === "UPDATE" && one.unique !== undefined
    const own = isChange ? yield* control(attempt(one, "admin")) : made
    good.set(nameOf(one), own)
    if (!isChange || one.call.method !== "PUT") continue
    const again = yield* attempt(one, "admin")
    yield* judge("ENV-16", [own.exchange, again], Expect.status(again, statusOf(own.exchange)))
    const empty = yield* attempt(one, "admin", { json: {} })
    const differences = isIn(empty, 4) ? Expect.error(empty, 400, ...codesOf(400)) : Expect.family(empty, 2, 4)
    yield* judgePair("ENV-05", { control: own, probe: empty }, differences)
  }
  return good
})

const nameOf = ({ call }: Guarded): string => `${call.method} ${call.path}`

/** A way of sending a body that every call must refuse. */
interface Wrong {
  readonly rule: "ENV-04" | "TRN-08"
  /** The call with another body. `place` alternates the forms among the calls. */
  readonly change: (json: Json, place: number) => NonNullable<Call["raw"]>
  /** Shifts the callers, so that a call has another one for each way. */
  readonly shift: number
  readonly isRefused: (exchange: Exchange) => Expect.Met
}

/** Cut off, and with a key without quotes. */
const broken = [(text: string) => text.slice(0, -1), (text: string) => text.replace(/^\{"(\w+)"/, "{$1")]

const brokenJson: Wrong = {
  rule: "ENV-04",
  shift: 0,
  change: (json, place) => ({
    body: broken[place % broken.length]?.(JSON.stringify(json)) ?? "{",
    type: "application/json"
  }),
  isRefused: (exchange) => {
    const wrong = Expect.error(exchange, 400, ...codesOf(400))
    return wrong.length > 0 ? wrong : errorEnvelope(exchange)
  }
}

/** Forms have no common notation for lists. A batch without its ids concerns all credentials of an owner. */
const withoutLists = (json: Json): Json =>
  isObject(json) ? Object.fromEntries(Object.entries(json).filter(([, value]) => !Array.isArray(value))) : json

/** `isListed`: the lists of a batch are sent, because its owner may have credentials of others. */
const form = (isListed: boolean): Wrong => ({
  rule: "TRN-08",
  shift: 2,
  change: (json, place) => ({
    body: new URLSearchParams(
      formOf(isListed ? json : withoutLists(json), place % 2 === 0 ? "brackets" : "dots")
    ).toString(),
    type: "application/x-www-form-urlencoded"
  }),
  isRefused: Expect.rejected
})

/** Looks for a resource that a refused create made, and deletes it. */
const strayed = Effect.fnUntraced(function* ({ entity, parts, resource }: Target, call: Guarded, probe: Exchange) {
  const session = yield* Session
  const list = isIn(probe, 4) ? yield* lookAfter(call, parts) : undefined
  if (list === undefined) return { after: [], differences: [] }
  const strays = straysIn(list, call, parts, resource.id)
  yield* Effect.forEach(strays, (id) => session.made({ type: entity, id }, call.unique ?? id))
  const differences = strays.length === 0 ? [] : Expect.difference(list, "changed", "body.data", "nothing more", strays)
  return { after: [list], differences }
})

/** Sends every body of a target in a wrong way, and judges the answers and the state after them. */
const judgeWrong = Effect.fnUntraced(function* (
  target: Stage,
  good: Effect.Success<ReturnType<typeof controlsOf>>,
  { change, isRefused, rule, shift }: Wrong,
  before: State
) {
  const { entity, resource } = target
  const calls = yield* tellingCalls(target)
  const made = yield* control(Effect.succeed(resource.exchange))
  const probes = yield* Effect.forEach(calls, (one, place) =>
    attemptInTurn(one, place + shift, made, { raw: change((one.call.json ?? null) as Json, place) })
  )
  const after = yield* stateOf(entity, resource)
  for (const [place, one] of calls.entries()) {
    const [probe, own] = [probes[place], good.get(nameOf(one))]
    if (probe === undefined || own === undefined) continue
    if (one.operation === "CREATE") {
      const left = yield* strayed(target, one, probe)
      yield* judgePair(rule, { control: own, probe, after: left.after }, [...isRefused(probe), ...left.differences])
      continue
    }
    const kept =
      before.data === undefined ? [] : isUntouched(before, after, one.unique === undefined ? [] : [one.unique])
    yield* judgePair(rule, { control: own, probe, after: after.exchange }, [...isRefused(probe), ...kept])
  }
  return after
})

/** `GET` of an id that nothing has, if the deployment has a read by id. */
const judgeUnknownRead = Effect.fnUntraced(function* (target: Target, ground: State, nobody: string) {
  const reading = yield* readOne(target)
  const probing = yield* readOne({ ...target, resource: { ...target.resource, id: nobody } })
  if (reading === undefined || probing === undefined) return
  const isKnown = isById(target, ground.exchange) && isIn(ground.exchange, 2)
  const known = isKnown ? ground.exchange : yield* attempt(reading, "admin")
  // the specification documents this read for credentials alone
  if (!isIn(known, 2)) return
  if (!isKnown) {
    const again = yield* attempt(reading, "admin")
    yield* judge("ENV-17", [known, again], Expect.same(again, "body", told(known), told(again)))
  }
  const own = yield* control(Effect.succeed(known))
  const probe = yield* attemptInTurn(probing, 1, own)
  const differences = Expect.error(probe, 404, "NOT_FOUND")
  yield* judgePair("ENV-09", { control: own, probe }, differences, statusOf(probe) === 400 ? "warn" : "fail")
})

/** Reads, changes and deletes of an id that nothing has. A delete that finds nothing may be a no-op. */
const judgeUnknown = Effect.fnUntraced(function* (
  target: Stage,
  ground: State & { readonly control: Control },
  before: State,
  good: Effect.Success<ReturnType<typeof controlsOf>>
) {
  const nobody = nobodysId(target.resource.id)
  if (nobody === undefined || target.entity === "complianceCheck") return
  yield* judgeUnknownRead(target, ground, nobody)
  const changes = yield* updateCalls(target, nobody)
  const deleting = yield* Effect.forEach(yield* deleteCalls(target.entity, nobody), (call) =>
    Effect.all([attempt(call, "admin"), attemptAsEach(call, ground.control)])
  )
  const gone = deleting.flatMap(([own, others]) => [own, ...others])
  // a change may have given a worker another name
  if (gone.length > 0 && idOf(before.data) === target.resource.id) {
    const after = yield* stateOf(target.entity, target.resource)
    const isThere = Expect.same(after.exchange, "body.data.id", target.resource.id, idOf(after.data) ?? null)
    yield* judgePair("ENV-09", { control: ground.control, probe: gone, after: after.exchange }, isThere)
  }
  for (const call of changes) {
    const own = good.get(
      nameOf({ ...call, call: { ...call.call, path: call.call.path.replace(nobody, target.resource.id) } })
    )
    if (own === undefined) continue
    const probe = yield* attemptInTurn(call, 0, own)
    const isWarning = statusOf(probe) === 400 // where ids contain a checksum
    const differences = Expect.error(probe, 404, "NOT_FOUND")
    yield* judgePair("ENV-09", { control: own, probe, after: gone }, differences, isWarning ? "warn" : "fail")
  }
})

const bodies = walk({
  name: "places/bodies",
  judges: ["ENV-04", "TRN-08"],
  alsoJudges: ["AUT-11", "AUT-12", "AUT-15", "ENV-05", "ENV-09", "ENV-16", "ENV-17"],
  impact: "mutate-own",
  needs: []
})(function* () {
  const { isAsked, profile } = yield* Session
  for (const entity of yield* makeableTypes) {
    const steps = Effect.gen(function* () {
      const target = yield* makeStage(entity)
      const ground = yield* groundOf(target)
      const good = yield* controlsOf(target)
      const changed = yield* stateOf(entity, target.resource)
      const isListed = isExistingOwner(profile, target.parts["worker"]?.id ?? "")
      let state = changed
      for (const wrong of [brokenJson, form(isListed)].filter(({ rule }) => [rule, ...furtherRules].some(isAsked))) {
        state = yield* judgeWrong(target, good, wrong, state)
      }
      yield* ifAsked(["ENV-09", "ENV-17", ...furtherRules], judgeUnknown(target, ground, state, good))
    })
    yield* apart(["ENV-04", "TRN-08"], steps)
  }
})

/** Bodies that every call must refuse. */
export const bodyWalks: ReadonlyArray<Walk> = [bodies]
