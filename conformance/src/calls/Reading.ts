import { at, isObject, type Json, textsIn } from "../text/Json.ts"
import type { Exchange } from "../wire/Exchange.ts"
import { hasWord } from "../wire/Words.ts"
import { namesIn } from "./Names.ts"

/** Reads answers in each shape that the specification leaves open (SIL-04, SIL-22), and in no other. */

/** The place of the owners in an answer with a credential (§2.2). */
export const ownersPosition = "data.attributes.owners"

/** The values of an empty owner slot: null, or an empty string, object or list (SIL-04). */
export const isEmptySlot = (slot: Json | undefined): boolean =>
  slot === null ||
  slot === "" ||
  (Array.isArray(slot) && slot.length === 0) ||
  (isObject(slot) && Object.keys(slot).length === 0)

/** The id in a slot; null if the slot is empty, undefined if it is neither (CRD-05). */
export const holderOf = (slot: Json | undefined): string | null | undefined =>
  isEmptySlot(slot) ? null : typeof slot === "string" ? slot : undefined

/** Whether resources of a type can own credentials. */
export const isOwner = (type: string): boolean => type === "worker" || type === "applicant"

export interface Slots {
  readonly worker: string | null | undefined
  readonly applicant: string | null | undefined
}

/** The slots of a credential resource. */
export const slotsOf = (credential: Json | undefined): Slots => ({
  worker: holderOf(at(credential, "attributes.owners.worker")),
  applicant: holderOf(at(credential, "attributes.owners.applicant"))
})

/** A field of a worker, which may be at the top or under `attributes` (SIL-22). */
export const workerField = (worker: Json | undefined, path: string): Json | undefined =>
  at(worker, path) ?? at(worker, `attributes.${path}`)

/** Path segments that a URL parser removes, escaped or not (RFC 3986, section 3.3). */
const steps = [".", ".."]

/** The id of a resource; undefined if a path cannot contain it. */
export const idOf = (resource: Json | undefined): string | undefined => {
  const id = at(resource, "id")
  return typeof id === "string" && id !== "" && id.isWellFormed() && !steps.includes(id) ? id : undefined
}

/** Whether a resource has a name of the run. A profile may put other text around the name. */
export const carries = (resource: Json | undefined, unique: string): boolean =>
  textsIn(resource).some(([, text]) => namesIn(text).includes(unique.toLowerCase()))

/** Whether an answer shows an id as a whole: `7` is not in `17`. */
export const showsId = ({ answer }: Exchange, id: string): boolean =>
  answer !== null &&
  (answer.json === undefined ? hasWord(answer.text, id) : textsIn(answer.json).some(([, text]) => hasWord(text, id)))

/** The items of a list answer; empty for any other answer. */
export const itemsOf = (body: Json | undefined): ReadonlyArray<Json> => {
  const data = at(body, "data")
  return Array.isArray(data) ? data : []
}
