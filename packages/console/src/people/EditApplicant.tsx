import { tagOf } from "../calls/Call.ts"
import type { Output } from "../calls/Contract.ts"
import { useChange } from "../calls/Queries.ts"
import type { EditableField } from "../records/Edited.ts"
import { EditRecord } from "../records/EditRecord.tsx"
import { useUnitField, withUnit } from "../records/Unit.tsx"
import { wordsOf } from "../widgets/Badge.tsx"

type Answer = Output<"GET /applicants/:id">

const statuses = ["NEW", "SCREENING", "COMPLETED", "HIRED", "WITHDRAWN"] as const

const fields: ReadonlyArray<EditableField> = [
  { path: "displayName" },
  { path: "firstName", maxLength: 100 },
  { path: "lastName", maxLength: 100 },
  { path: "birthDate", type: "date" },
  {
    path: "status",
    required: true,
    options: statuses.map((one) => [one, wordsOf(one)] as const)
  },
  { path: "emailAddress", type: "email", maxLength: 254, required: true },
  { path: "phone", maxLength: 40 },
  { path: "source.externalId" }
]

/** Changes the fields of an applicant that the console shows. */
export const EditApplicant = ({ answer, onClose }: { readonly answer: Answer; readonly onClose: () => void }) => {
  const update = useChange("PATCH /applicants/:id")
  const unit = useUnitField()
  const applicant = answer.data
  return (
    <EditRecord
      name={applicant.displayName ?? applicant.emailAddress}
      record={applicant}
      fields={[...fields, ...unit]}
      change={update}
      onSave={(patch, done) =>
        update.mutate({ params: { id: applicant.id }, body: withUnit(patch), ifMatch: tagOf(answer) }, done)
      }
      onClose={onClose}
    />
  )
}
