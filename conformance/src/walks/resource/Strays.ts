import { Effect } from "effect"
import type { Guarded, Target } from "../../calls/GuardedCalls.ts"
import { carries, idOf, itemsOf, slotsOf } from "../../calls/Reading.ts"
import type { Parts } from "../../calls/Resources.ts"
import { externalIdOf } from "../../calls/ShownWorkers.ts"
import * as Expect from "../../judgement/Expect.ts"
import { type Call, Session } from "../../judgement/Session.ts"
import { findPathOf } from "../../profile/Groups.ts"
import type { Profile } from "../../profile/Profile.ts"
import type { Json } from "../../text/Json.ts"
import { type Exchange, isIn } from "../../wire/Exchange.ts"

// Finds the resources that refused creates made.

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
const straysIn = (after: Exchange, call: Guarded, parts: Parts, own: string): ReadonlyArray<string> =>
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

/** Lists that were read already, by path. */
export type Known = Map<string, Exchange>

/** Reads a list, once if it may be known. */
const listAt = Effect.fnUntraced(function* (path: string, admin: Pick<Call, "as" | "to">, known?: Known) {
  const { send } = yield* Session
  const list = known?.get(path) ?? (yield* send({ method: "GET", path, turn: "any", ...admin }))
  known?.set(path, list)
  return list
})

/**
 * Looks for resources that a refused create made, and marks them for deletion. `path` is the one of a list that would
 * show them, and `own` the id of a credential that has the same owner.
 */
export const lookForStrays = Effect.fnUntraced(function* (
  call: Guarded,
  { entity, own = "", parts }: Pick<Target, "entity" | "parts"> & { readonly own?: string },
  path: string,
  admin: Pick<Call, "as" | "to"> = {},
  known?: Known
) {
  const session = yield* Session
  const list = yield* listAt(path, admin, known)
  const ids = straysIn(list, call, parts, own)
  const to = admin.to === "second tenant" ? { to: admin.to } : {}
  yield* Effect.forEach(ids, (id) => session.made({ type: entity, id, ...to }, call.unique ?? id))
  const strays = ids.length === 0 ? [] : Expect.difference(list, "changed", "body.data", "nothing more", ids)
  return { list, strays }
})

/** Whether the list that would show a target has it; undefined if no such list is known. */
export const isListed = Effect.fnUntraced(function* (
  { entity, parts, resource }: Target,
  admin: Pick<Call, "as" | "to"> = {},
  known?: Known
) {
  const { profile } = yield* Session
  const path = listPathOf(profile, { entity, unique: resource.unique }, parts)
  if (path === undefined) return undefined
  const list = yield* listAt(path, admin, known)
  return { list, has: itemsOf(list.answer?.json).some((item) => idOf(item) === resource.id) }
})

/**
 * Looks for a target in the list that would show it: a read by id may show a deleted one as before. Another target that
 * the list does not show either proves nothing.
 */
export const lookIfGone = Effect.fnUntraced(function* <E, R>(
  target: Target,
  another: Effect.Effect<Target, E, R>,
  admin: Pick<Call, "as" | "to"> = {},
  known?: Known
) {
  const own = yield* isListed(target, admin, known)
  if (own === undefined || own.has || !isIn(own.list, 2))
    return { reads: own === undefined ? [] : [own.list], gone: [] }
  const other = yield* isListed(yield* another, admin)
  const gone = Expect.difference(own.list, "changed", "body.data", "the resource", "none")
  return { reads: [own.list], gone: other?.has === true ? gone : [] }
})
