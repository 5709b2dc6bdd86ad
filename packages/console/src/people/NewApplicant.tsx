import { useLocation } from "preact-iso/router"
import { useChange } from "../calls/Queries.ts"
import { UnitField } from "../records/Unit.tsx"
import { Screen } from "../shell/Screen.tsx"
import { TextField } from "../widgets/Field.tsx"
import { Form } from "../widgets/Form.tsx"
import { useTexts } from "../widgets/Texts.ts"

/** Adds an applicant. */
export const NewApplicant = () => {
  const { route } = useLocation()
  const create = useChange("POST /applicants")
  const { field, texts } = useTexts({ displayName: "", emailAddress: "", unit: "" })
  const submit = () => {
    const { unit, ...person } = texts
    create.mutate(
      { body: { ...person, ...(unit === "" ? {} : { unit: { id: unit } }) } },
      { onSuccess: ({ data }) => route(`/console/applicants/${data.id}`) }
    )
  }
  return (
    <Screen title="Add an applicant">
      <Form action="Add" change={create} onSubmit={submit} out="/console/applicants">
        <TextField label="Display name" {...field("displayName")} required />
        <TextField label="Email" type="email" {...field("emailAddress")} maxLength={254} required />
        <UnitField {...field("unit")} />
      </Form>
    </Screen>
  )
}
