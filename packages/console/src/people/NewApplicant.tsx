import { useState } from "preact/hooks"
import { useLocation } from "preact-iso"
import { useChange } from "../calls/Queries.ts"
import { Screen } from "../shell/Screen.tsx"
import { Button } from "../widgets/Button.tsx"
import { TextField } from "../widgets/Field.tsx"
import { Problem } from "../widgets/Problem.tsx"

/** Adds an applicant. */
export const NewApplicant = () => {
  const { route } = useLocation()
  const create = useChange("POST /applicants")
  const [displayName, setDisplayName] = useState("")
  const [emailAddress, setEmailAddress] = useState("")
  const submit = (event: Event) => {
    event.preventDefault()
    create.mutate(
      { body: { displayName, emailAddress } },
      { onSuccess: ({ data }) => route(`/console/applicants/${data.id}`) }
    )
  }
  return (
    <Screen title="Add an applicant">
      <form class="form" onSubmit={submit}>
        <TextField label="Display name" value={displayName} onChange={setDisplayName} required />
        <TextField
          label="Email"
          type="email"
          value={emailAddress}
          onChange={setEmailAddress}
          maxLength={254}
          required
        />
        <Problem error={create.error} />
        <div class="actions">
          <Button type="submit" class="main" isBusy={create.isPending}>
            Add
          </Button>
          <a class="button" href="/console/applicants">
            Cancel
          </a>
        </div>
      </form>
    </Screen>
  )
}
