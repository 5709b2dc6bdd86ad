import { Effect } from "effect"
import { Caller } from "../access/Caller.ts"
import { type Forbidden, PrivilegeRules } from "../access/Privilege.ts"
import { type OwnerType, perOwner } from "../ownership/Ownership.ts"
import { ownerResources } from "../people/Owner.ts"
import type { Reading } from "../resource/Collection.ts"
import { makeIncluding } from "../resource/Include.ts"
import type { Query } from "../resource/ListQuery.ts"
import { type Document, type Resource, toDocument } from "../resource/Resource.ts"
import { isVisible } from "../resource/SoftDelete.ts"
import type { JsonObject } from "../shared/Json.ts"
import { ResourceStore } from "./ResourceStore.ts"

/** The people of a record in full. Null if there is none of the type, or if the person is deleted. */
export type IncludedOwners = Readonly<Record<OwnerType, Document<JsonObject> | null>>

/** The ids of the people of a record. */
type OwnerIds = Readonly<Record<OwnerType, string | null>>

/** Returns a function that adds owners to documents, with one read per owner type for any number of documents. */
export const makeWithOwners = (store: ResourceStore["Service"]) => {
  const livingOf = Effect.fnUntraced(function* (
    resource: Resource,
    tenantId: string,
    ids: ReadonlyArray<string | null>
  ) {
    const distinct = new Set(ids.filter((id) => id !== null))
    if (distinct.size === 0) return () => null
    const found = yield* store.findAll(resource, tenantId, [...distinct])
    return (id: string | null): Document<JsonObject> | null => {
      const owner = id === null ? undefined : found.get(id)
      return owner === undefined || !isVisible(owner, false) ? null : toDocument(resource, owner)
    }
  })

  return Effect.fnUntraced(function* <Shown extends JsonObject>(
    documents: ReadonlyArray<Shown>,
    idsOf: (document: Shown) => OwnerIds
  ) {
    const { tenantId } = yield* Caller
    const slots = documents.map(idsOf)
    const living = yield* Effect.all(
      perOwner((type) =>
        livingOf(
          ownerResources[type],
          tenantId,
          slots.map((owners) => owners[type])
        )
      )
    )
    return documents.map((document, index) => {
      const owners: IncludedOwners = perOwner((type) => living[type](slots[index]?.[type] ?? null))
      return { ...document, owners }
    })
  })
}

/** Fields that name people by links, such as those of an exemption. */
type Linked = JsonObject & { readonly [Type in OwnerType]?: { readonly id: string } }

const idsOfLinks = (document: Linked): OwnerIds => perOwner((type) => document[type]?.id ?? null)

/** The list of a group whose documents can include the people that they name. */
export interface ListWithOwners<Fields extends JsonObject> {
  readonly list: Reading<Fields & { readonly owners?: IncludedOwners }, never, Forbidden>["list"]
}

/** Returns a function that lets a list include the people of its documents. `include=owners` also needs READ of them. */
export const makeListWithOwners = Effect.gen(function* () {
  const including = makeIncluding(yield* PrivilegeRules, "owners", "peopleOfRecords")
  const withOwners = makeWithOwners(yield* ResourceStore)
  return <Fields extends Linked>(list: Reading<Fields>["list"]): ListWithOwners<Fields> => ({
    list: Effect.fnUntraced(function* (asked: Query) {
      const { isIncluding, query } = yield* including(asked)
      const page = yield* list(query)
      return isIncluding ? { ...page, documents: yield* withOwners(page.documents, idsOfLinks) } : page
    })
  })
})
