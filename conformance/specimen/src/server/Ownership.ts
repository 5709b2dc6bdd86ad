import { setTimeout } from "node:timers/promises"
import { type Call, idOf, Refusal, type Reply, refusalAs, refuse } from "./Call.ts"
import { credentials, fieldsOf } from "./Credentials.ts"
import { findLive, keepBefore, note } from "./Group.ts"
import { type Fields, isFields, type Resource, resourcesOf } from "./World.ts"

const slots = ["worker", "applicant"] as const
type Slot = (typeof slots)[number]

/** A worker or an applicant. */
export interface Reference {
  readonly type: Slot
  readonly id: string
}

export type Owners = Record<Slot, string>

/** The owners of a credential. An empty slot is an empty text. */
export const ownersOf = ({ fields }: Resource): Owners => {
  const owners = isFields(fields["owners"]) ? fields["owners"] : {}
  return { worker: String(owners["worker"] ?? ""), applicant: String(owners["applicant"] ?? "") }
}

const setOwners = (resource: Resource, owners: Owners): void => {
  resource.fields = { ...resource.fields, owners }
}

const flawOf = (value: unknown): string | undefined => {
  if (!isFields(value)) return value === undefined ? "no reference" : "another form"
  const { id, type } = value
  if (type === undefined) return "no type"
  if (typeof type !== "string") return "another form"
  if (!slots.some((slot) => slot === type)) {
    return slots.some((slot) => slot === type.trim().toLowerCase()) ? "a near type" : "an unknown type"
  }
  if (id === undefined) return "no id"
  return typeof id === "string" && id !== "" ? undefined : "an empty id"
}

/** The owner reference in a body. `part` names it there. */
export const referenceIn = (call: Call, value: unknown, part: string): Reference => {
  const flaw = flawOf(value)
  const { id, type } = isFields(value) ? value : {}
  const slot = type === "applicant" || String(type).trim().toLowerCase() === "applicant" ? "applicant" : "worker"
  if (flaw === undefined) return { type: slot, id: String(id) }
  if (call.at("a wrong reference fails", { part, flaw })) throw new TypeError(`${part} is ${flaw}`)
  if (call.at("a wrong reference is accepted", { part, flaw })) return { type: slot, id: String(id ?? "") }
  const message = `${part} must be { type, id } with the type worker or applicant.`
  const form = call.world.chosen("refusal of a wrong reference", "400 INVALID_ARGUMENT")
  const isOne = call.params.length > 0
  throw refusalAs(isOne || form !== "404 NOT_FOUND" ? form : "400 INVALID_ARGUMENT", message, `reference: ${flaw}`)
}

/** Whether an owner exists. */
export const isKnown = (call: Call, { id, type }: Reference): boolean =>
  id === "" || resourcesOf(call.tenant, type).get(id)?.deletedAt === null

/** Fails if the owner does not exist, unless the server has chosen otherwise. */
export const knownOwner = (call: Call, owner: Reference): void => {
  if (isKnown(call, owner)) return
  const { id, type } = owner
  const isOfType = id.startsWith(type === "worker" ? "wkr_" : "app_")
  if (!isOfType && call.at("an owner of another kind is accepted")) return
  if (!isOfType) throw refuse.malformed(`This is no id of a ${type}.`, "kind of owner")
  const { chosen } = call.world
  const point = call.params.length > 0 ? "an unknown owner" : "an unknown owner of a batch"
  const form = chosen(point, "404 NOT_FOUND")
  if (form !== "accepted" && form !== "skipped") throw refusalAs(form, `No ${type} has this id.`, "unknown")
}

/** The result of an operation on one credential. */
export type Done = "linked" | "transferred" | "unlinked" | "noop"

/** The operations on a slot. They fail with a refusal. */
interface Operated {
  readonly call: Call
  readonly credential: Resource
  readonly slot: Slot
  readonly at: (point: string) => boolean
}

const operated = (call: Call, operation: string, credential: Resource, slot: Slot): Operated => {
  const owners = ownersOf(credential)
  const other = owners[slot === "worker" ? "applicant" : "worker"] === "" ? "empty" : "held"
  const before = call.world.kept.get(`last ${credential.id}`) ?? "create"
  const last = call.world.kept.get(`outcome ${credential.id}`) ?? "nothing"
  const place = { slot, other, before, last, operation }
  Object.assign(call.details, place)
  return { call, credential, slot, at: (point) => call.at(point, place) }
}

const put = ({ call, credential, slot }: Operated, operation: string, id: string, alsoEmpty = false): void => {
  const owners = ownersOf(credential)
  const other = slot === "worker" ? "applicant" : "worker"
  keepBefore(call, credential)
  call.world.kept.set(`previous ${slot} ${credential.id}`, owners[slot])
  call.world.kept.set(`last ${credential.id}`, operation)
  setOwners(credential, { ...owners, [slot]: id, ...(alsoEmpty && { [other]: "" }) })
}

export const link = async (call: Call, credential: Resource, to: Reference): Promise<Done> => {
  const about = operated(call, "link", credential, to.type)
  const { at } = about
  const held = ownersOf(credential)[to.type]
  // other calls go first if the server does not lock the credential
  if (at("the slot is not locked")) await setTimeout(2)
  const advice = at("a conflict gives no advice") ? "." : ": use transfer."
  const refusal = refuse.conflict("ALREADY_LINKED", `Another ${to.type} owns it${advice}`)
  if (held === "") {
    if (at("a link into an empty slot is refused")) throw refusal
    if (!at("a link is not stored")) put(about, "link", to.id, at("a link empties the other slot"))
    return "linked"
  }
  if (held === to.id) {
    if (at("a repeated link is refused")) throw refusal
    if (at("a repeated link empties the slot")) put(about, "link", "")
    return "noop"
  }
  if (at("a link replaces the owner")) {
    put(about, "link", to.id)
    return "linked"
  }
  if (at("a link of another owner is a no-op")) return "noop"
  if (at("a refused link replaces the owner")) put(about, "link", to.id)
  throw refusal
}

const lastOwner = (call: Call): Refusal => {
  const refusal = call.world.chosen("refusal of the last owner", "400 BAD_REQUEST")
  return refusalAs(refusal, "It is the last owner. Delete the credential instead.", "last owner")
}

export const unlink = async (call: Call, credential: Resource, owner: Reference): Promise<Done> => {
  const about = operated(call, "unlink", credential, owner.type)
  const { at } = about
  const owners = ownersOf(credential)
  const held = owners[owner.type]
  // other calls go first if the server does not lock the credential
  if (at("the slot is not locked")) await setTimeout(2)
  if (held === "") {
    if (at("unlinking an empty slot is refused")) throw refuse.broken("The slot is empty.")
    if (at("unlinking an empty slot empties the other")) setOwners(credential, { worker: "", applicant: "" })
    return "noop"
  }
  if (held !== owner.id) {
    if (at("unlinking another owner empties the slot")) put(about, "unlink", "")
    if (call.world.chosen("unlinking another owner", "a no-op") === "a no-op") return "noop"
    throw refuse.conflict("OWNER_MISMATCH", `The owner is ${held}.`)
  }
  if (owners[owner.type === "worker" ? "applicant" : "worker"] === "") {
    if (at("the last owner is unlinked")) {
      put(about, "unlink", "")
      return "unlinked"
    }
    if (at("a refused unlink empties the slot")) put(about, "unlink", "")
    if (at("unlinking the last owner is a no-op")) return "noop"
    throw lastOwner(call)
  }
  if (at("unlinking one of two is refused")) throw refuse.unread("It is the last owner.", "last owner")
  if (!at("an unlink is not stored")) put(about, "unlink", "", at("an unlink empties both slots"))
  return "unlinked"
}

/** A transfer to the other slot, which the server accepts if that slot is empty. Both owners stay then. */
const across = (about: Operated, from: Reference, to: Reference, refusal: Refusal): Done => {
  const owners = ownersOf(about.credential)
  const isFree = owners[from.type] === from.id && owners[to.type] === ""
  if (!isFree || about.call.world.chosen("a transfer to the other slot", "400") !== "both stay") throw refusal
  put(about, "transfer", to.id)
  return "transferred"
}

export const transfer = async (call: Call, credential: Resource, from: Reference, to: Reference): Promise<Done> => {
  const about = operated(call, "transfer", credential, to.type)
  const { at } = about
  const held = ownersOf(credential)[to.type]
  // other calls go first if the server does not lock the credential
  if (at("the slot is not locked")) await setTimeout(2)
  const owner = at("a conflict names no owner") ? "another" : held === "" ? "nobody" : held
  const refusal = refuse.conflict("OWNER_MISMATCH", `The owner is ${owner}.`)
  if (from.type !== to.type) return across(about, from, to, refusal)
  if (from.id === to.id && call.world.chosen("a transfer to oneself", "as any other") !== "as any other") throw refusal
  if (held === to.id) {
    const isFormer = call.world.kept.has(`former ${credential.id} ${from.id}`)
    if (!isFormer && call.world.chosen("a transfer to the owner by another", "a no-op") !== "a no-op") throw refusal
    const isRepeat = call.world.kept.get(`previous ${to.type} ${credential.id}`) === from.id
    if (isRepeat && at("a repeated transfer is refused")) throw refusal
    if (isRepeat && at("a repeated transfer goes back")) put(about, "transfer", from.id)
    return "noop"
  }
  if (held === from.id) {
    if (at("a transfer is refused")) throw refusal
    if (!at("a transfer is not stored")) put(about, "transfer", to.id, at("a transfer empties the other slot"))
    call.world.kept.set(`former ${credential.id} ${from.id}`, "")
    return "transferred"
  }
  const way = held === "" ? call.world.chosen("a transfer out of an empty slot", "409 OWNER_MISMATCH") : ""
  if (way === "a no-op") return "noop"
  if (way === "accepted") {
    put(about, "transfer", to.id)
    // the same transfer again is a repetition
    call.world.kept.set(`former ${credential.id} ${from.id}`, "")
    return "transferred"
  }
  if (at("a transfer needs no right owner")) {
    put(about, "transfer", to.id)
    return "transferred"
  }
  if (at("a transfer from another owner is a no-op")) return "noop"
  if (at("a refused transfer is stored")) put(about, "transfer", to.id)
  throw refusal
}

/** Checks the references of a transfer. */
export const transferIn = (call: Call, body: Fields, target = "to") => {
  const from = referenceIn(call, body["from"], "from")
  const to = referenceIn(call, body[target], "to")
  const isBatch = call.params.length === 0
  const isOther = from.type !== to.type
  if (isOther && (isBatch || call.world.chosen("a transfer to the other slot", "400") === "400"))
    throw refuse.malformed("from and to have different types.", "types")
  knownOwner(call, to)
  return { from, to }
}

/** Keeps whether an operation on a credential succeeded. A faulty server stores the owner that it refuses. */
export const noted = async (call: Call, credential: Resource, asked: unknown, done: Promise<Done>): Promise<Done> => {
  const keep = (outcome: string) => call.world.kept.set(`outcome ${credential.id}`, outcome)
  try {
    const result = await done
    keep(result === "noop" ? "a no-op" : "a success")
    return result
  } catch (refusal) {
    keep("a refusal")
    if (refusal instanceof Refusal && call.at("a refused operation is stored", { reason: refusal.reason })) {
      const { id, type } = isFields(asked) ? asked : {}
      const slot = type === "applicant" ? "applicant" : "worker"
      setOwners(credential, { ...ownersOf(credential), [slot]: String(id ?? "") })
    }
    throw refusal
  }
}

type Operate = (call: Call, credential: Resource, body: Fields) => Promise<Done>

const single =
  (operate: Operate) =>
  async (call: Call): Promise<Reply> => {
    const { at } = call
    const credential =
      at("an unknown credential is accepted") && !resourcesOf(call.tenant, "credential").has(idOf(call))
        ? { id: idOf(call), type: "credential", fields: {}, createdAt: "", deletedAt: null }
        : findLive(credentials, call, idOf(call))
    const body = call.body()
    const done = await noted(call, credential, body["owner"] ?? body["to"], operate(call, credential, body))
    if (done !== "noop") note(call, credential.id, done)
    const isBare = call.world.chosen("response to an ownership call", "the credential") === "nothing"
    return {
      status: at("an operation is 202", { done }) ? 202 : 200,
      data: { id: credential.id, attributes: fieldsOf(call, credential) },
      ...(isBare && { whole: "" })
    }
  }

/** The reference in the body of an unlink. */
const unlinked = (call: Call, { owner, ownerId, ownerType }: Fields): unknown =>
  call.world.chosen("body of an unlink", "owner") === "two fields" ? { id: ownerId, type: ownerType } : owner

export const singles = {
  link: single(async (call, credential, body) => {
    const isFlat = call.world.chosen("body of a link", "owner") === "id and type"
    const to = referenceIn(call, isFlat ? body : body["owner"], "owner")
    knownOwner(call, to)
    return link(call, credential, to)
  }),
  unlink: single(async (call, credential, body) =>
    unlink(call, credential, referenceIn(call, unlinked(call, body), "owner"))
  ),
  transfer: single(async (call, credential, body) => {
    const { from, to } = transferIn(call, body)
    return transfer(call, credential, from, to)
  })
}
