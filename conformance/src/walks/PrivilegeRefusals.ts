import { Effect } from "effect"
import { type Exchange, isIn, statusOf } from "../Exchange.ts"
import * as Expect from "../Expect.ts"
import {
  attempt,
  createCall,
  deleteCalls,
  forbidden,
  type Guarded,
  type GuardedType,
  guardedTypes,
  makeableTypes,
  makeTarget,
  readCall,
  type Target,
  updateCalls
} from "../GuardedCalls.ts"
import { equals } from "../Json.ts"
import { block, blockRule, type Control, control, judge, judgePair } from "../Judge.ts"
import { type Holder, holdersOf, lacking, nearest } from "../LimitedPrincipals.ts"
import { lookUp } from "../Lookup.ts"
import type { Operation } from "../Profile.ts"
import { idOf, itemsOf, slotsOf } from "../Reading.ts"
import { isUntouched, shownState, stateOf } from "../ResourceState.ts"
import { makeWorker, pathOf, read, remove } from "../Resources.ts"
import { Session } from "../Session.ts"
import { externalIdOf } from "../ShownWorkers.ts"
import { type Walk, walk } from "../Walk.ts"
import { alteredIds, nobodysId } from "./UnknownIds.ts"

const holders = Effect.map(Session, ({ profile }) => holdersOf(profile))

const nobodyLacks = (operation: Operation, entity: GuardedType): string =>
  `no limited principal of the profile lacks ${operation} on ${entity}`

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")

/** A refusal names the caller's own account and the operation (PRV-10). */
const named = (exchange: Exchange, { limited }: Holder, operation: Operation): Expect.Met => {
  const urn = limited.accountUrn === undefined ? "urn:\\S+" : escaped(limited.accountUrn)
  const words = `${limited.accountUrn ?? "<account_urn>"} is unauthorized to ${operation} <entities>.`
  return Expect.matches(
    exchange,
    "error.message",
    new RegExp(`^${urn} is unauthorized to ${operation} \\S.*\\.$`, "s"),
    words
  )
}

/** Who asked, and what came of it. */
interface Asked {
  readonly holder: Holder
  readonly exchange: Exchange
}

/** Judges the messages of the refusals among these; what was not refused has none. */
const judgeMessages = Effect.fnUntraced(function* (asked: ReadonlyArray<Asked>, operation: Operation) {
  const refused = asked.filter(({ exchange }) => statusOf(exchange) === 403)
  if (refused.length === 0) return
  const evidence = refused.map(({ exchange }) => exchange)
  yield* judge(
    "PRV-10",
    evidence,
    refused.flatMap(({ exchange, holder }) => named(exchange, holder, operation))
  )
})

/** Sends a call as each of these, and tells who was answered what. */
const asEach = <E, R>(them: ReadonlyArray<Holder>, send: (as: Holder["name"]) => Effect.Effect<Exchange, E, R>) =>
  Effect.forEach(them, (holder) => Effect.map(send(holder.name), (exchange) => ({ holder, exchange })))

/** Reads a credential that nobody has, as one who may not read any: no read of one worker is shown. */
const judgeMissing = Effect.fnUntraced(function* (allowed: Control, id: string) {
  const { send } = yield* Session
  const [holder] = lacking(yield* holders, "credential", "READ")
  if (holder === undefined) return yield* blockRule("PRV-08", nobodyLacks("READ", "credential"))
  const path = `${yield* pathOf("credential")}/${encodeURIComponent(id)}`
  const missing = yield* send({ method: "GET", path, as: holder.name })
  yield* judgePair("PRV-08", { control: allowed, probe: missing }, forbidden(missing))
})

const reading = walk(
  {
    name: "privileges/read",
    judges: ["PRV-01", "PRV-08", "PRV-10"],
    blast: "read",
    needs: ["limited tokens"]
  },
  Effect.gen(function* () {
    const all = yield* holders
    const { unique } = yield* Session
    const asked: Array<Asked> = []
    for (const entity of guardedTypes) {
      const call = yield* readCall(entity)
      const allowed = yield* control(attempt(call, "admin"))
      const them = lacking(all, entity, "READ")
      const answers = yield* asEach(them, (as) => attempt(call, as))
      const probe = answers.map(({ exchange }) => exchange)
      asked.push(...answers)
      if (them.length === 0) yield* blockRule("PRV-01", nobodyLacks("READ", entity))
      else yield* judgePair("PRV-01", { control: allowed, probe }, probe.flatMap(forbidden))
      if (entity === "credential") yield* judgeMissing(allowed, `cred_${yield* unique}`)
    }
    yield* judgeMessages(asked, "READ")
    if (asked.every(({ exchange }) => statusOf(exchange) !== 403)) {
      yield* blockRule("PRV-10", "nobody was refused a read with 403")
    }
  })
)

/** Judges that what was refused changed nothing. What was carried out all the same breaks the rule that refuses it. */
const judgeUnchanged = Effect.fnUntraced(function* (
  pair: { readonly control: Control; readonly probe: ReadonlyArray<Exchange>; readonly after: Exchange },
  differences: Expect.Met
) {
  const done = pair.probe.filter((exchange) => !isIn(exchange, 4))
  if (done.length === 0) return yield* judgePair("PRV-09", pair, differences)
  yield* blockRule("PRV-09", "prerequisite failed: a call that had to be refused was not", done)
})

/** Bodies that nobody's create or change takes. */
const invalid = [
  { raw: { body: '{"identity":', type: "application/json" } },
  { raw: { body: "[42]", type: "application/json" } }
]

/** What a list shows of what was to be made and refused: workers of that name, credentials that the owner had not. */
const straysIn = (after: Exchange, { entity, unique }: Guarded, owner: string, own: string) =>
  itemsOf(after.answer?.json).flatMap((item) => {
    const id = idOf(item)
    const isStray = entity === "worker" ? externalIdOf(item) === unique : slotsOf(item).worker === owner && id !== own
    return isStray && id !== undefined ? [id] : []
  })

/** Judges that no refused create made anything; what it made all the same is deleted again. */
const judgeNoneMade = Effect.fnUntraced(function* (
  pair: Parameters<typeof judgeUnchanged>[0],
  call: Guarded,
  owner: string,
  own: string
) {
  const session = yield* Session
  const strays = straysIn(pair.after, call, owner, own)
  const wrong = [...Expect.status(pair.after, 200), ...Expect.type(pair.after, "data", "list")]
  const made = strays.length === 0 ? [] : Expect.difference(pair.after, "changed", "body.data", "nothing more", strays)
  yield* judgeUnchanged(pair, [...wrong, ...made])
  yield* Effect.forEach(strays, (id) => session.made({ type: call.entity, id }, call.unique ?? id))
})

const creating = walk(
  {
    name: "privileges/create",
    judges: ["PRV-02"],
    alsoJudges: ["PRV-07", "PRV-08", "PRV-09", "PRV-10"],
    blast: "create",
    needs: ["limited tokens", "credential body"]
  },
  Effect.gen(function* () {
    const { send } = yield* Session
    for (const entity of yield* makeableTypes) {
      const them = nearest(yield* holders, entity, "CREATE")
      const [first] = them
      if (first === undefined) {
        yield* blockRule("PRV-02", nobodyLacks("CREATE", entity))
        continue
      }
      const owner = yield* makeWorker()
      const made = yield* control(attempt(yield* createCall(entity, owner), "admin"))
      const call = yield* createCall(entity, owner)
      const refused = yield* asEach(them, (as) => attempt(call, as))
      const probe = refused.map(({ exchange }) => exchange)
      yield* judgePair("PRV-02", { control: made, probe }, probe.flatMap(forbidden))
      yield* judgeMessages(refused, "CREATE")
      const bad = yield* Effect.forEach(invalid, (change) => attempt(call, first.name, change))
      yield* judgePair("PRV-07", { control: made, probe: bad }, bad.flatMap(forbidden))
      const after =
        entity === "worker"
          ? yield* lookUp(call.unique)
          : yield* send({ method: "GET", path: `/credentials?ownerExternalId=${encodeURIComponent(owner.unique)}` })
      const own = idOf(Expect.valueAt(made.exchange, "data")) ?? ""
      yield* judgeNoneMade({ control: made, probe: [...probe, ...bad], after }, call, owner.id, own)
      const [other] = alteredIds(own, 1)
      if (entity === "credential" && other !== undefined) yield* judgeMissing(yield* control(read(entity, own)), other)
    }
  })
)

/** A method that the profile does not show, aimed at a resource: refused, or not there at all. */
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

/** Every refusal of UPDATE on one entity type. */
const refuseUpdates = Effect.fnUntraced(function* (target: Target, them: ReadonlyArray<Holder>, first: Holder) {
  const calls = yield* updateCalls(target)
  const shown = calls.map(({ call }) => call.method)
  const refused = yield* Effect.forEach(calls, (call) => asEach(them, (as) => attempt(call, as)))
  const nobody = nobodysId(target.resource.id)
  const missing = nobody === undefined ? [] : yield* updateCalls(target, nobody)
  return {
    calls,
    refused: refused.flat(),
    absent: yield* notThere(
      target,
      ["PATCH", "PUT"].filter((method) => !shown.includes(method)),
      first
    ),
    bad: yield* Effect.forEach(
      calls.flatMap((call) => invalid.map((change) => ({ call, change }))),
      ({ call, change }) => attempt(call, first.name, change)
    ),
    unknown: yield* Effect.forEach(missing, (call) => attempt(call, first.name))
  }
})

/** The types of which the profile shows both how one is made and how it is changed. */
const changeableTypes = Effect.gen(function* () {
  const types = yield* makeableTypes
  const { profile } = yield* Session
  const changeable = types.filter((entity) => (profile.groups?.[entity]?.update ?? []).length > 0)
  return changeable.length > 0 ? changeable : yield* block("the profile shows no change of anything that can be made")
})

const updating = walk(
  {
    name: "privileges/update",
    judges: ["PRV-03", "PRV-07", "PRV-09"],
    alsoJudges: ["PRV-08", "PRV-10"],
    blast: "mutate-own",
    needs: ["limited tokens", "write paths"]
  },
  Effect.gen(function* () {
    for (const entity of yield* changeableTypes) {
      const them = nearest(yield* holders, entity, "UPDATE")
      const [first] = them
      if (first === undefined) return yield* block(nobodyLacks("UPDATE", entity))
      const target = yield* makeTarget(entity)
      const before = yield* shownState(entity, target.resource)
      const { absent, bad, calls, refused, unknown } = yield* refuseUpdates(target, them, first)
      const after = yield* stateOf(entity, target.resource)
      const [call] = calls
      const [own] = yield* updateCalls(target)
      if (call === undefined || own === undefined) return yield* block("the profile shows no change")
      const done = yield* control(attempt(own, "admin"))
      const changed = yield* stateOf(entity, target.resource)
      const probe = refused.map(({ exchange }) => exchange)
      yield* judgePair("PRV-03", { control: done, probe: [...probe, ...absent] }, [
        ...probe.flatMap(forbidden),
        ...absent.flatMap(noSuchMethod)
      ])
      yield* judgeMessages(refused, "UPDATE")
      yield* judgePair("PRV-07", { control: done, probe: bad }, bad.flatMap(forbidden))
      if (unknown.length > 0) {
        yield* judgePair("PRV-08", { control: done, probe: unknown }, unknown.flatMap(forbidden))
      }
      const same = isUntouched(entity, before, after, [call.unique])
      if (same.length === 0 && equals(after.data, changed.data)) {
        return yield* block(`the profile's change of a ${entity} changes nothing that a read shows`, done.exchange)
      }
      yield* judgeUnchanged({ control: done, probe: [...probe, ...absent, ...bad], after: after.exchange }, same)
    }
  })
)

const deleting = walk(
  {
    name: "privileges/delete",
    judges: ["PRV-04"],
    alsoJudges: ["PRV-08", "PRV-09", "PRV-10"],
    blast: "mutate-own",
    needs: ["limited tokens", "delete paths"]
  },
  Effect.gen(function* () {
    for (const entity of yield* makeableTypes) {
      const them = nearest(yield* holders, entity, "DELETE")
      const [first] = them
      if (first === undefined) {
        yield* blockRule("PRV-04", nobodyLacks("DELETE", entity))
        continue
      }
      const target = yield* makeTarget(entity)
      const { id } = target.resource
      yield* shownState(entity, target.resource)
      const calls = yield* deleteCalls(entity, id)
      const refused = (yield* Effect.forEach(calls, (call) => asEach(them, (as) => attempt(call, as)))).flat()
      const absent = yield* notThere(target, calls.length === 0 ? ["DELETE"] : [], first)
      const nobody = nobodysId(id)
      const missing = nobody === undefined ? [] : yield* deleteCalls(entity, nobody)
      const unknown = yield* Effect.forEach(missing, (call) => attempt(call, first.name))
      const after = yield* stateOf(entity, target.resource)
      const gone = yield* control(remove(entity, id))
      const probe = [...refused.map(({ exchange }) => exchange), ...absent]
      const differences = [...refused.flatMap(({ exchange }) => forbidden(exchange)), ...absent.flatMap(noSuchMethod)]
      yield* judgePair("PRV-04", { control: gone, probe }, differences)
      yield* judgeMessages(refused, "DELETE")
      if (unknown.length > 0) {
        yield* judgePair("PRV-08", { control: gone, probe: unknown }, unknown.flatMap(forbidden))
      }
      const isThere = Expect.same(after.exchange, "body.data.id", id, idOf(after.data))
      yield* judgeUnchanged({ control: gone, probe, after: after.exchange }, isThere)
    }
  })
)

const reissued = walk(
  {
    name: "privileges/reissued-token",
    judges: ["PRV-11"],
    blast: "read",
    needs: ["limited tokens", "re-issued token"]
  },
  Effect.gen(function* () {
    const all = yield* holders
    const [found] = all.flatMap((holder) => {
      const mayRead = guardedTypes.find((entity) => !lacking([holder], entity, "READ").includes(holder))
      const mayNot = guardedTypes.find((entity) => lacking([holder], entity, "READ").includes(holder))
      const hasTwo = holder.limited.reissued !== undefined
      return hasTwo && mayRead !== undefined && mayNot !== undefined ? [{ holder, mayRead, mayNot }] : []
    })
    if (found === undefined) {
      return yield* block("no principal with a re-issued token may READ one of worker and credential and not the other")
    }
    const { holder, mayNot, mayRead } = found
    const allowed = yield* control(attempt(yield* readCall(mayRead), `${holder.name}.reissued`))
    const call = yield* readCall(mayNot)
    const both = [yield* attempt(call, holder.name), yield* attempt(call, `${holder.name}.reissued`)]
    yield* judgePair("PRV-11", { control: allowed, probe: both }, both.flatMap(forbidden))
  })
)

/** What is refused for want of a privilege. */
export const refusalWalks: ReadonlyArray<Walk> = [reading, creating, updating, deleting, reissued]
