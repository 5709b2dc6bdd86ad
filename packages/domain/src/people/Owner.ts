import { type OwnerType, ownerTypes } from "../ownership/Ownership.ts"
import type { Filter, Resource } from "../resource/Resource.ts"
import { Applicant } from "./Applicant.ts"
import { Worker } from "./Worker.ts"

/** The resource of each kind of owner. */
export const ownerResources = { worker: Worker, applicant: Applicant } as const satisfies Record<OwnerType, Resource>

/** The column with the id of an owner, in the table of every resource that has owners. */
export const ownerColumns = { worker: "worker_id", applicant: "applicant_id" } as const satisfies Record<
  OwnerType,
  string
>

/** The filters by owner of a resource with these columns. */
export const ownerFilters = {
  ownerExternalId: {
    by: "holder",
    holders: ownerTypes.map((type) => ({ column: ownerColumns[type], resource: type, lookup: "external_id" }))
  },
  ownerId: { by: "slot", type: "ownerType", columns: ownerColumns }
} as const satisfies Readonly<Record<string, Filter>>
