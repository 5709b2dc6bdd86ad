import { type Call, Refusal, type Reply, refusalAs, refuse } from "./Call.ts"
import { note } from "./Group.ts"
import {
  type Done,
  isKnown,
  knownOwner,
  link,
  noted,
  ownersOf,
  type Reference,
  referenceIn,
  transfer,
  transferIn
} from "./Ownership.ts"
import { isWellFormed } from "./shown/Ids.ts"
import { type Fields, isFields, type Resource, resourcesOf } from "./World.ts"

const most = 500

interface Item {
  readonly credentialId?: string
  readonly status: string
  readonly error?: unknown
}

/** The ids of a batch; undefined if all credentials of an owner are meant. */
const idsIn = (call: Call, body: Fields): ReadonlyArray<string> | undefined => {
  const ids = body["credentialIds"]
  if (ids === undefined || ids === null) return undefined
  if (!Array.isArray(ids) || ids.some((id) => typeof id !== "string")) {
    const place = { field: "credentialIds", type: Array.isArray(ids) ? "list" : typeof ids }
    if (call.at("a value of another type is accepted", place)) return undefined
    if (call.at("a value of another type fails", place)) throw new TypeError("ids.map is not a function")
    throw refuse.malformed("credentialIds must be a list of ids.", "type")
  }
  if (ids.length === 0 && call.at("an empty list means all")) return undefined
  if (ids.length === most && call.at("a full batch is refused")) throw refuse.malformed("Too many.", "size")
  const { chosen } = call.world
  if (ids.length === 0 && chosen("an empty batch", "accepted") !== "accepted") throw refuse.malformed("No id.", "size")
  const isOdd = !ids.every((id) => isWellFormed(call.world, "cred_", id))
  if (isOdd && chosen("a malformed id in a batch", "skipped") !== "skipped") {
    throw refuse.malformed("An id has another form.", "id")
  }
  if (new Set(ids).size === ids.length) return ids
  const twice = chosen("an id that is twice in a batch", "refused")
  if (twice === "refused") throw refuse.malformed("An id is there twice.", "twice")
  return twice === "one item" ? [...new Set(ids)] : ids
}

/** The credentials of an owner. */
const heldBy = (call: Call, { id, type }: Reference): ReadonlyArray<string> => {
  const all = [...resourcesOf(call.tenant, "credential").values()].filter(({ deletedAt }) => deletedAt === null)
  const held = all.filter((credential) => ownersOf(credential)[type] === id).map((credential) => credential.id)
  const place = { slot: type, total: held.length > 1 ? "several" : "one" }
  if (call.at("a batch without ids has the first only", place)) return held.slice(0, 1)
  if (call.at("a batch without ids misses the last", place)) return held.slice(0, -1)
  if (call.at("a batch without ids has no item", place)) return []
  if (call.at("a batch without ids is refused", place)) throw refuse.malformed("credentialIds is required.")
  const another = all.find((credential) => !held.includes(credential.id) && ownersOf(credential)[type] !== "")
  return another !== undefined && call.at("a batch without ids has another credential", place)
    ? [...held, another.id]
    : held
}

const placeOf = (index: number, total: number): string => {
  if (index === 0) return "first"
  return index === 1 ? "second" : index === total - 1 ? "last" : "between"
}

const errorOf = (call: Call, refusal: Refusal, index: string): unknown => {
  const place = { index, code: refusal.code }
  const error = { code: refusal.code, message: refusal.message }
  if (call.at("a skipped item has no error", place)) return undefined
  if (call.at("an item's error is a text", place)) return refusal.message
  if (call.at("an item's error has another code", place)) return { ...error, code: "CONFLICT" }
  if (call.at("an item's error has no code", place)) return { message: error.message }
  return call.at("an item's error has no message", place) ? { code: error.code } : error
}

const wordOf = (call: Call, done: Done, index: string): Item["status"] => {
  if (call.at("an item has another word", { index, done })) return done === "noop" ? "unchanged" : "done"
  if (done === "noop" && call.at("a no-op is told as a change", { index })) return "transferred"
  return done !== "noop" && call.at("a change is told as a no-op", { index }) ? "noop" : done
}

type OperateOn = (credential: Resource) => Promise<Done>

const itemOf = async (call: Call, credentialId: string, index: string, operate: OperateOn): Promise<Item> => {
  const named = call.at("an item has no credentialId", { index }) ? {} : { credentialId }
  const found = resourcesOf(call.tenant, "credential").get(credentialId)
  try {
    if (found === undefined || found.deletedAt !== null) {
      throw call.at("an unknown credential fails the batch", { index })
        ? Object.assign(refuse.unknown("credential"), { reason: "batch" })
        : refuse.unknown("credential")
    }
    const before = found.fields
    const done = await noted(call, found, undefined, operate(found))
    if (done !== "noop" && call.at("an item is not stored", { index })) found.fields = before
    if (done !== "noop") note(call, found.id, done)
    const status = wordOf(call, done, index)
    return call.at("an item that is not skipped has an error", { index, done })
      ? { ...named, status, error: { code: "OK", message: "Done." } }
      : { ...named, status }
  } catch (refusal) {
    if (!(refusal instanceof Refusal) || refusal.reason === "batch") throw refusal
    const error = errorOf(call, refusal, index)
    if (call.at("a skipped item has another word", { index, code: refusal.code }))
      return { ...named, status: "failed", error }
    return { ...named, status: "skipped", ...(error === undefined ? {} : { error }) }
  }
}

/** The items as the response has them. */
const inOrder = (call: Call, items: ReadonlyArray<Item>): ReadonlyArray<Item> =>
  call.world.chosen("items of a batch", "in order") === "in order"
    ? items
    : items.map((item) => ({ href: "/x", ...item })).toReversed()

const countsOf = (call: Call, items: ReadonlyArray<Item>) => {
  const failed = items.filter(({ error, status }) => status === "skipped" || error !== undefined).length
  const counts: Fields = { total: items.length, succeeded: items.length - failed, failed }
  for (const name of ["total", "succeeded", "failed"]) {
    if (call.at("a count is missing", { name })) delete counts[name]
    if (call.at("a count is a text", { name })) counts[name] = String(counts[name])
  }
  const isNoop = items.some(({ status }) => status === "noop")
  if (isNoop && call.at("a no-op counts as failed"))
    return { ...counts, succeeded: items.length - failed - 1, failed: failed + 1 }
  if (failed > 0 && call.at("a skipped item counts as succeeded"))
    return { ...counts, succeeded: items.length, failed: 0 }
  return call.at("the total has one more") ? { ...counts, total: items.length + 1 } : counts
}

const batch = async (call: Call, ids: ReadonlyArray<string>, operate: OperateOn): Promise<Reply> => {
  const items: Array<Item> = []
  for (const [index, id] of ids.entries()) {
    const item = await itemOf(call, id, placeOf(index, ids.length), operate)
    items.push(item)
    if (item.status === "skipped" && call.at("a skipped item stops the batch")) {
      items.push(
        ...ids.slice(index + 1).map((credentialId) => ({ credentialId, status: "skipped", error: item.error }))
      )
      break
    }
    if (item.status === "skipped" && call.at("the items after a skipped one are missing")) break
  }
  const skipped = items.filter(({ status }) => status === "skipped").length
  const place = { size: items.length > 1 ? "several" : items.length === 1 ? "one" : "none" }
  if (items.length > 0 && skipped === items.length && call.at("a batch of conflicts is 409", place)) {
    throw refuse.conflict("ALREADY_LINKED", "No item was done.")
  }
  const meta = countsOf(call, items)
  if (skipped > 0 && call.at("a batch with a skipped item is 207", place)) return { status: 207, data: items, meta }
  if (call.at("a batch of no-ops is 304", place) && items.every(({ status }) => status === "noop"))
    return { status: 304, data: items, meta }
  if (call.at("the items are an object", place)) return { status: 200, data: { items }, meta }
  return { status: call.at("a batch is 202", place) ? 202 : 200, data: inOrder(call, items), meta }
}

/** Refuses a batch. A faulty server does it nevertheless. */
const unlessRefused = async (call: Call, body: Fields, start: () => Promise<Reply>): Promise<Reply> => {
  try {
    return await start()
  } catch (refusal) {
    const { from } = body
    const isDone = refusal instanceof Refusal && call.at("a refused batch is done", { reason: refusal.reason })
    if (isDone && isFields(from)) {
      const type = from["type"] === "applicant" ? "applicant" : "worker"
      for (const id of heldBy(call, { type, id: String(from["id"]) })) {
        const held = resourcesOf(call.tenant, "credential").get(id)
        if (held !== undefined) held.fields = { ...held.fields, owners: { ...ownersOf(held), [type]: "" } }
      }
    }
    throw refusal
  }
}

/** Refuses a batch that is too large. */
const bounded = async (call: Call, ids: ReadonlyArray<string>, operate: OperateOn): Promise<Reply> => {
  const isTooLarge = call.body()["credentialIds"] !== undefined && ids.length > most
  if (isTooLarge && !call.at("a batch of 501 is done")) {
    if (call.at("a batch of 501 is refused and done")) await batch(call, ids, operate)
    const form = call.world.chosen("refusal of a large batch", "400 INVALID_ARGUMENT")
    throw refusalAs(form, `At most ${most} ids.`, "size")
  }
  return batch(call, ids, operate)
}

/** An operation that skips every item if the owner does not exist. */
const skipping =
  (call: Call, to: Reference, operate: OperateOn): OperateOn =>
  (credential) => {
    if (!isKnown(call, to)) throw refuse.broken(`No ${to.type} has this id.`)
    return operate(credential)
  }

export const batches = {
  link: (call: Call): Promise<Reply> => {
    const body = call.body()
    return unlessRefused(call, body, async () => {
      const { chosen } = call.world
      const isOther = chosen("body of a bulk link", "from and target") === "source and owner"
      const [source, target] = isOther ? [body["source"], body["owner"]] : [body["from"], body["target"]]
      const to = referenceIn(call, target, "to")
      const listed = idsIn(call, body)
      if (
        listed !== undefined &&
        source !== undefined &&
        chosen("from beside the ids of a batch", "ignored") !== "ignored"
      ) {
        throw refuse.malformed("Send from or credentialIds.", "both")
      }
      const ids = listed ?? heldBy(call, referenceIn(call, source, "from"))
      knownOwner(call, to)
      return bounded(
        call,
        ids,
        skipping(call, to, (credential) => link(call, credential, to))
      )
    })
  },
  transfer: (call: Call): Promise<Reply> => {
    const body = call.body()
    return unlessRefused(call, body, async () => {
      const { from, to } = transferIn(call, body)
      const ids = idsIn(call, body) ?? heldBy(call, from)
      return bounded(
        call,
        ids,
        skipping(call, to, (credential) => transfer(call, credential, from, to))
      )
    })
  }
}
