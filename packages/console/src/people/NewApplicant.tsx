import { useState } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { useChange } from "../calls/Queries.ts"
import { UnitField } from "../records/Unit.tsx"
import { Screen } from "../shell/Screen.tsx"
import { TextField } from "../widgets/Field.tsx"
import { Form } from "../widgets/Form.tsx"

/** Adds an applicant. */
export const NewApplicant = () => {
  const { route } = useLocation()
  const create = useChange("POST /applicants")
  const [displayName, setDisplayName] = useState("")
  const [emailAddress, setEmailAddress] = useState("")
  const [unit, setUnit] = useState("")
  const submit = () => {
    create.mutate(
      { body: { displayName, emailAddress, ...(unit === "" ? {} : { unit: { id: unit } }) } },
      { onSuccess: ({ data }) => route(`/console/applicants/${data.id}`) }
    )
  }
  return (
    <Screen title="Add an applicant">
      <Form action="Add" change={create} onSubmit={submit} out="/console/applicants">
        <TextField label="Display name" value={displayName} onChange={setDisplayName} required />
        <TextField
          label="Email"
          type="email"
          value={emailAddress}
          onChange={setEmailAddress}
          maxLength={254}
          required
        />
        <UnitField value={unit} onChange={setUnit} />
      </Form>
    </Screen>
  )
}
