import { tagOf } from "../calls/Call.ts"
import { useChange, useRead } from "../calls/Queries.ts"
import type { EditableField } from "../records/Edited.ts"
import { EditRecord } from "../records/EditRecord.tsx"

const fields: ReadonlyArray<EditableField> = [
  { path: "attributes.identifier", maxLength: 100 },
  { path: "attributes.issueNumber", maxLength: 40 },
  { path: "attributes.holder.firstName", maxLength: 100 },
  { path: "attributes.holder.middleName", maxLength: 100 },
  { path: "attributes.holder.lastName", maxLength: 100 },
  { path: "attributes.holder.birthDate", type: "date" },
  { path: "attributes.issueDate", type: "date" },
  { path: "attributes.expiryDate", type: "date", hint: "The last day on the card." }
]

/** Corrects a credential, for example a mistyped card number. */
export const EditCredential = ({
  id,
  name,
  onClose
}: {
  readonly id: string
  readonly name: string
  readonly onClose: () => void
}) => {
  const types = useRead("GET /credential-types", {})
  const answer = useRead("GET /credentials/:id", { params: { id } }).data // with the owners it would have no tag
  const update = useChange("PATCH /credentials/:id")
  if (answer === undefined) return null
  const type: EditableField = {
    path: "attributes.credentialType",
    required: true,
    options: (types.data?.data ?? []).map(({ code, displayName }) => [code, displayName] as const)
  }
  return (
    <EditRecord
      name={name}
      record={answer.data}
      fields={[type, ...fields]}
      change={update}
      onSave={(body, done) => update.mutate({ params: { id }, body, ifMatch: tagOf(answer) }, done)}
      onClose={onClose}
    >
      A change of the type, the identifier, the issue number or the holder clears the verdict. The register is asked
      again.
    </EditRecord>
  )
}
