import { tagOf } from "../calls/Call.ts"
import { useChange, useRead } from "../calls/Queries.ts"
import type { EditableField } from "../records/Edited.ts"
import { EditRecord } from "../records/EditRecord.tsx"
import { Dialog } from "../widgets/Dialog.tsx"
import { Problem } from "../widgets/Problem.tsx"

const fields: ReadonlyArray<EditableField> = [
  { path: "attributes.identifier", maxLength: 100 },
  { path: "attributes.issueNumber", maxLength: 40 },
  { path: "attributes.holder.firstName", maxLength: 100 },
  { path: "attributes.holder.middleName", maxLength: 100 },
  { path: "attributes.holder.lastName", maxLength: 100 },
  { path: "attributes.holder.birthDate", type: "date" },
  { path: "attributes.issuingCountry", maxLength: 2, hint: "Two capital letters, such as NZ. Empty for Australia." },
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
  const read = useRead("GET /credentials/:id", { params: { id } }) // with the owners it would have no tag
  const update = useChange("PATCH /credentials/:id")
  const answer = read.data
  if (answer === undefined) {
    return read.error === null ? null : (
      <Dialog title={`Edit ${name}`} onClose={onClose}>
        <Problem error={read.error} onRetry={read.refetch} />
      </Dialog>
    )
  }
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
