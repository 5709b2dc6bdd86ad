import { Effect } from "effect"
import type { Blocked } from "../judgement/Blocked.ts"
import { block, inWords, refused } from "../judgement/Judge.ts"
import { type Call, type CreatedResource, Session } from "../judgement/Session.ts"
import { existingOwners, type OwnerType } from "../profile/ExistingOwners.ts"
import { groupPathOf, isIssued, makeableTypesOf } from "../profile/Groups.ts"
import { needs } from "../profile/Need.ts"
import type { Group, Profile } from "../profile/Profile.ts"
import { fill, fillPath, type Values } from "../profile/Template.ts"
import { at, isObject, type Json, parse } from "../text/Json.ts"
import type { Exchange } from "../wire/Exchange.ts"
import { isIn, statusOf, unconnected } from "../wire/Exchange.ts"
import { hasWord } from "../wire/Words.ts"
import { idOf, slotsOf, workerField } from "./Reading.ts"

/** A resource that the suite created, and the call that created it. */
export interface Resource {
  readonly id: string
  /** The unique name at creation: the worker's `source.externalId`. */
  readonly unique: string
  readonly exchange: Exchange
  /** The resource in the answer to the create. */
  readonly data: Json
}

/** The fields that §2.2 requires or recommends for a worker. */
const workerBody: Json = { identity: { displayName: "{{name}}" }, source: { externalId: "{{unique}}" } }

/** A group as the profile describes it. */
export const groupOf = Effect.fnUntraced(function* (type: string) {
  const { profile } = yield* Session
  const group: Group | undefined = profile.groups?.[type]
  return group
})

/** The path of a group; blocks the walk if it is unknown. */
export const pathOf = Effect.fnUntraced(function* (type: string) {
  const path = groupPathOf((yield* Session).profile, type)
  return path ?? (yield* block(`the profile has no path for ${type}`))
})

/** The body that creates a resource under a name. `given` fills the values that the template leaves to the walk. */
export const bodyOf = Effect.fnUntraced(function* (type: string, unique: string, given: Values = {}) {
  const template = (yield* groupOf(type))?.create?.body ?? (type === "worker" ? workerBody : undefined)
  if (template === undefined) return yield* block(`the profile has no body for creating a ${type}`)
  return yield* bodyFrom(template, unique, type === "credential" ? withOneOwner(given) : given)
})

/** Adds the template names of a single owner, as type and id: the worker, or the applicant if there is no worker. */
export const withOneOwner = ({ applicant, worker, ...others }: Values): Values => ({
  ...others,
  worker,
  applicant,
  ownerType: worker !== undefined ? "worker" : applicant !== undefined ? "applicant" : undefined,
  ownerId: worker ?? applicant
})

/** Like `bodyOf`, from another template. */
export const bodyFrom = Effect.fnUntraced(function* (template: Json, unique: string, given: Values = {}) {
  const receiver = yield* (yield* Session).closedUrl(unique)
  return fill(template, { unique, name: `Conformance ${unique}`, email: `${unique}@example.org`, receiver, ...given })
})

/**
 * Sends a create and registers the created resource for deletion. `unique` is the name in the body, which finds the
 * resource if the answer is lost.
 */
export const create = Effect.fnUntraced(function* (
  type: string,
  unique: string,
  json: Json,
  more: Pick<Call, "as" | "headers" | "turn" | "isUnpaced"> & Pick<CreatedResource, "to"> = {}
) {
  const session = yield* Session
  yield* session.intend(type, unique, more.to)
  const exchange = yield* session.send({ method: "POST", path: yield* pathOf(type), json, ...more })
  yield* noteMade(type, unique, exchange, more.to)
  return exchange
})

const sameText = (one: Json, other: Json): boolean => String(one).toLowerCase() === String(other).toLowerCase()

/** The strings of a body that contain a name, by position. */
export const textsWith = (
  body: Json | undefined,
  unique: string,
  position = ""
): ReadonlyArray<readonly [at: string, Json]> => {
  if (typeof body === "string") return body.includes(unique) ? [[position, body]] : []
  const entries = Array.isArray(body) ? body.map((one, index) => [index, one] as const) : []
  const all = isObject(body) ? Object.entries(body) : entries
  return all.flatMap(([key, one]) => textsWith(one, unique, position === "" ? `${key}` : `${position}.${key}`))
}

/**
 * Whether a create answered with an existing resource: it has another name or other owners than were sent. If the
 * answer shows neither name nor owners, other strings at the places of the sent name decide. Missing fields prove
 * nothing.
 */
const isAnothers = ({ answer, request }: Exchange, unique?: string): boolean => {
  const data = at(answer?.json, "data")
  const body = parse(request.body)
  const [sent, shown] = [body, data].map((one) => workerField(one, "source.externalId"))
  if (typeof sent === "string" && typeof shown === "string") return !sameText(sent, shown)
  const holders = Object.values(slotsOf(data)).filter((holder) => typeof holder === "string")
  if (holders.length > 0) return !holders.some((holder) => hasWord(request.body, holder))
  const texts = unique === undefined ? [] : textsWith(body, unique)
  const told = texts.flatMap(([position, text]) => {
    const there = workerField(data, position)
    return typeof there === "string" ? [sameText(text, there)] : []
  })
  return told.length > 0 && told.every((isSame) => !isSame)
}

/** The id that a create returned; undefined without an id, or if the resource existed before. */
export const madeId = (exchange: Exchange, unique?: string): string | undefined =>
  isIn(exchange, 2) && !isAnothers(exchange, unique) ? idOf(at(exchange.answer?.json, "data")) : undefined

/** Registers the resource in an answer for deletion. For creates that are sent in unusual ways. */
export const noteMade = Effect.fnUntraced(function* (
  type: string,
  unique: string,
  exchange: Exchange,
  to?: CreatedResource["to"]
) {
  const session = yield* Session
  const id = madeId(exchange, unique)
  if (id !== undefined) return yield* session.made({ type, id, ...(to && { to }) }, unique)
  const isUnmade = isIn(exchange, 3) || isIn(exchange, 4) || unconnected.has(exchange.silence)
  if (isUnmade) yield* session.refused(type, unique, to)
})

/** The resource that a create made; blocks the walk if there is none. */
export const made = (unique: string, exchange: Exchange): Effect.Effect<Resource, Blocked> => {
  const data = at(exchange.answer?.json, "data")
  const id = madeId(exchange, unique)
  if (!isIn(exchange, 2)) return Effect.fail(refused(exchange))
  if (isAnothers(exchange, unique))
    return block("prerequisite failed: a create returned an existing resource", exchange)
  return id === undefined || data === undefined
    ? block("prerequisite failed: a create returned no data.id", exchange)
    : Effect.succeed({ id, unique, exchange, data })
}

/** Creates a resource of any type from a body; blocks the walk on failure. */
const makeAs = Effect.fnUntraced(function* (type: string, given: Values, more: Parameters<typeof create>[3] = {}) {
  const unique = yield* (yield* Session).unique
  const body = yield* bodyOf(type, unique, given)
  // a user sees only its own tokens and clients
  const by = isIssued(type) ? {} : ({ turn: "any" } as const)
  return yield* made(unique, yield* create(type, unique, body, { ...by, ...more }))
})

/** Creates a worker; blocks the walk on failure. */
export const makeWorker = (more?: Parameters<typeof create>[3]) => makeAs("worker", {}, more)

/** Creates an applicant; blocks the walk on failure. */
export const makeApplicant = (more?: Parameters<typeof create>[3]) => makeAs("applicant", {}, more)

/** An owner of credentials: a new one, or an existing one of the profile. */
export type Owning = Pick<Resource, "id" | "unique">

/** The next existing owner of the profile, in turn; undefined if it names none. Successive owners differ. */
const existingOwner = Effect.fnUntraced(function* (type: OwnerType) {
  const { count, profile } = yield* Session
  const all = existingOwners(profile, type)
  const id = all[((yield* count(`existing ${type}`)) - 1) % all.length]
  const owner: Owning | undefined = id === undefined ? undefined : { id, unique: id }
  return owner
})

/**
 * Returns an owner for the walk's credentials: an existing one if the profile names some, else a new one. A walk gets
 * each existing owner once before it gets one again.
 */
export const makeOwner = Effect.fnUntraced(function* (type: OwnerType) {
  const owner: Owning = (yield* existingOwner(type)) ?? (yield* type === "worker" ? makeWorker() : makeApplicant())
  return owner
})

/** Whether a second credential of one owner is not refused. A business rule may allow one of a type (§7.1). */
const secondIsTaken = Effect.gen(function* () {
  const { id } = yield* makeOwner("worker")
  const creating = Effect.flatMap(
    Effect.flatMap(Session, ({ unique }) => unique),
    (unique) =>
      Effect.flatMap(bodyOf("credential", unique, { worker: id }), (body) => create("credential", unique, body))
  )
  return !isIn(yield* creating, 2) || ![409, 422].includes(statusOf(yield* creating))
})

/** Whether an owner may have credentials of several walks. Asked once for all walks. */
const takesMany = Effect.flatMap(Session, ({ profile, share }) =>
  needs["credential body"].isMet(profile) ? share("second-credential", secondIsTaken) : Effect.succeed(true)
)

/**
 * Returns an owner for calls that name their credentials, but never an existing one of the profile: those may be too few
 * to differ. Other walks may give it credentials at the same time, if the deployment allows several.
 */
export const sharedOwner = Effect.fnUntraced(function* (type: OwnerType) {
  if (yield* takesMany) return yield* sharedResource(type, "owner")
  const owner: Owning = yield* type === "worker" ? makeWorker() : makeApplicant()
  return owner
})

/** Like `sharedOwner`, but an existing owner if the profile names some. */
export const anyOwner = Effect.fnUntraced(function* (type: OwnerType) {
  return (yield* existingOwner(type)) ?? (yield* sharedOwner(type))
})

/**
 * Returns a resource that other walks use at the same time, so no walk may change or delete it. A `part` is the one that
 * bodies of other groups name. It has no credentials, because they may complete such a resource. An `owner` may have
 * credentials of other walks, and is one that the walk does not have yet. Blocks the walk if the create fails.
 */
export const sharedResource = (
  type: string,
  which: "part" | "owner",
  to?: CreatedResource["to"]
): Effect.Effect<Resource, Blocked, Session> =>
  Effect.gen(function* () {
    const { count, share } = yield* Session
    const name = to === undefined ? type : `${type}-of-${to.replace(" ", "-")}`
    const key = which === "part" ? which : yield* count(`shared ${name}`)
    const more: More = to === undefined ? {} : { as: "secondTenant.admin", to }
    const steps = Effect.flatMap(makeParts(type, more), (parts) => makeFrom(type, parts, more))
    return yield* share(`${name}-${key}`, steps)
  })

/** The caller and the tenant of a create. */
type More = Pick<Call, "as" | "turn"> & Pick<CreatedResource, "to">

/** The owners of a new credential, by id. */
export interface Owners {
  readonly worker?: string
  readonly applicant?: string
}

/** Creates a credential with these owners; blocks the walk on failure. */
export const makeCredential = (owners: Owners) => makeAs("credential", { ...owners })

/** Returns a credential that walks only read, or link to its owner again. They use it at the same time. */
export const sharedCredential = Effect.flatMap(Session, ({ share }) =>
  share(
    "credential",
    Effect.gen(function* () {
      const owner = yield* anyOwner("worker")
      return { ...(yield* makeCredential({ worker: owner.id })), owner }
    })
  )
)

/** The resources that a new resource refers to, by entity type. The bodies of its group in the profile name them. */
export type Parts = Readonly<Record<string, Owning>>

/** The ids of these resources, by template name. */
export const idsOf = (parts: Parts): Values =>
  Object.fromEntries(Object.entries(parts).map(([type, { id }]) => [type, id]))

/** The template names that the suite itself fills in every body. */
const given = ["id", "unique", "name", "email", "receiver", "ownerType", "ownerId"]

/** The types that templates name: `{{worker}}` is the id of a worker. */
export const typesNamedIn = (...templates: ReadonlyArray<Json | undefined>): ReadonlyArray<string> => {
  const texts = JSON.stringify(templates)
  const names = [...texts.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = ""]) => name)
  return [...new Set(names)].filter((name) => !given.includes(name))
}

/** The types that the bodies of a group name. */
const namedBy = (profile: Profile, type: string): ReadonlyArray<string> => {
  if (type === "credential") return ["worker"] // the walk chooses the owners
  const { create, update = [] } = profile.groups?.[type] ?? {}
  const subscribed = type === "webhook" ? profile.subscribedWebhook?.body : undefined
  return typesNamedIn(create?.body, ...update.map(({ body }) => body), subscribed).filter((name) => name !== type)
}

/**
 * Creates the resources that the bodies of a group name. `within` are the types being created, to detect cycles. The
 * existing owners of the profile are the first tenant's.
 */
const makeNamed = (
  type: string,
  within: ReadonlyArray<string>,
  more: More = {}
): Effect.Effect<Parts, Blocked, Session> =>
  Effect.gen(function* () {
    const { profile } = yield* Session
    const parts: Record<string, Owning> = {}
    for (const one of namedBy(profile, type)) {
      const isOwner = one === "worker" || one === "applicant"
      if (isOwner && more.to === undefined && existingOwners(profile, one).length > 0) {
        parts[one] = yield* makeOwner(one)
        continue
      }
      if (within.includes(one)) return yield* block(`the profile's bodies of ${type} and ${one} refer to each other`)
      if (!makeableTypesOf(profile).includes(one)) {
        return yield* block(`the profile's bodies of ${type} use {{${one}}}, but the profile has no create body for it`)
      }
      // the list of an owner's credentials shows those that refused calls made
      const isOwn = type === "credential" || namedBy(profile, one).length > 0
      parts[one] = isOwn
        ? yield* makeFrom(one, yield* makeNamed(one, [...within, type], more), more)
        : yield* sharedResource(one, "part", more.to)
    }
    return parts
  })

/** Creates the resources that a new one of this type refers to. */
export const makeParts = (type: string, more: More = {}) => makeNamed(type, [], more)

/** Like `makeParts`, for calls that name their credentials: other walks may give the owner of a credential others. */
export const sharedParts = Effect.fnUntraced(function* (type: string) {
  const parts: Parts = type === "credential" ? { worker: yield* anyOwner("worker") } : yield* makeParts(type)
  return parts
})

/** Creates one resource of each type. */
export const makePartsFor = Effect.fnUntraced(function* (types: ReadonlyArray<string>) {
  const parts: Record<string, Resource> = {}
  for (const type of types) parts[type] = yield* makeFrom(type, yield* makeNamed(type, []))
  return parts as Parts
})

/** Creates a resource of any group; blocks the walk on failure. */
export const makeFrom = (type: string, parts: Parts, more?: More) => makeAs(type, idsOf(parts), more)

/** Reads one resource. */
export const read = Effect.fnUntraced(function* (
  type: string,
  id: string,
  more: Pick<Call, "as" | "headers" | "to" | "turn"> = {}
) {
  const { send } = yield* Session
  return yield* send({ method: "GET", path: `${yield* pathOf(type)}/${encodeURIComponent(id)}`, turn: "any", ...more })
})

/** Deletes a resource by the profile's path; blocks the walk if the profile has none. */
export const remove = Effect.fnUntraced(function* (type: string, id: string, more: Pick<Call, "turn"> = {}) {
  const { send } = yield* Session
  const how = (yield* groupOf(type))?.delete
  if (how === undefined) return yield* block(`the profile has no delete path for ${type}`)
  return yield* send({ method: how.method, path: fillPath(how.path, { id }), ...more })
})

/** Whether a delete was answered as if nothing existed at its path. */
export const isAstray = (deleted: Exchange): boolean => [404, 405].includes(statusOf(deleted))

/** Blocks the walk if the first delete of an existing resource found nothing: the profile's path may be wrong. */
export const unlessAstray = (type: string, deleted: Exchange): Effect.Effect<Exchange, Blocked> =>
  isAstray(deleted)
    ? block(`prerequisite failed: ${inWords(deleted)}; look at groups.${type}.delete in the profile`, deleted)
    : Effect.succeed(deleted)
