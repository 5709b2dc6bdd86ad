import { findPathOf } from "../profile/Groups.ts"
import type { Profile } from "../profile/Profile.ts"
import type { Json } from "../text/Json.ts"
import type { Exchange } from "../wire/Exchange.ts"
import type { Guarded } from "./GuardedCalls.ts"
import { carries, idOf, itemsOf, slotsOf } from "./Reading.ts"
import type { Parts } from "./Resources.ts"
import { externalIdOf } from "./ShownWorkers.ts"

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
