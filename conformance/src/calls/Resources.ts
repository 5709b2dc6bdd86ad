import { Effect } from "effect"
import type { Blocked } from "../engine/Blocked.ts"
import { block, inWords, refused } from "../engine/Judge.ts"
import { type Call, type Made, Session } from "../engine/Session.ts"
import { makeableTypesOf, placeOf } from "../profile/Groups.ts"
import type { Group, Profile } from "../profile/Profile.ts"
import { fill, fillPath, type Values } from "../profile/Template.ts"
import type { Exchange } from "../wire/Exchange.ts"
import { isIn, statusOf } from "../wire/Exchange.ts"
import { at, isObject, type Json, parse } from "../wire/Json.ts"
import { idOf, slotsOf, workerField } from "./Reading.ts"

/** A resource of the suite's own, and the call that made it. */
export interface Resource {
  readonly id: string
  /** The name it was made under: the worker's `source.externalId`. */
  readonly unique: string
  readonly exchange: Exchange
  /** As the create showed it. */
  readonly data: Json
}

/** What §2.2 says a worker needs and should carry. */
const workerBody: Json = { identity: { displayName: "{{name}}" }, source: { externalId: "{{unique}}" } }

/** A group as the profile describes it. */
export const groupOf = Effect.fnUntraced(function* (type: string) {
  const { profile } = yield* Session
  const group: Group | undefined = profile.groups?.[type]
  return group
})

/** Where a group stands; the walk is blocked where nobody says it. */
export const pathOf = Effect.fnUntraced(function* (type: string) {
  const place = placeOf((yield* Session).profile, type)
  return place ?? (yield* block(`the profile has no path for ${type}`))
})

/** The body with which a resource is made under a name; `given` fills what the template leaves to the walk. */
export const bodyOf = Effect.fnUntraced(function* (type: string, unique: string, given: Values = {}) {
  const template = (yield* groupOf(type))?.create?.body ?? (type === "worker" ? workerBody : undefined)
  if (template === undefined) return yield* block(`the profile has no body for creating a ${type}`)
  return yield* bodyFrom(template, unique, given)
})

/** The same from a template of its own. */
export const bodyFrom = Effect.fnUntraced(function* (template: Json, unique: string, given: Values = {}) {
  const receiver = yield* (yield* Session).closedUrl(unique)
  return fill(template, { unique, name: `Conformance ${unique}`, email: `${unique}@example.org`, receiver, ...given })
})

/**
 * Sends a create and sees to it that what it makes is deleted again, whatever is asked of its answer. `unique` is the
 * name in the body, by which it is found again where the answer is lost.
 */
export const create = Effect.fnUntraced(function* (
  type: string,
  unique: string,
  json: Json,
  more: Pick<Call, "as" | "headers" | "isUnpaced"> & Pick<Made, "to"> = {}
) {
  const session = yield* Session
  yield* session.intend(type, unique, more.to)
  const exchange = yield* session.send({ method: "POST", path: yield* pathOf(type), json, ...more })
  yield* noteMade(type, unique, exchange, more.to)
  return exchange
})

const sameText = (one: Json, other: Json): boolean => String(one).toLowerCase() === String(other).toLowerCase()

/** The texts of a body that a name stands in, by their places. */
export const textsWith = (
  body: Json | undefined,
  unique: string,
  place = ""
): ReadonlyArray<readonly [at: string, Json]> => {
  if (typeof body === "string") return body.includes(unique) ? [[place, body]] : []
  const entries = Array.isArray(body) ? body.map((one, index) => [index, one] as const) : []
  const all = isObject(body) ? Object.entries(body) : entries
  return all.flatMap(([key, one]) => textsWith(one, unique, place === "" ? `${key}` : `${place}.${key}`))
}

/**
 * Whether the answer to a create shows something that was there before: under another name than was sent, of owners that
 * none of were sent, or, where neither tells, with nothing at the places where the name was sent but other texts. What an
 * answer leaves out is no sign.
 */
const isAnothers = ({ answer, request }: Exchange, unique?: string): boolean => {
  const data = at(answer?.json, "data")
  const body = parse(request.body)
  const [sent, shown] = [body, data].map((one) => workerField(one, "source.externalId"))
  if (typeof sent === "string" && typeof shown === "string") return !sameText(sent, shown)
  const holders = Object.values(slotsOf(data)).filter((holder) => typeof holder === "string")
  if (holders.length > 0) return !holders.some((holder) => request.body.includes(holder))
  const texts = unique === undefined ? [] : textsWith(body, unique)
  const told = texts.flatMap(([place, text]) => {
    const there = workerField(data, place)
    return typeof there === "string" ? [sameText(text, there)] : []
  })
  return told.length > 0 && told.every((isSame) => !isSame)
}

/** The id of what a create made; undefined where it made nothing that shows one, or answered with somebody else's. */
export const madeId = (exchange: Exchange, unique?: string): string | undefined =>
  isIn(exchange, 2) && !isAnothers(exchange, unique) ? idOf(at(exchange.answer?.json, "data")) : undefined

/** Sees to it that what an answer says was made is deleted again. For creates that are sent in unusual ways. */
export const noteMade = Effect.fnUntraced(function* (
  type: string,
  unique: string,
  exchange: Exchange,
  to?: Made["to"]
) {
  const session = yield* Session
  const id = madeId(exchange, unique)
  if (id !== undefined) return yield* session.made({ type, id, ...(to && { to }) }, unique)
  if (isIn(exchange, 4)) yield* session.refused(type, unique, to)
})

/** What a create made under a name; the walk is blocked where it made nothing. */
export const made = (unique: string, exchange: Exchange): Effect.Effect<Resource, Blocked> => {
  const data = at(exchange.answer?.json, "data")
  const id = madeId(exchange, unique)
  if (!isIn(exchange, 2)) return Effect.fail(refused(exchange))
  if (isAnothers(exchange, unique))
    return block("prerequisite failed: a create answered with what was there before", exchange)
  return id === undefined || data === undefined
    ? block("prerequisite failed: a create showed no id at data.id", exchange)
    : Effect.succeed({ id, unique, exchange, data })
}

/** A new worker; the walk is blocked where it cannot be made. */
export const makeWorker = Effect.fnUntraced(function* (more: Parameters<typeof create>[3] = {}) {
  const unique = yield* (yield* Session).unique
  return yield* made(unique, yield* create("worker", unique, yield* bodyOf("worker", unique), more))
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

/** What a resource is made with, by entity type: what the profile's bodies of its group name. */
export type Parts = Readonly<Record<string, Resource>>

/** The ids of parts, as templates name them. */
export const idsOf = (parts: Parts): Values =>
  Object.fromEntries(Object.entries(parts).map(([type, { id }]) => [type, id]))

/** What the suite gives to every body by itself. */
const given = ["id", "unique", "name", "email", "receiver"]

/** The types that templates name: `{{worker}}` stands for the id of a worker. */
export const typesNamedIn = (...templates: ReadonlyArray<Json | undefined>): ReadonlyArray<string> => {
  const texts = JSON.stringify(templates)
  const names = [...texts.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = ""]) => name)
  return [...new Set(names)].filter((name) => !given.includes(name))
}

/** The types that the bodies of a group name. */
const namedBy = (profile: Profile, type: string): ReadonlyArray<string> => {
  if (type === "credential") return ["worker"] // which owners it has is for a walk to say
  const { create, update = [] } = profile.groups?.[type] ?? {}
  const subscribed = type === "webhook" ? profile.subscribedWebhook?.body : undefined
  return typesNamedIn(create?.body, ...update.map(({ body }) => body), subscribed).filter((name) => name !== type)
}

/** Makes what the bodies of a group name; `within` are the types for whose sake that is done. */
const makeNamed = (type: string, within: ReadonlyArray<string>): Effect.Effect<Parts, Blocked, Session> =>
  Effect.gen(function* () {
    const { profile } = yield* Session
    const parts: Record<string, Resource> = {}
    for (const one of namedBy(profile, type)) {
      if (within.includes(one)) return yield* block(`the profile's bodies of ${type} and ${one} name each other`)
      if (!makeableTypesOf(profile).includes(one)) {
        return yield* block(`the profile's bodies of ${type} name {{${one}}}, and nothing says how one is made`)
      }
      parts[one] = yield* makeFrom(one, yield* makeNamed(one, [...within, type]))
    }
    return parts
  })

/** New resources for a new one to be made with. */
export const makeParts = (type: string) => makeNamed(type, [])

/** A new resource of each of these types. */
export const makePartsFor = Effect.fnUntraced(function* (types: ReadonlyArray<string>) {
  const parts: Record<string, Resource> = {}
  for (const type of types) parts[type] = yield* makeFrom(type, yield* makeNamed(type, []))
  return parts as Parts
})

/** A new resource of any group; the walk is blocked where it cannot be made. */
export const makeFrom = Effect.fnUntraced(function* (type: string, parts: Parts) {
  const unique = yield* (yield* Session).unique
  return yield* made(unique, yield* create(type, unique, yield* bodyOf(type, unique, idsOf(parts))))
})

/** Reads one resource. */
export const read = Effect.fnUntraced(function* (type: string, id: string) {
  const { send } = yield* Session
  return yield* send({ method: "GET", path: `${yield* pathOf(type)}/${encodeURIComponent(id)}` })
})

/** Deletes one resource as the profile says; the walk is blocked where it says nothing. */
export const remove = Effect.fnUntraced(function* (type: string, id: string) {
  const { send } = yield* Session
  const how = (yield* groupOf(type))?.delete
  if (how === undefined) return yield* block(`the profile has no delete path for ${type}`)
  return yield* send({ method: how.method, path: fillPath(how.path, { id }) })
})

/** Whether nothing is said to be where a delete was aimed. */
export const isAstray = (deleted: Exchange): boolean => [404, 405].includes(statusOf(deleted))

/**
 * The first delete of something that is there, by a path that only the profile knows: where nothing is said to be there,
 * the path may lead nowhere, so the walk is blocked.
 */
export const unlessAstray = (type: string, deleted: Exchange): Effect.Effect<Exchange, Blocked> =>
  isAstray(deleted)
    ? block(`prerequisite failed: ${inWords(deleted)}; look at groups.${type}.delete in the profile`, deleted)
    : Effect.succeed(deleted)
