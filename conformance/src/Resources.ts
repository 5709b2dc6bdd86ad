import { Effect } from "effect"
import type { Exchange } from "./Exchange.ts"
import { isIn } from "./Exchange.ts"
import { at, type Json, parse } from "./Json.ts"
import { type Blocked, block, refused } from "./Judge.ts"
import type { Group, Profile } from "./Profile.ts"
import { idOf, slotsOf, workerField } from "./Reading.ts"
import { type Call, type Made, Session } from "./Session.ts"
import { fill, fillPath, type Values } from "./Template.ts"

/** A resource of the suite's own, and the call that made it. */
export interface Resource {
  readonly id: string
  /** The name it was made under: the worker's `source.externalId`. */
  readonly unique: string
  readonly exchange: Exchange
  /** As the create showed it. */
  readonly data: Json
}

const usualPaths = { worker: "/workers", credential: "/credentials", applicant: "/applicants" } as const

/** What section 2.2 says a worker needs and should carry. */
const workerBody: Json = { identity: { displayName: "{{name}}" }, source: { externalId: "{{unique}}" } }

/** A group as the profile describes it. */
export const groupOf = Effect.fnUntraced(function* (type: string) {
  const { profile } = yield* Session
  const group: Group | undefined = profile.groups?.[type]
  return group
})

/** Where a group stands in a deployment. */
export const placeOf = ({ groups }: Profile, type: Made["type"]): string => groups?.[type]?.path ?? usualPaths[type]

/** Where a group stands. */
export const pathOf = Effect.fnUntraced(function* (type: Made["type"]) {
  return placeOf((yield* Session).profile, type)
})

/** The body with which a resource is made under a name; `given` fills what the template leaves to the walk. */
export const bodyOf = Effect.fnUntraced(function* (type: Made["type"], unique: string, given: Values = {}) {
  const template = (yield* groupOf(type))?.create?.body ?? (type === "worker" ? workerBody : undefined)
  if (template === undefined) return yield* block(`the profile has no body for creating a ${type}`)
  return fill(template, { unique, name: `Conformance ${unique}`, email: `${unique}@example.org`, ...given })
})

/**
 * Sends a create and sees to it that what it makes is deleted again, whatever is asked of its answer. `unique` is the
 * name in the body, by which it is found again where the answer is lost.
 */
export const create = Effect.fnUntraced(function* (
  type: Made["type"],
  unique: string,
  json: Json,
  more: Pick<Call, "as" | "headers" | "isUnpaced"> = {}
) {
  const session = yield* Session
  yield* session.intend(type, unique)
  const exchange = yield* session.send({ method: "POST", path: yield* pathOf(type), json, ...more })
  yield* noteMade(type, unique, exchange)
  return exchange
})

const sameText = (one: Json, other: Json): boolean => String(one).toLowerCase() === String(other).toLowerCase()

/**
 * Whether the answer to a create shows something that was there before: under another name than was sent, or of owners
 * that none of were sent. What an answer leaves out is no sign.
 */
const isAnothers = ({ answer, request }: Exchange): boolean => {
  const data = at(answer?.json, "data")
  const [sent, shown] = [parse(request.body), data].map((one) => workerField(one, "source.externalId"))
  if (typeof sent === "string" && typeof shown === "string" && !sameText(sent, shown)) return true
  const holders = Object.values(slotsOf(data)).filter((holder) => typeof holder === "string")
  return holders.length > 0 && !holders.some((holder) => request.body.includes(holder))
}

/** The id of what a create made; undefined where it made nothing that shows one, or answered with somebody else's. */
export const madeId = (exchange: Exchange): string | undefined =>
  isIn(exchange, 2) && !isAnothers(exchange) ? idOf(at(exchange.answer?.json, "data")) : undefined

/** Sees to it that what an answer says was made is deleted again. For creates that are sent in unusual ways. */
export const noteMade = Effect.fnUntraced(function* (type: Made["type"], unique: string, exchange: Exchange) {
  const session = yield* Session
  const id = madeId(exchange)
  if (id !== undefined) return yield* session.made({ type, id }, unique)
  if (isIn(exchange, 4)) yield* session.refused(type, unique)
})

const made = (unique: string, exchange: Exchange): Effect.Effect<Resource, Blocked> => {
  const data = at(exchange.answer?.json, "data")
  const id = madeId(exchange)
  if (!isIn(exchange, 2)) return Effect.fail(refused(exchange))
  if (isAnothers(exchange)) return block("prerequisite failed: a create answered with what was there before", exchange)
  return id === undefined || data === undefined
    ? block("prerequisite failed: a create showed no id at data.id", exchange)
    : Effect.succeed({ id, unique, exchange, data })
}

/** A new worker; the walk is blocked where it cannot be made. */
export const makeWorker = Effect.fnUntraced(function* () {
  const unique = yield* (yield* Session).unique
  return yield* made(unique, yield* create("worker", unique, yield* bodyOf("worker", unique)))
})

/** A new applicant; the walk is blocked where it cannot be made. */
export const makeApplicant = Effect.fnUntraced(function* () {
  const unique = yield* (yield* Session).unique
  return yield* made(unique, yield* create("applicant", unique, yield* bodyOf("applicant", unique)))
})

/** Who owns a new credential: ids. */
export interface Owners {
  readonly worker?: string
  readonly applicant?: string
}

/** A new credential of these owners; the walk is blocked where it cannot be made. */
export const makeCredential = Effect.fnUntraced(function* (owners: Owners) {
  const unique = yield* (yield* Session).unique
  return yield* made(unique, yield* create("credential", unique, yield* bodyOf("credential", unique, { ...owners })))
})

/** Reads one resource. */
export const read = Effect.fnUntraced(function* (type: Made["type"], id: string) {
  const { send } = yield* Session
  return yield* send({ method: "GET", path: `${yield* pathOf(type)}/${encodeURIComponent(id)}` })
})

/** Deletes one resource as the profile says; the walk is blocked where it says nothing. */
export const remove = Effect.fnUntraced(function* (type: Made["type"], id: string) {
  const { send } = yield* Session
  const how = (yield* groupOf(type))?.delete
  if (how === undefined) return yield* block(`the profile has no delete path for ${type}`)
  return yield* send({ method: how.method, path: fillPath(how.path, { id }) })
})
