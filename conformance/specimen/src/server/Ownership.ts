import { setTimeout } from "node:timers/promises"
import { type Call, idOf, Refusal, type Reply, refuse } from "./Call.ts"
import { credentials } from "./Credentials.ts"
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
  throw refuse.malformed(`${part} must be { type, id } with the type worker or applicant.`, `reference: ${flaw}`)
}

/** Fails if the owner does not exist. */
export const knownOwner = (call: Call, { id, type }: Reference): void => {
  const isOfType = id.startsWith(type === "worker" ? "wkr_" : "app_")
  if (!isOfType && id !== "" && call.at("an owner of another kind is accepted")) return
  if (!isOfType && id !== "") throw refuse.malformed(`This is no id of a ${type}.`, "kind of owner")
  if (id !== "" && resourcesOf(call.tenant, type).get(id)?.deletedAt !== null) throw refuse.unknown(type)
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
    return "noop"
  }
  if (owners[owner.type === "worker" ? "applicant" : "worker"] === "") {
    if (at("the last owner is unlinked")) {
      put(about, "unlink", "")
      return "unlinked"
    }
    if (at("a refused unlink empties the slot")) put(about, "unlink", "")
    if (at("unlinking the last owner is a no-op")) return "noop"
    throw refuse.unread("It is the last owner. Delete the credential instead.", "last owner")
  }
  if (at("unlinking one of two is refused")) throw refuse.unread("It is the last owner.", "last owner")
  if (!at("an unlink is not stored")) put(about, "unlink", "", at("an unlink empties both slots"))
  return "unlinked"
}

export const transfer = async (call: Call, credential: Resource, from: Reference, to: Reference): Promise<Done> => {
  const about = operated(call, "transfer", credential, to.type)
  const { at } = about
  const held = ownersOf(credential)[to.type]
  // other calls go first if the server does not lock the credential
  if (at("the slot is not locked")) await setTimeout(2)
  const owner = at("a conflict names no owner") ? "another" : held === "" ? "nobody" : held
  const refusal = refuse.conflict("OWNER_MISMATCH", `The owner is ${owner}.`)
  if (held === to.id) {
    const isRepeat = call.world.kept.get(`previous ${to.type} ${credential.id}`) === from.id
    if (isRepeat && at("a repeated transfer is refused")) throw refusal
    if (isRepeat && at("a repeated transfer goes back")) put(about, "transfer", from.id)
    return "noop"
  }
  if (held === from.id) {
    if (at("a transfer is refused")) throw refusal
    if (!at("a transfer is not stored")) put(about, "transfer", to.id, at("a transfer empties the other slot"))
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
  if (from.type !== to.type) throw refuse.malformed("from and to have different types.", "types")
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
    return {
      status: at("an operation is 202", { done }) ? 202 : 200,
      data: { id: credential.id, attributes: credential.fields }
    }
  }

export const singles = {
  link: single(async (call, credential, body) => {
    const to = referenceIn(call, body["owner"], "owner")
    knownOwner(call, to)
    return link(call, credential, to)
  }),
  unlink: single(async (call, credential, body) => unlink(call, credential, referenceIn(call, body["owner"], "owner"))),
  transfer: single(async (call, credential, body) => {
    const { from, to } = transferIn(call, body)
    return transfer(call, credential, from, to)
  })
}
