import { Effect } from "effect"
import { isShown, makeableTypes } from "../../calls/GuardedCalls.ts"
import { link, transfer, worker } from "../../calls/OwnershipCalls.ts"
import { idOf, itemsOf } from "../../calls/Reading.ts"
import { comparablePart, stateOf } from "../../calls/ResourceState.ts"
import {
  groupOf,
  makeCredential,
  makeFrom,
  makeParts,
  makeWorker,
  type Resource,
  read,
  remove,
  sharedOwner,
  unlessAstray
} from "../../calls/Resources.ts"
import { shownIn } from "../../calls/ShownWorkers.ts"
import * as Expect from "../../judgement/Expect.ts"
import { block, control, inShort, judge, observe, walkPart } from "../../judgement/Judge.ts"
import { type Call, Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { findPathOf } from "../../profile/Groups.ts"
import { needs } from "../../profile/Need.ts"
import { fill, fillPath } from "../../profile/Template.ts"
import { equals, type Json } from "../../text/Json.ts"
import type { Exchange } from "../../wire/Exchange.ts"
import { isIn, statusOf } from "../../wire/Exchange.ts"
import { codeWalks } from "./Codes.ts"

/** The list that shows a resource before its delete; undefined if there is none. */
const listShowing = Effect.fnUntraced(function* (type: string, { id, unique }: Resource) {
  const { profile, send } = yield* Session
  const path = findPathOf(profile, type, unique)
  if (path === undefined) return undefined
  return shownIn(yield* send({ method: "GET", path, turn: 0 }), id) === undefined ? undefined : path
})

/**
 * Reads a deleted resource again. If no read by id shows it, only the list that did can show that it is back. `listed`
 * is what the list showed after the first delete.
 */
const lookAgain = Effect.fnUntraced(function* (
  type: string,
  resource: Resource,
  before: Exchange,
  path: string | undefined,
  listed: Json
) {
  const { send } = yield* Session
  if (isIn(before, 2) || path === undefined) {
    const { exchange } = yield* stateOf(type, resource)
    return {
      exchange,
      same: Expect.same(exchange, "status and body", comparablePart(before), comparablePart(exchange))
    }
  }
  const exchange = yield* send({ method: "GET", path })
  const isBack = Expect.same(exchange, "status and body", listed, shownIn(exchange, resource.id) ?? null)
  // a filter that matches nothing may be a 404; a 5xx shows nothing
  return { exchange, same: [...Expect.family(exchange, 2, 4), ...isBack] }
})

/** Deletes twice, with reads after each. Workers are looked up, because no other read of them is documented. */
const deleteTwice = Effect.fnUntraced(function* (
  type: string,
  resource: Resource,
  by: ReadonlyArray<Pick<Call, "turn">> = []
) {
  const { send } = yield* Session
  const list = yield* listShowing(type, resource)
  const first = yield* unlessAstray(type, yield* remove(type, resource.id, by[0]))
  const { exchange: afterFirst } = yield* stateOf(type, resource)
  // a state of other groups includes their lists
  const isListed = type === "credential" && list !== undefined && !isIn(afterFirst, 2)
  const listed = isListed ? shownIn(yield* send({ method: "GET", path: list }), resource.id) : undefined
  const second = yield* remove(type, resource.id, by[1])
  const { exchange: after, same } = yield* lookAgain(type, resource, afterFirst, list, listed ?? null)
  return {
    first,
    second,
    evidence: [first, afterFirst, second, after],
    once: [...Expect.status(first, 204), ...Expect.empty(first)],
    again: [...Expect.accepted(second), ...same]
  }
})

/** Judges both deletes of a group by the rules that name its delete. */
const judgeTwice = Effect.fnUntraced(function* (type: string, resource: Resource) {
  const { again, evidence, first, once, second } = yield* deleteTwice(type, resource)
  yield* judge("DEL-01", [first], once)
  yield* control(Effect.succeed(first))
  yield* judge("DEL-02", evidence, again)
  yield* judge("DEL-07", [first, second], Expect.status(second, 204))
})

const twice = walk({
  name: "deletion/twice",
  judges: ["DEL-01", "DEL-02", "DEL-07"],
  impact: "mutate-own",
  needs: ["delete paths"]
})(function* () {
  const { profile } = yield* Session
  const owner = yield* makeWorker()
  if (needs["credential body"].isMet(profile)) {
    yield* judgeTwice("credential", yield* makeCredential({ worker: owner.id }))
  }
  yield* judgeTwice("worker", owner)
})

/** The same for any other group. */
const judgeGroup = Effect.fnUntraced(function* (type: string) {
  const resource = yield* makeFrom(type, yield* makeParts(type))
  const { again, evidence, first, once, second } = yield* deleteTwice(type, resource, [{ turn: 0 }, { turn: 1 }])
  yield* judge("DEL-03", evidence, [...once, ...again])
  yield* judge("DEL-07", [first, second], Expect.status(second, 204))
})

const everyGroup = walk({
  name: "deletion/every-group",
  judges: ["DEL-03"],
  alsoJudges: ["DEL-07"],
  impact: "mutate-own",
  needs: ["another group's delete path"]
})(function* () {
  const { profile } = yield* Session
  const others = (yield* makeableTypes).filter((type) => !isShown(type) && profile.groups?.[type]?.delete !== undefined)
  if (others.length === 0) return yield* block("no other group with a delete path has a create body")
  for (const type of others) yield* walkPart(["DEL-03"], judgeGroup(type))
})

/** Sends an update of a deleted resource, if the profile has one for the group. */
const update = Effect.fnUntraced(function* (type: string, { id, unique }: Resource) {
  const { send } = yield* Session
  const [change] = (yield* groupOf(type))?.update ?? []
  if (change === undefined) return []
  const json = fill(change.body, { id, unique, name: `Conformance ${unique}`, email: `${unique}@example.org` })
  return [yield* send({ method: change.method, path: fillPath(change.path, { id }), json })]
})

const inList = (list: Exchange, id: string): string => {
  if (statusOf(list) !== 200) return inShort(list)
  return itemsOf(list.answer?.json).some((item) => idOf(item) === id) ? "listed" : "not listed"
}

/**
 * Records a read, an update and another call on a deleted resource. Also records whether a later read answers the same.
 */
const observeDeleted = Effect.fnUntraced(function* <E, R>(
  type: string,
  deleted: Resource,
  list: string,
  last: { readonly as: string; readonly call: Effect.Effect<Exchange, E, R> }
) {
  const { send } = yield* Session
  const before = yield* read(type, deleted.id)
  const shown = yield* send({ method: "GET", path: list })
  const updated = yield* update(type, deleted)
  const called = yield* last.call
  const after = yield* read(type, deleted.id)
  const observed = {
    [`${type} read`]: inShort(before),
    [`${type} in a list`]: inList(shown, deleted.id),
    ...Object.fromEntries(updated.map((answer) => [`${type} updated`, inShort(answer)])),
    [last.as]: inShort(called),
    [`${type} read again`]: equals(comparablePart(before), comparablePart(after)) ? "the same" : inShort(after)
  }
  yield* observe("SIL-09", observed, [before, shown, ...updated, called, after])
})

const afterwards = walk({
  name: "deletion/afterwards",
  judges: ["SIL-09"],
  impact: "mutate-own",
  needs: ["credential body", "delete paths"]
})(function* () {
  const [owner, gone] = [yield* sharedOwner("worker"), yield* makeWorker()]
  const credential = yield* makeCredential({ worker: owner.id })
  const kept = yield* makeCredential({ worker: owner.id })
  yield* control(remove("credential", credential.id))
  yield* observeDeleted("credential", credential, `/credentials?ownerExternalId=${owner.unique}`, {
    as: "credential linked",
    call: link(credential.id, worker(owner.id))
  })
  yield* control(remove("worker", gone.id))
  yield* observeDeleted("worker", gone, `/workers?externalId=${gone.unique}`, {
    as: "worker transferred to",
    call: transfer(kept.id, worker(owner.id), worker(gone.id))
  })
})

/** Soft deletes and their effects. */
export const deletionWalks: ReadonlyArray<Walk> = [twice, everyGroup, afterwards, ...codeWalks]
