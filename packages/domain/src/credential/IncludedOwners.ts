import { Effect } from "effect"
import { Caller } from "../access/Caller.ts"
import type { ResourceStore } from "../crud/ResourceStore.ts"
import type { CredentialView } from "../holding/Credential.ts"
import { Applicant, type ApplicantFields } from "../people/Applicant.ts"
import { Worker, type WorkerFields } from "../people/Worker.ts"
import { type Document, type Resource, toDocument } from "../resource/Resource.ts"
import { isVisible } from "../resource/SoftDelete.ts"
import type { JsonObject } from "../shared/Json.ts"

/** The owners of a credential in full. Null if the slot is empty or its owner is deleted. */
export interface IncludedOwners {
  readonly worker: Document<WorkerFields> | null
  readonly applicant: Document<ApplicantFields> | null
  readonly [slot: string]: Document<WorkerFields> | Document<ApplicantFields> | null
}

/** Returns a function that adds owners to credentials, with one read per owner type for any number of credentials. */
export const makeWithOwners = (store: ResourceStore["Service"]) => {
  const livingOf = Effect.fnUntraced(function* <Fields extends JsonObject>(
    resource: Resource<Fields>,
    tenantId: string,
    ids: ReadonlyArray<string | null>
  ) {
    const distinct = new Set(ids.filter((id) => id !== null))
    if (distinct.size === 0) return () => null
    const found = yield* store.findAll(resource, tenantId, [...distinct])
    return (id: string | null): Document<Fields> | null => {
      const owner = id === null ? undefined : found.get(id)
      return owner === undefined || !isVisible(owner, false) ? null : toDocument(resource, owner)
    }
  })

  return Effect.fnUntraced(function* (documents: ReadonlyArray<Document<CredentialView>>) {
    const { tenantId } = yield* Caller
    const slots = documents.map(({ attributes }) => attributes.owners)
    const workerOf = yield* livingOf(
      Worker,
      tenantId,
      slots.map(({ worker }) => worker)
    )
    const applicantOf = yield* livingOf(
      Applicant,
      tenantId,
      slots.map(({ applicant }) => applicant)
    )
    return documents.map((document) => {
      const { applicant, worker } = document.attributes.owners
      return { ...document, owners: { worker: workerOf(worker), applicant: applicantOf(applicant) } }
    })
  })
}
