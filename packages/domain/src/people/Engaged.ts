import type { OwnerType } from "../ownership/Ownership.ts"
import type { Stored } from "../resource/Resource.ts"
import { isVisible } from "../resource/SoftDelete.ts"
import type { ApplicantFields } from "./Applicant.ts"
import type { WorkerFields } from "./Worker.ts"

/** A person who owns a credential. */
export type Owner =
  | { readonly type: Extract<OwnerType, "worker">; readonly person: Stored<WorkerFields> }
  | { readonly type: Extract<OwnerType, "applicant">; readonly person: Stored<ApplicantFields> }

/**
 * Whether the organization has to know of a person's cards on a day, `YYYY-MM-DD`. A worker who left and an applicant who
 * withdrew are no longer its concern. The last day of an employment still is.
 */
export const isEngaged = ({ person, type }: Owner, today: string): boolean => {
  if (!isVisible(person, false)) return false
  if (type === "applicant") return person.fields.status !== "WITHDRAWN"
  const { endDate, status } = person.fields.employment ?? {}
  return status !== "TERMINATED" && (endDate === undefined || today <= endDate)
}
