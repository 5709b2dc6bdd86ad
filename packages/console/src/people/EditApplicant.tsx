import { EditById } from "../records/EditById.tsx"
import type { EditableField } from "../records/Edited.ts"
import { useUnitField } from "../records/Unit.tsx"
import { applicantStatuses } from "./Person.ts"

const fields: ReadonlyArray<EditableField> = [
  { path: "displayName" },
  { path: "firstName", maxLength: 100 },
  { path: "lastName", maxLength: 100 },
  { path: "birthDate", type: "date" },
  { path: "status", required: true, options: applicantStatuses },
  { path: "emailAddress", type: "email", maxLength: 254, required: true },
  { path: "phone", maxLength: 40 },
  { path: "source.externalId" }
]

/** Changes the fields of an applicant that the console shows. */
export const EditApplicant = (applicant: Pick<Parameters<typeof EditById>[0], "id" | "name" | "onClose">) => (
  <EditById list="applicants" {...applicant} fields={[...fields, ...useUnitField()]} />
)
