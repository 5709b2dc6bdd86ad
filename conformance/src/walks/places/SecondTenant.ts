import { Effect } from "effect"
import { everyCall, readOne, type Stage } from "../../calls/EveryCall.ts"
import {
  attempt,
  blockIfAstray,
  createCall,
  type Guarded,
  isById,
  isShown,
  listOf,
  makeableTypes,
  readableTypes,
  readCall
} from "../../calls/GuardedCalls.ts"
import { idOf, itemsOf, showsId } from "../../calls/Reading.ts"
import { stateOf } from "../../calls/ResourceState.ts"
import { made, makeParts, sharedResource } from "../../calls/Resources.ts"
import { shows } from "../../calls/ShownWorkers.ts"
import * as Expect from "../../judgement/Expect.ts"
import { control, ifAsked, judge, judgeNoAccess, judgePair, walkPart } from "../../judgement/Judge.ts"
import { Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { makeableTypesOf } from "../../profile/Groups.ts"
import type { PrincipalName } from "../../profile/Principals.ts"
import { at } from "../../text/Json.ts"
import { type Exchange, isIn, statusOf } from "../../wire/Exchange.ts"
import { hasWord } from "../../wire/Words.ts"
import { ownPrincipals, requireTwoHosts } from "../access/Tenants.ts"
import { listPathOf } from "../resource/Strays.ts"
import { type Ground, judgeTrials, makeGround, namesOf, sharedGround, type Trial } from "./Trials.ts"

const second = "second tenant"

/** The second tenant's admin on that tenant's host. */
const there = { as: "secondTenant.admin", to: second } as const

/** No 2xx that shows or makes something. A list without items and a delete that finds nothing are allowed. */
const opensNothing = (exchange: Exchange): Expect.Met => {
  const { json, text = "" } = exchange.answer ?? {}
  const isData = itemsOf(json).length > 0 || idOf(at(json, "data")) !== undefined
  return isIn(exchange, 2) && isData && text !== ""
    ? Expect.difference(exchange, "status", "status", "no 2xx with data", statusOf(exchange))
    : []
}

/** The call exists at this host too. A 403 is possible: the privileges of the second admin are unknown. */
const isOffered = (exchange: Exchange): Expect.Met =>
  [404, 405, 501].includes(statusOf(exchange))
    ? Expect.difference(exchange, "status", "status", "any but 404, 405 and 501", statusOf(exchange))
    : []

/** A target of every call in the second tenant. */
const makeThere = Effect.fnUntraced(function* (entity: string) {
  const { profile } = yield* Session
  const parts = yield* makeParts(entity, there)
  const call = yield* createCall(entity, parts)
  const exchange = yield* attempt(call, there.as, there)
  yield* judge("TRN-04", [exchange], isOffered(exchange))
  const resource = yield* made(call.unique, exchange)
  const hasApplicants = makeableTypesOf(profile).includes("applicant")
  const stage: Stage = {
    entity,
    parts,
    resource,
    next: entity === "credential" ? yield* sharedResource("worker", "owner", second) : undefined,
    absent: entity === "credential" && hasApplicants ? yield* sharedResource("applicant", "owner", second) : undefined
  }
  return stage
})

/** Like `makeThere`; undefined if the second tenant has no such resource. Other walks judge why. */
const makeThereIfPossible = (entity: string) =>
  makeThere(entity).pipe(Effect.catchTag("Blocked", () => Effect.succeed(undefined)))

/** The documented list that shows a resource by its name, or by the name of its owner. */
const lookupsOf = Effect.fnUntraced(function* ({ entity, parts, resource: { unique } }: Stage) {
  const { profile } = yield* Session
  const path = isShown(entity) ? listPathOf(profile, { entity, unique }, parts) : undefined
  const lookups = path === undefined ? [] : [{ entity, operation: "READ", call: { method: "GET", path } } as const]
  return lookups satisfies ReadonlyArray<Guarded>
})

/**
 * The calls of a stage, aimed at a resource of another tenant, without the calls that name no resource. Transfers go to
 * an owner of either tenant.
 */
const callsAcross = Effect.fnUntraced(function* (stage: Stage, { next, parts, resource }: Stage) {
  const holder = parts["worker"]
  const aimed = { ...stage, resource, ...(stage.entity === "credential" && holder && { holder }) }
  const further = (yield* everyCall({ ...aimed, next })).filter(({ call }) => call.path.endsWith("/transfer"))
  const names = [encodeURIComponent(resource.id), resource.id]
  return [...further, ...(yield* everyCall(aimed))].filter(({ call }) =>
    names.some((name) => hasWord(`${call.path} ${JSON.stringify(call.json)}`, name))
  )
})

const isDelete = ({ operation }: Guarded): boolean => operation === "DELETE"

/** Calls that may succeed without effect for another tenant: a delete that finds nothing, and a batch. */
const mayFindNothing = ({ call, operation }: Guarded): boolean =>
  operation === "DELETE" || /^\/credentials\/(link|transfer)$/.test(call.path)

/** A list may be empty, or refused. */
const discloses = (list: Exchange, { resource: { id } }: Stage): Expect.Met =>
  showsId(list, id)
    ? Expect.difference(list, "disclosed", "body", "no data of the other tenant", id)
    : Expect.family(list, 2, 4)

/** One tenant's admin on the own host asks for the other tenant's resource. `own` is one of the admin's tenant, if any. */
const across =
  (caller: Ground["admin"], own: Stage | undefined): Trial =>
  ({ before: { control: good }, stage }) =>
    Effect.gen(function* () {
      const calls = yield* callsAcross(own ?? stage, stage)
      const asked = yield* Effect.forEach(calls, (call) =>
        Effect.map(attempt(call, caller.as ?? "admin", caller), (exchange) => ({ call, exchange }))
      )
      const looked = yield* Effect.forEach(yield* lookupsOf(stage), (call) =>
        attempt(call, caller.as ?? "admin", caller)
      )
      const probe = [...asked.map(({ exchange }) => exchange), ...looked]
      const answers = [
        ...asked.flatMap(({ call, exchange }) => Expect.family(exchange, 4, ...(mayFindNothing(call) ? [2] : []))),
        ...looked.flatMap((list) => discloses(list, stage))
      ]
      return {
        names: namesOf(calls),
        creates: [],
        deletes: caller.as !== undefined && calls.some(isDelete),
        judge: ({ kept, reads }) => judgePair("TRN-05", { control: good, probe, after: reads }, [...answers, ...kept])
      }
    })

/** The documented reads that show a resource. */
const readsOf = Effect.fnUntraced(function* (stage: Stage | undefined) {
  if (stage === undefined || !isShown(stage.entity)) return []
  const reading: Guarded | undefined = yield* readOne(stage)
  return [...(reading === undefined ? [] : [reading]), ...(yield* lookupsOf(stage))]
})

/** Callers without access make every call on a host, and ask there for a resource of their own. */
const byForeign =
  (them: ReadonlyArray<PrincipalName>, home: Stage | undefined, to?: typeof second): Trial =>
  ({ before: { control: good }, stage }) =>
    Effect.gen(function* () {
      const calls = [...(yield* everyCall(stage)), ...(yield* lookupsOf(stage)), ...(yield* readsOf(home))]
      const probe = yield* Effect.forEach(calls, (call, index) =>
        attempt(call, them[index % them.length] ?? "admin", { to })
      )
      const answers = probe.flatMap(opensNothing)
      const isLookedFor = ({ operation }: Guarded, index: number) =>
        operation === "CREATE" && isShown(stage.entity) && probe.slice(index, index + 1).some((one) => isIn(one, 4))
      return {
        names: namesOf(calls),
        creates: calls.filter(isLookedFor),
        judge: ({ kept, reads, strays }) =>
          judgeNoAccess("TRN-10", { control: good, probe, after: reads }, [...answers, ...kept, ...strays])
      }
    })

/** The second tenant's admin makes every call of its own. The other tenant's resource is not listed. */
const judgeOwn = Effect.fnUntraced(function* ({ before, stage }: Ground, foreign: Stage) {
  const isOfItem = ({ call, operation }: Guarded) =>
    operation === "READ" && call.path.endsWith(`/${encodeURIComponent(stage.resource.id)}`)
  // its create was one such call, and so was its read, if it is one by id
  const isMade = (call: Guarded) => call.operation === "CREATE" || (isOfItem(call) && isById(stage, before.exchange))
  // reads by id of undocumented groups were made above
  const calls = (yield* everyCall(stage)).filter((call) => !isMade(call) && (isShown(stage.entity) || !isOfItem(call)))
  // the specification documents a read of one resource for credentials alone
  const isDoubtful = (call: Guarded) => isOfItem(call) && stage.entity !== "credential"
  const done = yield* Effect.forEach(calls, (call) => attempt(call, there.as, there))
  const offered = done.filter((_, index) => calls[index] !== undefined && !isDoubtful(calls[index]))
  // the profile's paths may be wrong, on either host
  const isMissing = (exchange: Exchange) => isOffered(exchange).length > 0
  yield* blockIfAstray(stage.entity, offered.filter(isMissing))
  const all = stage.entity === "credential" ? [before.exchange, ...offered] : offered
  yield* judge("TRN-04", all, all.flatMap(isOffered))
  const lists = done.filter(
    ({ answer, request }) => request.method === "GET" && Array.isArray(at(answer?.json, "data"))
  )
  const shown = lists.filter(({ answer }) => itemsOf(answer?.json).some((item) => idOf(item) === foreign.resource.id))
  if (lists.length === 0) return
  yield* judgePair(
    "TRN-05",
    { control: before.control, probe: lists },
    shown.flatMap((list) =>
      Expect.difference(list, "disclosed", "body.data", "no data of the other tenant", foreign.resource.id)
    )
  )
})

/** Reads a target in the second tenant before calls of others. */
const groundThere = Effect.fnUntraced(function* (stage: Stage) {
  const state = yield* stateOf(stage.entity, stage.resource, there)
  const good = yield* control(Effect.succeed(isIn(state.exchange, 2) ? state.exchange : stage.resource.exchange))
  return { stage, admin: there, before: { ...state, control: good } } satisfies Ground
})

/** The trials whose rules are selected. */
const asked = (foreign: Trial, crossing: Trial) =>
  Effect.map(Session, ({ isAsked }) => [
    ...(isAsked("TRN-10") ? [foreign] : []),
    ...(isAsked("TRN-05") ? [crossing] : [])
  ])

/** Every call of one group: on each host, by each tenant, for resources of each tenant. */
const judgeGroup = Effect.fnUntraced(function* (entity: string) {
  const here = yield* sharedGround(entity)
  const theirs = yield* makeThereIfPossible(entity)
  const hereTrials = yield* asked(byForeign([there.as], theirs), across(there, theirs))
  yield* judgeTrials(here, makeGround(entity), hereTrials)
  if (theirs === undefined) return
  const elsewhere = yield* groundThere(theirs)
  if (entity === "worker") {
    const { exchange } = elsewhere.before
    yield* judge("WRK-05", [theirs.resource.exchange, exchange], shows(exchange, theirs.resource.id))
  }
  const another = Effect.flatMap(makeThere(entity), groundThere)
  const trials = yield* asked(byForeign(yield* ownPrincipals, here.stage, second), across({}, here.stage))
  const isKept = yield* judgeTrials(elsewhere, another, trials)
  const own = isKept ? Effect.succeed(elsewhere) : another
  yield* ifAsked(
    ["TRN-04", "TRN-05"],
    Effect.flatMap(own, (ground) => judgeOwn(ground, here.stage))
  )
})

/** Lists of groups in which nothing can be created. */
const judgeList = Effect.fnUntraced(function* (entity: string) {
  const call = yield* readCall(entity)
  const [here, elsewhere] = [yield* control(listOf(entity)), yield* attempt(call, there.as, there)]
  yield* judge("TRN-04", [elsewhere], isOffered(elsewhere))
  const probe = [
    yield* attempt(call, there.as),
    ...(yield* Effect.forEach((yield* ownPrincipals).slice(0, 1), (as) => attempt(call, as, { to: second })))
  ]
  yield* judgeNoAccess("TRN-10", { control: here, probe }, probe.flatMap(opensNothing))
})

const tenants = walk({
  name: "places/second-tenant",
  judges: ["TRN-05", "TRN-10"],
  alsoJudges: ["TRN-04", "WRK-05"],
  impact: "mutate-own",
  needs: ["second tenant"]
})(function* () {
  yield* requireTwoHosts
  const types = yield* makeableTypes
  for (const entity of types) yield* walkPart(["TRN-05", "TRN-10"], judgeGroup(entity))
  for (const entity of yield* readableTypes) {
    if (!types.includes(entity)) yield* walkPart(["TRN-10"], judgeList(entity))
  }
})

/** Every call of every group, on the hosts of two tenants. */
export const secondTenantWalks: ReadonlyArray<Walk> = [tenants]
