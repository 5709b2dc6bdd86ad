import { tagOf } from "../calls/Call.ts"
import type { Item } from "../calls/Contract.ts"
import { useChange, useRead } from "../calls/Queries.ts"
import type { EditableField } from "../records/Edited.ts"
import { EditRecord } from "../records/EditRecord.tsx"
import { Dialog } from "../widgets/Dialog.tsx"
import { Problem } from "../widgets/Problem.tsx"

type CredentialType = Item<"GET /credential-types">

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

const country: EditableField = {
  path: "attributes.issuingCountry",
  maxLength: 2,
  hint: "Two capital letters, such as NZ."
}

/** The fields of a type. Those that its register is asked with say so. */
const fieldsOf = ({ askedWith, identifier, requiredFields }: CredentialType): ReadonlyArray<EditableField> => {
  const isIn = (paths: ReadonlyArray<string>, { path }: EditableField) =>
    paths.includes(path.replace("attributes.", ""))
  const shown = isIn([...askedWith, ...requiredFields], country) ? [...fields, country] : fields
  const form = identifier === null ? "" : `Form: ${identifier.form}.`
  return shown.map((field) => {
    const hints = [
      field.path === "attributes.identifier" ? form : field.hint,
      isIn(askedWith, field) ? "The register is not asked without it." : ""
    ]
    const hint = hints.filter(Boolean).join(" ")
    return hint === "" ? field : { ...field, hint }
  })
}

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
  const { credentialType } = answer.data.attributes
  const present = types.data?.data.find(({ code }) => code === credentialType)
  const type: EditableField = {
    path: "attributes.credentialType",
    required: true,
    options: (types.data?.data ?? []).map(({ code, displayName }) => [code, displayName] as const)
  }
  return (
    <EditRecord
      name={name}
      record={answer.data}
      fields={[type, ...(present === undefined ? fields : fieldsOf(present))]}
      change={update}
      onSave={(body, done) => update.mutate({ params: { id }, body, ifMatch: tagOf(answer) }, done)}
      onClose={onClose}
    >
      A change of the type, the identifier, the issue number or the holder clears the verdict. The register is asked
      again.
    </EditRecord>
  )
}
