import type { Data, Item } from "../calls/Contract.ts"
import { useRead } from "../calls/Queries.ts"
import { EditById } from "../records/EditById.tsx"
import type { EditableField } from "../records/Edited.ts"

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
export const EditCredential = (credential: Pick<Parameters<typeof EditById>[0], "id" | "name" | "onClose">) => {
  const types = useRead("GET /credential-types", {}).data?.data ?? []
  const type: EditableField = {
    path: "attributes.credentialType",
    required: true,
    options: types.map(({ code, displayName }) => [code, displayName] as const)
  }
  return (
    <EditById
      list="credentials"
      {...credential}
      says="A change of the type, the identifier, the issue number or the holder clears the verdict. The register is asked again."
      fields={({ attributes }: Data<"GET /credentials/:id">) => {
        const present = types.find(({ code }) => code === attributes.credentialType)
        return [type, ...(present === undefined ? fields : fieldsOf(present))]
      }}
    />
  )
}
