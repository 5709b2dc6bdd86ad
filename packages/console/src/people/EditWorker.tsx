import { EditById } from "../records/EditById.tsx"
import type { EditableField } from "../records/Edited.ts"
import { useUnitField } from "../records/Unit.tsx"
import { optionsOf } from "../widgets/Badge.tsx"

const fields: ReadonlyArray<EditableField> = [
  { path: "identity.displayName", required: true },
  { path: "identity.firstName", maxLength: 100 },
  { path: "identity.lastName", maxLength: 100 },
  { path: "identity.birthDate", type: "date" },
  { path: "employment.jobTitle" },
  { path: "employment.status", options: optionsOf(["ACTIVE", "INACTIVE", "ON_LEAVE", "TERMINATED"]) },
  { path: "contact.workEmail", type: "email", maxLength: 254 },
  { path: "contact.personalEmail", type: "email", maxLength: 254 },
  { path: "contact.mobileNumber", maxLength: 40 },
  { path: "source.externalId" }
]

/** Changes the fields of a worker that the console shows. */
export const EditWorker = (worker: Pick<Parameters<typeof EditById>[0], "id" | "name" | "onClose">) => (
  <EditById list="workers" {...worker} fields={[...fields, ...useUnitField()]} />
)
