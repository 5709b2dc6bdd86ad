import { Data, Effect, Option, Result } from "effect"
import type { EntityType } from "../access/Privilege.ts"
import { unitLink } from "../people/Unit.ts"
import * as ListQuery from "../resource/ListQuery.ts"
import { isIdOf, type Link, type Resource, type Stored } from "../resource/Resource.ts"
import { requireObject } from "../resource/Write.ts"
import { idOfNothing } from "../shared/Id.ts"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import { at, isObject, type JsonObject, type JsonValue, put } from "../shared/Json.ts"
import type { Reference, ResourceStore } from "./ResourceStore.ts"

/** A linked resource does not exist or is deleted, or several have its external id. */
export class LinkNotFound extends Data.TaggedError("LinkNotFound")<{
  readonly field: string
  readonly entityType: EntityType
  readonly found: "none" | "several"
}> {}

/** A link in a body, resolved to an id. */
export interface Named extends Reference {
  readonly link: Link
  /** Several resources have the external id. */
  readonly isAmbiguous: boolean
}

const fieldOf = ({ path }: Link): string => path.join(".")

const idAt = (document: JsonObject, { path }: Link): JsonValue | undefined => at(document, [...path, "id"])

/**
 * Returns a valid id that is never minted, for an external id without a match. So the rest of the body can still be
 * validated.
 */
const nobody = ({ naming, type }: Resource): string => {
  if (naming.by === "minting") return idOfNothing(naming.kind)
  throw new Error(`a ${type} is identified by its ${naming.by} and has no external id`)
}

/** Returns the external id of a link, if the body has one. */
const externalIdOf = (sent: JsonObject, field: string): Result.Result<string | undefined, InvalidArgument> => {
  const { externalId, id } = sent
  if (externalId === undefined || externalId === null) return Result.succeed(undefined)
  if (typeof externalId !== "string") {
    return Result.fail(new InvalidArgument({ field: `${field}.externalId`, reason: "must be a string" }))
  }
  return id === undefined || id === null
    ? Result.succeed(externalId)
    : Result.fail(new InvalidArgument({ field, reason: "must have an id or an externalId, but not both" }))
}

/** The most merges in a row that are followed. */
const mergesMax = 50

/** Returns a function that finds the resource that continues one after any number of merges: itself if it was not merged. */
const makeSurvivor = (store: ResourceStore["Service"]) =>
  Effect.fnUntraced(function* <Fields extends JsonObject>(
    resource: Resource<Fields>,
    tenantId: string,
    asked: Stored<Fields>
  ) {
    let survivor = asked
    for (let merges = 0; merges < mergesMax && resource.mergedInto !== undefined; merges++) {
      const into = at(survivor.fields, resource.mergedInto)
      const next = typeof into === "string" ? yield* store.find(resource, tenantId, into) : Option.none()
      if (Option.isNone(next)) break
      survivor = next.value
    }
    return survivor
  })

/**
 * Returns a function that finds the resources with an external id, at most two. If only merged ones have it, it finds
 * those that continue them.
 */
export const makeHolders = (store: ResourceStore["Service"]) => {
  const survivorOf = makeSurvivor(store)

  return Effect.fnUntraced(function* <Fields extends JsonObject>(
    resource: Resource<Fields>,
    lookup: string,
    tenantId: string,
    externalId: string
  ) {
    const listed = Effect.fnUntraced(function* (query: ListQuery.Query) {
      const selection = yield* Effect.fromResult(ListQuery.parse(resource, { ...query, [lookup]: externalId }, ""))
      return (yield* store.list(resource, tenantId, selection)).items
    })
    const present = yield* listed({ pageSize: "2" })
    if (present.length > 0 || resource.mergedInto === undefined) return present
    const survivors = new Map<string, Stored<Fields>>()
    for (const deleted of yield* listed({ pageSize: "20", includeDeleted: "true" })) {
      const survivor = yield* survivorOf(resource, tenantId, deleted)
      if (survivor.deletedAt === null) survivors.set(survivor.id, survivor)
    }
    return [...survivors.values()]
  })
}

/** Returns a function that replaces the ids of merged resources in the links of a body by those that continue them. */
export const makeFollow = (store: ResourceStore["Service"]) => {
  const survivorOf = makeSurvivor(store)

  return Effect.fnUntraced(function* (resource: Resource, tenantId: string, body: JsonObject) {
    let document = body
    for (const link of resource.links) {
      const id = idAt(document, link)
      if (typeof id !== "string" || !isIdOf(link.resource, id)) continue
      const found = yield* store.find(link.resource, tenantId, id)
      if (Option.isNone(found)) continue
      const survivor = yield* survivorOf(link.resource, tenantId, found.value)
      if (survivor.id !== id) document = put(document, [...link.path, "id"], survivor.id)
    }
    return document
  })
}

/**
 * Returns a function that resolves the links of a body. It returns the document with an id in place of each external
 * id, and the links. In a merge patch an external id also replaces the stored id. An unknown external id becomes an id
 * that is never minted, so the rest of the body is validated first.
 */
export const makeResolve = (store: ResourceStore["Service"]) => {
  const holdersOf = makeHolders(store)

  return Effect.fnUntraced(function* (resource: Resource, tenantId: string, body: JsonValue) {
    let document = yield* Effect.fromResult(requireObject(body))
    const named: Array<Named> = []
    for (const link of resource.links) {
      const sent = at(document, link.path)
      if (!isObject(sent)) continue
      const externalId = yield* Effect.fromResult(externalIdOf(sent, fieldOf(link)))
      const holders = externalId === undefined ? [] : yield* holdersOf(link.resource, link.lookup, tenantId, externalId)
      const isAmbiguous = holders.length > 1
      if (externalId !== undefined) {
        const { externalId: _, ...rest } = sent
        const id = isAmbiguous ? nobody(link.resource) : (holders[0]?.id ?? nobody(link.resource))
        document = put(document, link.path, { ...rest, id })
      }
      const id = idAt(document, link)
      // The schema refuses ids of another format.
      if (typeof id === "string" && isIdOf(link.resource, id))
        named.push({ link, resource: link.resource, id, isAmbiguous })
    }
    return { document, named }
  })
}

/** Returns whether a referenced resource exists and is not deleted. */
export const isThere = (found: Option.Option<Stored> | undefined): boolean =>
  found !== undefined && Option.isSome(found) && found.value.deletedAt === null

/** The unit of a person, as a reference; none if the fields have no unit. */
export const unitOf = ({ links }: Resource, fields: JsonObject): ReadonlyArray<Reference> =>
  links.flatMap((link) => {
    const id = link.path === unitLink.path ? idAt(fields, link) : undefined
    return typeof id === "string" ? [{ resource: link.resource, id }] : []
  })

/**
 * Returns the fields of a person without the unit, unless `found` has the unit and it is not deleted. A restore or an undo
 * brings back old fields, and a person in a deleted unit would be found by no filter and no limited user.
 */
export const withLivingUnit = <Fields extends JsonObject>(
  fields: Fields,
  found: ReadonlyArray<Option.Option<Stored>>
): Fields => {
  const id = at(fields, [...unitLink.path, "id"])
  const isLiving = found.some((each) => isThere(each) && Option.exists(each, (unit) => unit.id === id))
  return id === undefined || isLiving ? fields : (put(fields, unitLink.path, undefined) as Fields)
}

/**
 * Returns the first changed link that leads to no resource. Unchanged links are not checked: a later delete of their
 * target must not block other changes.
 */
export const broken = (
  named: ReadonlyArray<Named>,
  found: ReadonlyArray<Option.Option<Stored>>,
  before: JsonObject,
  after: JsonObject
): LinkNotFound | undefined => {
  const missing = named.find(
    ({ id, link }, index) => idAt(after, link) === id && idAt(before, link) !== id && !isThere(found[index])
  )
  if (missing === undefined) return undefined
  const { isAmbiguous, link, resource } = missing
  return new LinkNotFound({ field: fieldOf(link), entityType: resource.type, found: isAmbiguous ? "several" : "none" })
}
