import { Effect } from "effect"
import { Caller } from "../access/Caller.ts"
import type { ResourceStore } from "../crud/ResourceStore.ts"
import type { CredentialView } from "../holding/Credential.ts"
import { type OwnerType, perOwner } from "../ownership/Ownership.ts"
import { ownerResources } from "../people/Owner.ts"
import { type Document, type Resource, toDocument } from "../resource/Resource.ts"
import { isVisible } from "../resource/SoftDelete.ts"
import type { JsonObject } from "../shared/Json.ts"

/** The owners of a credential in full. Null if the slot is empty or its owner is deleted. */
export type IncludedOwners = Readonly<Record<OwnerType, Document<JsonObject> | null>>

/** Returns a function that adds owners to credentials, with one read per owner type for any number of credentials. */
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

  return Effect.fnUntraced(function* (documents: ReadonlyArray<Document<CredentialView>>) {
    const { tenantId } = yield* Caller
    const slots = documents.map(({ attributes }) => attributes.owners)
    const living = yield* Effect.all(
      perOwner((type) =>
        livingOf(
          ownerResources[type],
          tenantId,
          slots.map((owners) => owners[type])
        )
      )
    )
    return documents.map((document) => {
      const owners = perOwner((type) => living[type](document.attributes.owners[type]))
      return { ...document, owners }
    })
  })
}
