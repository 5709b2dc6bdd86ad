import { Data, Effect, Option, Result } from "effect"
import type { EntityType } from "../access/Privilege.ts"
import { idOfNothing } from "../shared/Id.ts"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import { at, isObject, type JsonObject, type JsonValue, put } from "../shared/Json.ts"
import * as ListQuery from "./ListQuery.ts"
import { isIdOf, type Link, type Resource, type Stored } from "./Resource.ts"
import type { Reference, ResourceStore } from "./ResourceStore.ts"
import { requireObject } from "./Write.ts"

/** What a document names is not there or deleted, or its external id is that of several. */
export class LinkNotFound extends Data.TaggedError("LinkNotFound")<{
  readonly field: string
  readonly entityType: EntityType
  readonly found: "none" | "several"
}> {}

/** What a body names by a link. */
export interface Named extends Reference {
  readonly link: Link
  /** Its external id is that of several. */
  readonly isAmbiguous: boolean
}

const fieldOf = ({ path }: Link): string => path.join(".")

const idAt = (document: JsonObject, { path }: Link): JsonValue | undefined => at(document, [...path, "id"])

/** Stands in for what an external id does not lead to, so that the body can be judged as one with ids. */
const nobody = ({ naming, type }: Resource): string => {
  if (naming.by === "minting") return idOfNothing(naming.kind)
  throw new Error(`a ${type} is named by its ${naming.by} and has no external id`)
}

/** The external id of a link, where the body has one. */
const externalIdOf = (sent: JsonObject, field: string): Result.Result<string | undefined, InvalidArgument> => {
  const { externalId, id } = sent
  if (externalId === undefined) return Result.succeed(undefined)
  if (typeof externalId !== "string") {
    return Result.fail(new InvalidArgument({ field: `${field}.externalId`, reason: "must be a text" }))
  }
  return id === undefined || id === null
    ? Result.succeed(externalId)
    : Result.fail(new InvalidArgument({ field, reason: "must have an id or an externalId, not both" }))
}

/** Makes what finds those that have an external id, by the filter of their list which takes it: two at most. */
export const makeHolders = (store: ResourceStore["Service"]) =>
  Effect.fnUntraced(function* <Fields extends JsonObject>(
    resource: Resource<Fields>,
    lookup: string,
    tenantId: string,
    externalId: string
  ) {
    const query = { [lookup]: externalId, pageSize: "2" }
    const selection = yield* Effect.fromResult(ListQuery.parse(resource, query, ""))
    return (yield* store.list(resource, tenantId, selection)).items
  })

/**
 * Makes what reads a body's links: the document with an id in place of each external id, and what it names. An
 * external id is no more than another way to say an id, in a merge patch too, so it takes the place of an older id.
 * One of nobody becomes the id of nothing, so that the rest of the body is judged first as it is with ids.
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
      // One of another form is the schema's to refuse.
      if (typeof id === "string" && isIdOf(link.resource, id))
        named.push({ link, resource: link.resource, id, isAmbiguous })
    }
    return { document, named }
  })
}

/** Whether what was referred to is there and not deleted. */
export const isThere = (found: Option.Option<Stored> | undefined): boolean =>
  found !== undefined && Option.isSome(found) && found.value.deletedAt === null

/**
 * The first link that is about to lead to what is not there. One that stays as it was is not looked at: what was
 * deleted since does not stand in the way of other changes.
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
