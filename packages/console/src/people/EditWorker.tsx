import { tagOf } from "../calls/Call.ts"
import type { Output } from "../calls/Contract.ts"
import { useChange } from "../calls/Queries.ts"
import type { EditableField } from "../records/Edited.ts"
import { EditRecord } from "../records/EditRecord.tsx"
import { useUnitField, withUnit } from "../records/Unit.tsx"
import { wordsOf } from "../widgets/Badge.tsx"

type Answer = Output<"GET /workers/:id">

const statuses = ["ACTIVE", "INACTIVE", "ON_LEAVE", "TERMINATED"] as const

const fields: ReadonlyArray<EditableField> = [
  { path: "identity.displayName", required: true },
  { path: "identity.firstName", maxLength: 100 },
  { path: "identity.lastName", maxLength: 100 },
  { path: "identity.birthDate", type: "date" },
  { path: "employment.jobTitle" },
  { path: "employment.status", options: statuses.map((one) => [one, wordsOf(one)] as const) },
  { path: "contact.workEmail", type: "email", maxLength: 254 },
  { path: "contact.personalEmail", type: "email", maxLength: 254 },
  { path: "contact.mobileNumber", maxLength: 40 },
  { path: "source.externalId" }
]

/** Changes the fields of a worker that the console shows. */
export const EditWorker = ({ answer, onClose }: { readonly answer: Answer; readonly onClose: () => void }) => {
  const update = useChange("PATCH /workers/:id")
  const unit = useUnitField()
  const worker = answer.data
  return (
    <EditRecord
      name={worker.identity.displayName}
      record={worker}
      fields={[...fields, ...unit]}
      change={update}
      onSave={(patch, done) =>
        update.mutate({ params: { id: worker.id }, body: withUnit(patch), ifMatch: tagOf(answer) }, done)
      }
      onClose={onClose}
    />
  )
}
