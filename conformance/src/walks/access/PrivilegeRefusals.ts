import { Effect } from "effect"
import { readOne } from "../../calls/EveryCall.ts"
import {
  attempt,
  deleteCalls,
  forbidden,
  groundOf,
  guardedTypes,
  isById,
  isShown,
  listOf,
  makeTarget,
  readableTypes,
  readCall,
  stillThere,
  type Target,
  updateCalls
} from "../../calls/GuardedCalls.ts"
import { isUntouched, type State, stateOf } from "../../calls/ResourceState.ts"
import { bodyOf, create, groupOf, lendParts, madeId, pathOf, remove } from "../../calls/Resources.ts"
import * as Expect from "../../judgement/Expect.ts"
import { apart, block, blockRule, type Control, control, judgePair } from "../../judgement/Judge.ts"
import { Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import {
  covering,
  type Holder,
  lacking,
  may,
  mayNothing,
  nearest,
  operationsOn,
  tellingMost
} from "../../profile/LimitedPrincipals.ts"
import { limitsOf } from "../../profile/Limits.ts"
import type { PrincipalName } from "../../profile/Principals.ts"
import type { Profile } from "../../profile/Profile.ts"
import { fillPath } from "../../profile/Template.ts"
import { at, equals } from "../../text/Json.ts"
import { type Exchange, isIn, statusOf } from "../../wire/Exchange.ts"
import {
  type Asked,
  asEach,
  holders,
  invalid,
  judgeAlone,
  judgeMessages,
  judgeMissing,
  judgeUnchanged,
  leaveOut,
  twinOf
} from "../answer/Refusing.ts"
import { refusedCreateWalks } from "../resource/RefusedCreates.ts"
import { nobodyLike } from "../resource/UnknownIds.ts"
import { outsiders } from "./PrivilegeMatrix.ts"

/**
 * The fewest principals without READ on a group that still differ in their other privileges, those with another
 * operation alone on it, and those with privileges elsewhere.
 */
const judgeReads = Effect.fnUntraced(function* (entity: string) {
  const { isAsked } = yield* Session
  const call = yield* readCall(entity)
  const allowed = yield* control(listOf(entity))
  const known = yield* holders
  const all = lacking(known, entity, "READ")
  const alone = isAsked("PRV-05") ? all.filter((holder) => operationsOn(holder, entity).length === 1) : []
  const others = isAsked("PRV-06") ? tellingMost(yield* outsiders(entity), entity, "READ", known) : []
  const near = covering(all.filter((holder) => operationsOn(holder, entity).length > 0 || mayNothing(holder)))
  const further = others.length > 0 ? near : tellingMost(covering(all), entity, "READ", known)
  const some = isAsked("PRV-01") || isAsked("PRV-10") ? further : []
  const them = [...new Map([...some, ...covering(alone), ...others].map((one) => [one.name, one])).values()]
  const answers = yield* asEach(them, (as) => attempt(call, as))
  const probe = answers.map(({ exchange }) => exchange)
  if (them.length === 0) yield* leaveOut(["PRV-01"], "READ", entity)
  else yield* judgePair("PRV-01", { control: allowed, probe }, probe.flatMap(forbidden))
  yield* judgeAlone(entity, answers, allowed)
  const elsewhere = answers.flatMap(({ exchange, holder }) =>
    others.some(({ name }) => name === holder.name) ? [exchange] : []
  )
  if (others.length > 0)
    yield* judgePair("PRV-06", { control: allowed, probe: elsewhere }, elsewhere.flatMap(forbidden))
  if (entity === "credential") yield* judgeMissing(allowed, `cred_${yield* (yield* Session).unique}`)
  return answers
})

const reading = walk({
  name: "privileges/read",
  judges: ["PRV-01", "PRV-08", "PRV-10"],
  alsoJudges: ["PRV-05", "PRV-06"],
  impact: "read",
  needs: ["limited tokens"]
})(function* () {
  const asked: Array<Asked> = []
  for (const entity of yield* readableTypes) {
    const steps = Effect.map(judgeReads(entity), (answers) => void asked.push(...answers))
    yield* isShown(entity) ? steps : apart(["PRV-01"], steps)
  }
  yield* judgeMessages(asked, "READ")
  if (asked.every(({ exchange }) => statusOf(exchange) !== 403)) {
    yield* blockRule("PRV-10", "no principal was refused a read with 403")
  }
})

/** A method that the profile does not have, aimed at a resource: refused, or not found. */
const notThere = Effect.fnUntraced(function* (
  { entity, resource }: Target,
  methods: ReadonlyArray<string>,
  as: Holder
) {
  const { send } = yield* Session
  const path = `${yield* pathOf(entity)}/${encodeURIComponent(resource.id)}`
  return yield* Effect.forEach(methods, (method) => send({ method, path, json: {}, as: as.name, isUnknownPath: true }))
})

const noSuchMethod = (exchange: Exchange): Expect.Met => Expect.status(exchange, 403, 404, 405)

/** Makes every UPDATE on one entity type that must be refused. */
export const refuseUpdates = Effect.fnUntraced(function* (target: Target, them: ReadonlyArray<Holder>, first: Holder) {
  const calls = yield* updateCalls(target)
  const shown = calls.map(({ call }) => call.method)
  const refused = yield* Effect.forEach(calls, (call) => asEach(them, (as) => attempt(call, as)))
  const nobody = yield* nobodyLike(target.resource)
  const missing = nobody === undefined ? [] : yield* updateCalls(target, nobody)
  const twin = yield* twinOf(target.entity, "UPDATE", first)
  return {
    calls,
    refused: refused.flat(),
    absent: yield* notThere(
      target,
      ["PATCH", "PUT"].filter((method) => !shown.includes(method)),
      first
    ),
    bad: yield* Effect.forEach(
      calls.flatMap((call, place) => invalid.slice(place % 2, (place % 2) + 1).map((change) => ({ call, change }))),
      ({ call, change }) => attempt(call, twin, change)
    ),
    unknown: yield* Effect.forEach(missing, (call) => attempt(call, first.name))
  }
})

/** Whether the profile has an update or delete for an entity type. */
export const isOffered = ({ groups }: Profile, entity: string, what: "update" | "delete"): boolean => {
  const { delete: how, update = [] } = groups?.[entity] ?? {}
  return what === "update" ? update.length > 0 : how !== undefined
}

/**
 * The entity types for which the profile has both a create and an update or delete. Another walk makes these calls on
 * entity types besides workers and credentials, but none judges the rules without these two.
 */
const typesWith = Effect.fnUntraced(function* (what: "update" | "delete") {
  const { profile } = yield* Session
  const all = (yield* guardedTypes).filter((entity) => isOffered(profile, entity, what))
  return all.some(isShown) ? all.filter(isShown) : all
})

/** `GET` of an id that nothing has, without READ. */
export const judgeUnknownRead = Effect.fnUntraced(function* (target: Target, { exchange }: State) {
  const { entity, resource } = target
  const [reader] = lacking(yield* holders, entity, "READ")
  const nobody = yield* nobodyLike(resource)
  const reading = yield* readOne(target)
  if (reader === undefined || nobody === undefined || reading === undefined) return
  const probing = yield* readOne({ ...target, resource: { ...resource, id: nobody } })
  if (probing === undefined) return
  const known = isById(target, exchange) && isIn(exchange, 2) ? exchange : yield* attempt(reading, "admin")
  // the specification documents this read for credentials alone
  if (!isIn(known, 2)) return
  const probe = yield* attempt(probing, reader.name)
  yield* judgePair("PRV-08", { control: yield* control(Effect.succeed(known)), probe }, forbidden(probe))
})

/** Judges the answers to refused changes by a change that was carried out. */
export const judgeRefusedUpdates = Effect.fnUntraced(function* (
  entity: string,
  { absent, bad, refused, unknown }: Effect.Success<ReturnType<typeof refuseUpdates>>,
  done: Control
) {
  const probe = refused.map(({ exchange }) => exchange)
  yield* judgePair("PRV-03", { control: done, probe: [...probe, ...absent] }, [
    ...probe.flatMap(forbidden),
    ...absent.flatMap(noSuchMethod)
  ])
  yield* judgeAlone(entity, refused, done)
  yield* judgeMessages(refused, "UPDATE")
  yield* judgePair("PRV-07", { control: done, probe: bad }, bad.flatMap(forbidden))
  if (unknown.length > 0) {
    yield* judgePair("PRV-08", { control: done, probe: unknown }, unknown.flatMap(forbidden))
  }
})

/** Judges refused changes of one entity type. */
const judgeUpdates = Effect.fnUntraced(function* (entity: string, them: ReadonlyArray<Holder>, first: Holder) {
  const target = yield* makeTarget(entity, yield* lendParts(entity))
  const before = yield* groundOf(target)
  const asked = yield* refuseUpdates(target, them, first)
  const after = yield* stateOf(entity, target.resource)
  const [call] = asked.calls
  const [own] = yield* updateCalls(target)
  if (call === undefined || own === undefined) return yield* block("the profile has no write path")
  const done = yield* control(attempt(own, "admin"))
  const changed = yield* stateOf(entity, target.resource)
  yield* judgeRefusedUpdates(entity, asked, done)
  yield* judgeUnknownRead(target, before)
  if (before.data === undefined) return
  const same = isUntouched(before, after, [call.unique])
  if (same.length === 0 && equals(after.data, changed.data)) {
    if (!isShown(entity)) return // the specification does not say what a read of it shows
    return yield* block(`the profile's write path of ${entity} changes no value that a read shows`, done.exchange)
  }
  const probe = [...asked.refused.map(({ exchange }) => exchange), ...asked.absent, ...asked.bad]
  yield* judgeUnchanged({ control: done, probe, after: after.exchange }, same)
})

const updating = walk({
  name: "privileges/update",
  judges: ["PRV-03", "PRV-07", "PRV-09"],
  alsoJudges: ["PRV-05", "PRV-08", "PRV-10"],
  impact: "mutate-own",
  needs: ["limited tokens", "write paths"]
})(function* () {
  const rules = ["PRV-03", "PRV-07", "PRV-09"] as const
  const types = yield* typesWith("update")
  if (types.length === 0) return yield* block("the profile has no write path for a resource that can be created")
  for (const entity of types) {
    const them = nearest(yield* holders, entity, "UPDATE")
    const [first] = them
    if (first === undefined) yield* leaveOut(rules, "UPDATE", entity)
    else yield* apart(rules, judgeUpdates(entity, them, first))
  }
})

/** Makes every DELETE on one entity type that must be refused. */
export const refuseDeletes = Effect.fnUntraced(function* (target: Target, them: ReadonlyArray<Holder>, first: Holder) {
  const { entity, resource } = target
  const calls = yield* deleteCalls(entity, resource.id)
  const refused = yield* Effect.forEach(calls, (call) => asEach(them, (as) => attempt(call, as)))
  const nobody = yield* nobodyLike(resource)
  const missing = nobody === undefined ? [] : yield* deleteCalls(entity, nobody)
  const twin = yield* twinOf(entity, "DELETE", first)
  return {
    refused: refused.flat(),
    absent: yield* notThere(target, calls.length === 0 ? ["DELETE"] : [], first),
    unknown: yield* Effect.forEach(missing, (call) => attempt(call, twin))
  }
})

/** Judges the answers to refused deletes by a delete that was carried out. */
export const judgeRefusedDeletes = Effect.fnUntraced(function* (
  entity: string,
  { absent, refused, unknown }: Effect.Success<ReturnType<typeof refuseDeletes>>,
  gone: Control
) {
  const probe = [...refused.map(({ exchange }) => exchange), ...absent]
  const differences = [...refused.flatMap(({ exchange }) => forbidden(exchange)), ...absent.flatMap(noSuchMethod)]
  yield* judgePair("PRV-04", { control: gone, probe }, differences)
  yield* judgeAlone(entity, refused, gone)
  yield* judgeMessages(refused, "DELETE")
  if (unknown.length > 0) {
    yield* judgePair("PRV-08", { control: gone, probe: unknown }, unknown.flatMap(forbidden))
  }
})

/** Judges refused deletes of one entity type. */
const judgeDeletes = Effect.fnUntraced(function* (entity: string, them: ReadonlyArray<Holder>, first: Holder) {
  const target = yield* makeTarget(entity, yield* lendParts(entity))
  const asked = yield* refuseDeletes(target, them, first)
  const { after, gone: lost, isSeen } = yield* stillThere(target)
  const gone = yield* control(remove(entity, target.resource.id))
  yield* judgeRefusedDeletes(entity, asked, gone)
  const probe = [...asked.refused.map(({ exchange }) => exchange), ...asked.absent]
  if (isSeen) yield* judgeUnchanged({ control: gone, probe, after: after.exchange }, lost)
})

const deleting = walk({
  name: "privileges/delete",
  judges: ["PRV-04"],
  alsoJudges: ["PRV-05", "PRV-08", "PRV-09", "PRV-10"],
  impact: "mutate-own",
  needs: ["limited tokens", "delete paths"]
})(function* () {
  for (const entity of yield* typesWith("delete")) {
    const them = nearest(yield* holders, entity, "DELETE")
    const [first] = them
    if (first === undefined) yield* leaveOut(["PRV-04"], "DELETE", entity)
    else yield* apart(["PRV-04"], judgeDeletes(entity, them, first))
  }
})

/** Issues a second token to a principal by the profile's create of access tokens, and deletes the token after its use. */
const reissuedTo = Effect.fnUntraced(function* (as: PrincipalName) {
  const { profile, send, unique: nextName } = yield* Session
  if (limitsOf(profile).ceiling === "read") return yield* block("needs the ceiling create; the profile allows read")
  const unique = yield* nextName
  const answer = yield* create("accessToken", unique, yield* bodyOf("accessToken", unique), { as })
  const group = yield* groupOf("accessToken")
  const secret = at(answer.answer?.json, group?.create?.secret ?? "")
  const [id, how] = [madeId(answer), group?.delete]
  if (id !== undefined && typeof secret === "string") {
    const end = how === undefined ? Effect.void : send({ method: how.method, path: fillPath(how.path, { id }), as })
    return { token: { authorization: `Bearer ${secret}` }, end }
  }
  return yield* block(
    `${as} cannot create a second token. principals.limited.reissued in the profile would show that it is refused the ` +
      "same calls",
    answer
  )
})

const reissued = walk({
  name: "privileges/reissued-token",
  judges: ["PRV-11"],
  impact: "read",
  needs: ["limited tokens", "re-issued token"]
})(function* () {
  const all = yield* holders
  const types = yield* readableTypes
  // prefer a second token of the profile
  const issues = !all.some(({ limited }) => limited.reissued !== undefined)
  const [found] = all.flatMap((holder) => {
    const mayRead = types.find((entity) => may(holder, entity, "READ"))
    const mayNot = types.find((entity) => !may(holder, entity, "READ"))
    const hasTwo = holder.limited.reissued !== undefined || issues
    return hasTwo && mayRead !== undefined && mayNot !== undefined ? [{ holder, mayRead, mayNot }] : []
  })
  if (found === undefined) {
    return yield* block("no principal with a re-issued token may READ one entity type and not another")
  }
  const { holder, mayNot, mayRead } = found
  const { end, token } = issues
    ? yield* reissuedTo(holder.name)
    : { token: `${holder.name}.reissued` as const, end: Effect.void }
  const { send } = yield* Session
  const read = yield* send({ ...(yield* readCall(mayRead)).call, as: token })
  const { call } = yield* readCall(mayNot)
  const both = [yield* send({ ...call, as: holder.name }), yield* send({ ...call, as: token })]
  yield* end
  const allowed = yield* control(Effect.succeed(read))
  yield* judgePair("PRV-11", { control: allowed, probe: both }, both.flatMap(forbidden))
})

/** Refusals for a missing privilege. */
export const refusalWalks: ReadonlyArray<Walk> = [reading, ...refusedCreateWalks, updating, deleting, reissued]
