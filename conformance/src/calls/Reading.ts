import { at, isObject, type Json } from "../wire/Json.ts"

/**
 * How answers are read where the specification leaves their shape open (SIL-04, SIL-22): every reading that keeps its
 * sentences is accepted, and nothing else.
 */

/** Where the owners of a credential stand in an answer that shows it (§2.2). */
export const ownersPlace = "data.attributes.owners"

/** What stands for an empty owner slot: null, an empty text, object or list (SIL-04). */
export const isEmptySlot = (slot: Json | undefined): boolean =>
  slot === null ||
  slot === "" ||
  (Array.isArray(slot) && slot.length === 0) ||
  (isObject(slot) && Object.keys(slot).length === 0)

/** The id that a slot holds, null where it is empty, undefined where it is neither (CRD-05). */
export const holderOf = (slot: Json | undefined): string | null | undefined =>
  isEmptySlot(slot) ? null : typeof slot === "string" ? slot : undefined

/** Whether credentials are owned by resources of a type. */
export const isOwner = (type: string): boolean => type === "worker" || type === "applicant"

/** A credential's slots. */
export interface Slots {
  readonly worker: string | null | undefined
  readonly applicant: string | null | undefined
}

/** A credential's slots, from the resource itself. */
export const slotsOf = (credential: Json | undefined): Slots => ({
  worker: holderOf(at(credential, "attributes.owners.worker")),
  applicant: holderOf(at(credential, "attributes.owners.applicant"))
})

/** A field of a worker, which may stand on it or under `attributes` (SIL-22). */
export const workerField = (worker: Json | undefined, path: string): Json | undefined =>
  at(worker, path) ?? at(worker, `attributes.${path}`)

/** What a path means as a step, and not as a name, escaped or not (RFC 3986, section 3.3). */
const steps = [".", ".."]

/** The id of a resource; one that no path can name is none. */
export const idOf = (resource: Json | undefined): string | undefined => {
  const id = at(resource, "id")
  return typeof id === "string" && id !== "" && id.isWellFormed() && !steps.includes(id) ? id : undefined
}

/** Whether a name of the run's stands somewhere in a resource, and not only the beginning of a longer one. */
export const carries = (resource: Json, unique: string): boolean =>
  JSON.stringify(resource)
    .split(unique)
    .slice(1)
    .some((rest) => !/^[a-z0-9]/.test(rest))

/** What a list shows; empty where it is none. */
export const itemsOf = (body: Json | undefined): ReadonlyArray<Json> => {
  const data = at(body, "data")
  return Array.isArray(data) ? data : []
}
