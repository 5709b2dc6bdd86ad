import { Effect } from "effect"
import {
  attempt,
  createCall,
  forbidden,
  type Guarded,
  guardedTypes,
  isShown,
  makeTarget,
  type Target
} from "../../calls/GuardedCalls.ts"
import { carries, idOf, itemsOf, slotsOf } from "../../calls/Reading.ts"
import { lend, type Parts, read } from "../../calls/Resources.ts"
import { externalIdOf } from "../../calls/ShownWorkers.ts"
import type { Blocked } from "../../judgement/Blocked.ts"
import * as Expect from "../../judgement/Expect.ts"
import { apart, control, judgePair } from "../../judgement/Judge.ts"
import { Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { findPathOf } from "../../profile/Groups.ts"
import { type Holder, nearest } from "../../profile/LimitedPrincipals.ts"
import type { Profile } from "../../profile/Profile.ts"
import type { Json } from "../../text/Json.ts"
import type { Exchange } from "../../wire/Exchange.ts"
import {
  asEach,
  holders,
  invalid,
  judgeAlone,
  judgeMessages,
  judgeMissing,
  judgeUnchanged,
  leaveOut,
  twinsOf
} from "../answer/Refusing.ts"
import { alteredIds } from "./UnknownIds.ts"

/**
 * Whether a list item comes from a refused create. Workers are recognized by name, and credentials by an owner that did
 * not have them. Other resources are recognized by the name anywhere in them.
 */
const isStray = (item: Json, { entity, unique = "" }: Guarded, { worker }: Parts, own: string): boolean => {
  if (entity === "worker") return externalIdOf(item) === unique
  if (entity === "credential") return slotsOf(item).worker === worker?.id && idOf(item) !== own
  return carries(item, unique)
}

/** The items of a list that come from a refused create. */
export const straysIn = (after: Exchange, call: Guarded, parts: Parts, own: string): ReadonlyArray<string> =>
  itemsOf(after.answer?.json).flatMap((item) => {
    const id = idOf(item)
    return isStray(item, call, parts, own) && id !== undefined ? [id] : []
  })

/** The path of a list that would show the created resource; undefined if no list is known. */
export const listPathOf = (
  profile: Profile,
  { entity, unique = "" }: Pick<Guarded, "entity" | "unique">,
  { worker }: Parts
): string | undefined =>
  entity === "credential"
    ? `/credentials?ownerExternalId=${encodeURIComponent(worker?.unique ?? "")}`
    : findPathOf(profile, entity, unique)

/** No refused create made a resource. Deletes those that were made anyway. */
const judgeNoneMade = Effect.fnUntraced(function* (
  pair: Parameters<typeof judgeUnchanged>[0],
  call: Guarded,
  parts: Parts,
  own: string
) {
  const session = yield* Session
  const strays = straysIn(pair.after, call, parts, own)
  const wrong = [...Expect.status(pair.after, 200), ...Expect.type(pair.after, "data", "list")]
  const made = strays.length === 0 ? [] : Expect.difference(pair.after, "changed", "body.data", "nothing more", strays)
  yield* judgeUnchanged(pair, [...wrong, ...made])
  yield* Effect.forEach(strays, (id) => session.made({ type: call.entity, id }, call.unique ?? id))
})

/** Makes and judges every CREATE of one entity type that must be refused. A target shows that its body is right. */
export const refuseCreates = Effect.fnUntraced(function* (
  { entity, parts, resource }: Target,
  them: ReadonlyArray<Holder>,
  first: Holder
) {
  const { profile, send } = yield* Session
  const made = yield* control(Effect.succeed(resource.exchange))
  const call = yield* createCall(entity, parts)
  const refused = yield* asEach(them, (as) => attempt(call, as))
  const probe = refused.map(({ exchange }) => exchange)
  yield* judgePair("PRV-02", { control: made, probe }, probe.flatMap(forbidden))
  yield* judgeAlone(entity, refused, made)
  yield* judgeMessages(refused, "CREATE")
  const callers = yield* twinsOf(entity, "CREATE", first)
  const bad = yield* Effect.forEach(invalid, (change, place) =>
    attempt(call, callers[place % callers.length] ?? first.name, change)
  )
  yield* judgePair("PRV-07", { control: made, probe: bad }, bad.flatMap(forbidden))
  const path = listPathOf(profile, call, parts)
  const own = resource.id
  if (path !== undefined) {
    const after = yield* send({ method: "GET", path })
    yield* judgeNoneMade({ control: made, probe: [...probe, ...bad], after }, call, parts, own)
  }
  const [other] = alteredIds(own, 1)
  if (entity === "credential" && other !== undefined) yield* judgeMissing(yield* control(read(entity, own)), other)
})

const creating = walk({
  name: "privileges/create",
  judges: ["PRV-02"],
  alsoJudges: ["PRV-05", "PRV-07", "PRV-08", "PRV-09", "PRV-10"],
  impact: "create",
  needs: ["limited tokens", "credential body"]
})(function* () {
  // another walk makes the creates of other entity types
  for (const entity of (yield* guardedTypes).filter(isShown)) {
    const them = nearest(yield* holders, entity, "CREATE")
    const [first] = them
    if (first === undefined) yield* leaveOut(["PRV-02"], "CREATE", entity)
    else {
      const lent = Effect.map(lend(entity, "part"), (resource): Target => ({ entity, resource, parts: {} }))
      // the list of a credential's owner must show no other credential
      const made: Effect.Effect<Target, Blocked, Session> = entity === "worker" ? lent : makeTarget(entity)
      yield* apart(
        ["PRV-02"],
        Effect.flatMap(made, (target) => refuseCreates(target, them, first))
      )
    }
  }
})

/** Principals that must not create. */
export const refusedCreateWalks: ReadonlyArray<Walk> = [creating]
