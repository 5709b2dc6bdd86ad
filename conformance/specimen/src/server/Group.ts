import { isDeepStrictEqual } from "node:util"
import { inside } from "./BodyFields.ts"
import { type Call, idOf, Refusal, type Reply, refusalAs, refuse } from "./Call.ts"
import { formOfId, formOfNumber } from "./Forms.ts"
import type { Place } from "./Place.ts"
import { isFurther, isOwner, shownOf } from "./shown/Fields.ts"
import { isWellFormed, newId } from "./shown/Ids.ts"
import { pathOutside } from "./shown/Paths.ts"
import { type Fields, type Resource, resourcesOf } from "./World.ts"

export type Operation = "READ" | "CREATE" | "UPDATE" | "DELETE"

/** A group of resources, and the parts of its calls that differ from other groups. */
export interface Group {
  readonly path: string
  readonly type: string
  /** The start of its ids. */
  readonly prefix: string
  readonly operations: ReadonlyArray<Operation>
  readonly update?: "PUT" | "PATCH"
  /** The path of a delete; default: that of the resource. */
  readonly remove?: string
  /** The fields to store of a body. Fails if the body is wrong. */
  readonly read: (call: Call, body: Fields, before: Resource | undefined) => Fields
  readonly show?: (call: Call, resource: Resource) => Fields
  /** More conditions of a list, by its query. */
  readonly matches?: (call: Call, resource: Resource) => boolean
  /** The id of a new resource; default: random. */
  readonly id?: (call: Call, fields: Fields) => string
  /** Follows a create. Returns what the response has besides `data`. */
  readonly created?: (call: Call, resource: Resource) => Partial<Reply> & { readonly shown?: Fields }
}

/** Keeps the fields before a change and the caller of the change, for faults that show others the state before. */
export const keepBefore = ({ token, world }: Call, { fields, id }: Resource): void => {
  world.kept.set(`before ${id}`, JSON.stringify(fields))
  world.kept.set(`writer ${id}`, token.label)
}

/** The resource as it was before the last change, if the server shows other callers an old copy. */
const asBefore = (call: Call, resource: Resource): Resource => {
  const before = call.world.kept.get(`before ${resource.id}`)
  if (before === undefined || call.world.kept.get(`writer ${resource.id}`) === call.token.label) return resource
  return call.at("another caller sees the state before") ? { ...resource, fields: JSON.parse(before) } : resource
}

/** Whether the server hides a resource from other callers than its maker. */
const isHidden = (call: Call, { id }: Resource): boolean => {
  const maker = call.world.kept.get(`made ${id}`)
  return maker !== undefined && maker !== call.token.label && call.at("a resource is hidden from other callers")
}

const showing = (group: Group, call: Call, resource: Resource): Fields => {
  const shown = asBefore(call, resource)
  const fields = {
    ...(group.show?.(call, shown) ?? { kind: shown.type, ...shown.fields }),
    id: shown.id,
    created: shown.createdAt,
    ...(shown.deletedAt === null ? {} : { deleted: shown.deletedAt })
  }
  return shownOf(call, resource, fields)
}

const isFormed = ({ id, prefix }: Group, call: Call, candidate: string): boolean =>
  id === undefined ? isWellFormed(call.world, prefix, candidate) : /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(candidate)

/** Refuses an id that has not the form of the group. */
const wrongId = (call: Call, id: string, place: Place): Refusal => {
  if (call.at("an odd id fails", place)) throw new Error(`cannot read ${id}`)
  if (call.at("an odd id is a broken rule", place)) return refuse.broken("The id has no such form.")
  if (call.at("an odd id has the code of an unknown one", place))
    return new Refusal(400, "NOT_FOUND", "id", "No resource has this id.")
  return refusalAs(
    call.world.chosen("refusal of a malformed id", "400 INVALID_ARGUMENT"),
    "The id has no such form.",
    "id"
  )
}

/** The resource that an id names in the present tenant. Fails with 400 or 404. */
export const find = (group: Group, call: Call, id: string): Resource => {
  const own = resourcesOf(call.tenant, group.type)
  const exact = own.get(id)
  if (exact !== undefined && !isHidden(call, exact)) return exact
  const all = call.world.tenants.flatMap((tenant) => [...resourcesOf(tenant, group.type).values()])
  const other = all.find((resource) => resource.id === id)
  if (other !== undefined && call.at("a resource of another tenant is found")) return other
  const near = [...own.values()].find((resource) => resource.id.slice(0, -4) === id.slice(0, -4))
  if (near !== undefined && call.at("the end of an id is ignored")) return near
  const [some] = own.values()
  if (some !== undefined && isFormed(group, call, id) && call.at("an unknown id finds another resource")) return some
  if (isFormed(group, call, id)) throw refuse.unknown(group.type)
  const form = { id: formOfId(group.prefix, id) }
  if (some !== undefined && call.at("an odd id finds a resource", form)) return some
  throw wrongId(call, id, form)
}

const isGone = (call: Call): boolean => call.world.chosen("a deleted resource", "shown") === "410 GONE"

/** A resource that is not deleted. */
export const findLive = (group: Group, call: Call, id: string): Resource => {
  const found = find(group, call, id)
  if (found.deletedAt === null) return found
  throw isGone(call) ? new Refusal(410, "GONE", "unknown", "It is deleted.") : refuse.unknown(group.type)
}

export const note = ({ account, tenant }: Call, resource: string, action: string): void =>
  void tenant.audit.push({ resource, action, by: account.urn })

const numberOf = (call: Call, name: string, otherwise: number, most: number): number => {
  const asked = call.request.url.searchParams.get(name)
  if (asked === null) return otherwise
  const form = formOfNumber(asked)
  if (name === "pageSize" && form !== "whole") {
    if (call.at("a page size that is no whole number is accepted", { form })) return otherwise
    if (call.at("a page size that is no whole number is a broken rule", { form })) throw refuse.broken("No such page.")
    if (call.at("a page size that is no whole number fails", { form })) throw new RangeError(`pageSize ${asked}`)
  }
  if (!/^\d{1,6}$/.test(asked) || Number(asked) < 1 || Number(asked) > most) {
    throw refuse.malformed(`${name} must be a number from 1 to ${most}.`, "query")
  }
  return Number(asked)
}

const order = (call: Call): string => {
  const asked = call.request.url.searchParams.get("order") ?? "created"
  if (/^-?(created|id)$/.test(asked)) return asked
  const near = asked.trim().toLowerCase()
  const isNear = /^-?(created|id)$/.test(near)
  if (call.at("an unknown sort field is ignored", { near: isNear ? "near" : "far" })) return "created"
  throw refuse.malformed("The list cannot be sorted by this field.", "sort")
}

/** The resources of other tenants too, if the server mixes them up. */
const listedIn = (group: Group, call: Call): ReadonlyArray<Resource> =>
  call.at("a list has resources of another tenant")
    ? call.world.tenants.flatMap((tenant) => [...resourcesOf(tenant, group.type).values()])
    : [...resourcesOf(call.tenant, group.type).values()]

const sizeOf = (call: Call): number => {
  const { chosen } = call.world
  if (!call.request.url.searchParams.has("pageSize")) return chosen("page size", 20)
  const form = chosen("largest page", "200, a larger one is refused")
  const most = form.startsWith("50") ? 50 : 200
  const asked = Number(call.request.url.searchParams.get("pageSize"))
  const isClamped = asked > most && asked < 1_000_000 && form.endsWith("clamped")
  return isClamped ? most : numberOf(call, "pageSize", most, most)
}

export const list = (group: Group, call: Call): Reply => {
  const { chosen } = call.world
  const { searchParams } = call.request.url
  const isFree = group.type !== "credential" || searchParams.has("ownerExternalId")
  if (!isFree && chosen("a list of credentials needs an owner", false)) {
    throw refuse.malformed("ownerExternalId is required.", "query")
  }
  const [size, page] = [sizeOf(call), numberOf(call, "page", 1, 100_000)]
  const isShown = ({ deletedAt, type }: Resource): boolean =>
    deletedAt === null || ((isOwner(type) || type === "credential") && chosen("deleted resources in lists", false))
  const sorting = order(call)
  const search = searchParams.get("search") ?? ""
  const found = listedIn(group, call).filter(
    (resource) =>
      isShown(resource) &&
      !isHidden(call, resource) &&
      (search === "" || JSON.stringify(resource.fields).includes(search) || resource.id === search) &&
      (group.matches?.(call, resource) ?? true)
  )
  const sorted = sorting.endsWith("id") ? found.toSorted((one, other) => one.id.localeCompare(other.id)) : found
  const ordered = sorting.startsWith("-") ? sorted.toReversed() : sorted
  const asked = searchParams.has("pageSize") ? { size: size === 1 ? "one" : "several" } : { size: "default" }
  const most = call.at("pageSize is ignored", asked) ? 200 : call.at("one too many", asked) ? size + 1 : size
  const shown = ordered.slice((page - 1) * size, (page - 1) * size + most)
  const isCut = size > 1 && shown.length === size && chosen("pages may be short", false)
  const data = (isCut ? shown.slice(0, -1) : shown).map((resource) => showing(group, call, resource))
  const length = data.length === 0 ? "empty" : "filled"
  if (data.length === 0 && call.at("an empty list is 404")) throw refuse.unknown(group.type)
  return {
    status: call.at("a list is 206") ? 206 : 200,
    data: call.at("a list is an object", { length }) ? { items: data } : data,
    meta: chosen("fields that are shown", "all") === "all" ? { page, pageSize: size, found: found.length } : {}
  }
}

const newIdOf = (group: Group, call: Call, body: Fields, fields: Fields): string => {
  const made = group.id?.(call, fields) ?? newId(call.world, group.prefix)
  const own = body["id"]
  if (own !== undefined && call.at("an id in the body of a create fails")) throw new Error("unknown column id")
  if (typeof own === "string" && call.at("the caller chooses the id")) return own
  if (call.at("an id has another prefix")) return `x${made}`
  return call.at("an id has no prefix") ? made.slice(group.prefix.length) : made
}

const keysOf = (group: Group, call: Call, fields: Fields) => {
  const about = `made ${call.tenant.name} ${group.type}`
  const externalId = inside(fields, "source")["externalId"]
  return {
    idempotency: `${about} by key ${call.request.headers["idempotency-key"]}`,
    body: `${about} from ${JSON.stringify(fields)}`,
    external: externalId === undefined ? "" : `${about} named ${externalId}`
  }
}

/** A resource that an earlier call made, if the server takes the call for a repeat. */
const repeated = (group: Group, call: Call, keys: ReturnType<typeof keysOf>): Resource | undefined => {
  const earlier = (key: string) => resourcesOf(call.tenant, group.type).get(call.world.kept.get(key) ?? "")
  const isKeyed = call.request.headers["idempotency-key"] !== undefined
  const [keyed, same, named] = [earlier(keys.idempotency), earlier(keys.body), earlier(keys.external)]
  if (isKeyed && keyed !== undefined && call.at("an idempotency key repeats the answer")) return keyed
  if (isKeyed && keyed !== undefined && call.at("an idempotency key is refused the second time"))
    throw refuse.conflict("DUPLICATE_ID", "The key was used before.")
  if (same !== undefined && call.at("the same body fails the second time")) throw new Error("unique constraint")
  if (same !== undefined && call.at("the same body finds the same resource")) return same
  return named !== undefined && call.at("the same externalId finds the same resource") ? named : undefined
}

/** The fields in a body. A faulty server stores a body that it refuses. */
const fieldsIn = (group: Group, call: Call, body: Fields, before?: Resource): Fields => {
  try {
    return group.read(call, body, before)
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal
    const { reason } = refusal
    if (before !== undefined && call.at("a refused update is stored", { reason })) {
      before.fields = { ...before.fields, ...body }
    }
    if (before === undefined && call.at("a refused create is stored", { reason })) {
      const id = newId(call.world, group.prefix)
      const made = { id, type: group.type, fields: body, createdAt: new Date().toISOString(), deletedAt: null }
      resourcesOf(call.tenant, group.type).set(id, made)
    }
    throw refusal
  }
}

/** Fails if the server takes no equal resource. */
const checkDuplicate = ({ type }: Group, call: Call, keys: ReturnType<typeof keysOf>): void => {
  const { chosen, kept } = call.world
  const isLive = (key: string) => resourcesOf(call.tenant, type).get(kept.get(key) ?? "")?.deletedAt === null
  const isNamed = type === "worker" && keys.external !== "" && isLive(keys.external)
  if (isNamed && chosen("an externalId again", "accepted") !== "accepted") {
    throw refuse.conflict("DUPLICATE_ID", "A worker has this externalId.")
  }
  const isEqual = type === "credential" && isLive(keys.body)
  if (isEqual && chosen("an equal credential", "accepted") !== "accepted") {
    throw refuse.malformed("There is such a credential.")
  }
}

const locationOf = ({ path }: Group, { tenant, world }: Call, id: string): string => {
  const place = `${pathOutside(world, path)}/${id}`
  const form = world.chosen("Location", "absolute")
  if (form === "below the root") return place.slice(1)
  return `https://${tenant.host}${form === "another surface" ? "/app/records" : "/openapi/v1"}${place}`
}

export const create = (group: Group, call: Call): Reply => {
  const { chosen } = call.world
  if (group.type === "applicant" && chosen("applicants", "are created").endsWith("exist")) {
    throw new Refusal(405, "METHOD", "method", "The path has no such method.")
  }
  const body = call.body()
  const fields = fieldsIn(group, call, body)
  const keys = keysOf(group, call, fields)
  checkDuplicate(group, call, keys)
  const before = repeated(group, call, keys)
  const resource: Resource = before ?? {
    id: newIdOf(group, call, body, fields),
    type: group.type,
    fields,
    createdAt: new Date().toISOString(),
    deletedAt: null
  }
  resourcesOf(call.tenant, group.type).set(resource.id, resource)
  for (const key of Object.values(keys)) call.world.kept.set(key, resource.id)
  note(call, resource.id, "created")
  const { shown = {}, ...more } = group.created?.(call, resource) ?? {}
  const isBrief = ["applicant", "credential"].includes(group.type)
  const isId = isBrief && chosen("response to a create", "the resource") === "the id"
  const location = call.at("an empty Location") ? "" : locationOf(group, call, resource.id)
  return {
    status: call.at("a create is 200") ? 200 : 201,
    data: withId(call, isId ? { id: resource.id } : { ...showing(group, call, resource), ...shown }),
    ...more,
    headers: call.at("no Location") ? {} : { location }
  }
}

/** What a create shows. */
const withId = (call: Call, data: Fields): Fields => {
  if (call.at("a create shows a number as id")) return { ...data, id: 4711 }
  if (!call.at("a create shows no id")) return data
  const { id: _, ...others } = data
  return others
}

/** Whether the server has a read by id for a group. */
const isReadById = ({ type }: Group, { request, world: { chosen } }: Call): boolean => {
  if (type === "webhook") return chosen("webhooks are read by id", true)
  if (isOwner(type)) return request.url.searchParams.has("expand") || chosen("owners are read by id", true)
  return !isFurther(type) || chosen("further groups are read by id", true)
}

export const one = (group: Group, call: Call): Reply => {
  if (!isReadById(group, call)) throw new Refusal(404, "NOT_FOUND", "no read", "There is no read by id.")
  const found = find(group, call, idOf(call))
  const isHidden = found.deletedAt !== null && call.world.chosen("a deleted resource", "shown") !== "shown"
  const resource = isHidden ? findLive(group, call, found.id) : found
  if (call.at("a read changes the resource")) resource.fields["reads"] = Number(resource.fields["reads"] ?? 0) + 1
  return { status: 200, data: showing(group, call, resource) }
}

/** Fails if resources of a group cannot be changed and deleted. */
const checkLasting = ({ type }: Group, call: Call): void => {
  if (isFurther(type) && !call.world.chosen("further groups are changed and deleted", true)) {
    throw new Refusal(405, "METHOD", "method", "The path has no such method.")
  }
}

export const update = (group: Group, call: Call): Reply => {
  checkLasting(group, call)
  const resource = findLive(group, call, idOf(call))
  const before = resource.fields
  const repeat = {
    body: isDeepStrictEqual(call.world.kept.get(`update ${resource.id}`), call.request.body) ? "same" : "new"
  }
  if (call.at("a repeated update is a conflict", repeat)) throw refuse.broken("Nothing to change.")
  keepBefore(call, resource)
  resource.fields = fieldsIn(group, call, call.body(), resource)
  call.world.kept.set(`update ${resource.id}`, call.request.body)
  if (call.at("a repeated update adds", repeat)) resource.fields["writes"] = Number(before["writes"] ?? 1) + 1
  note(call, resource.id, "changed")
  if (call.world.chosen("response to an update", "the resource") === "nothing") return { status: 204 }
  return { status: 200, data: showing(group, call, resource) }
}

const ownedBy = ({ fields }: Resource) => {
  const owners = Object.entries(inside(fields, "owners")).filter(([, id]) => id !== "")
  return { owners: owners.length === 2 ? "both" : (owners[0]?.[0] ?? "none") }
}

/** The resource to delete; undefined if the server takes the delete of an unknown one. */
const toRemove = (group: Group, call: Call): Resource | undefined => {
  try {
    return find(group, call, idOf(call))
  } catch (refusal) {
    const isUnknown = refusal instanceof Refusal && refusal.status === 404
    if (isUnknown && call.world.chosen("a delete of an unknown id", "refused") === "a no-op") return undefined
    throw refusal
  }
}

export const remove = (group: Group, call: Call): Reply => {
  if (group.type !== "complianceCheck") checkLasting(group, call)
  const resource = toRemove(group, call)
  if (resource === undefined) return { status: 204 }
  if (resource.deletedAt !== null) {
    if (call.at("a second delete is 404")) throw refuse.unknown(group.type)
    if (call.at("a second delete is a conflict")) throw refuse.broken("It is deleted already.")
    if (call.at("a second delete restores")) resource.deletedAt = null
    else if (call.at("a second delete moves the time of deletion")) resource.deletedAt = new Date(0).toISOString()
    return { status: 204 }
  }
  if (call.at("a delete is refused", ownedBy(resource))) throw refuse.broken("It has an owner.")
  resource.deletedAt = new Date().toISOString()
  note(call, resource.id, "deleted")
  return { status: 204 }
}
