import { useState } from "preact/hooks"
import { useLocation } from "preact-iso"
import { useChange } from "../calls/Queries.ts"
import { Screen } from "../shell/Screen.tsx"
import { Button } from "../widgets/Button.tsx"
import { TextField } from "../widgets/Field.tsx"
import { Problem } from "../widgets/Problem.tsx"

/** Leaves empty texts out of a body. */
const given = <Key extends string>(fields: Readonly<Record<Key, string>>): Partial<Record<Key, string>> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== "")) as Partial<Record<Key, string>>

/** Adds a worker. */
export const NewWorker = () => {
  const { route } = useLocation()
  const create = useChange("POST /workers")
  const [displayName, setDisplayName] = useState("")
  const [lastName, setLastName] = useState("")
  const [jobTitle, setJobTitle] = useState("")
  const [externalId, setExternalId] = useState("")
  const submit = (event: Event) => {
    event.preventDefault()
    const body = {
      identity: { displayName, ...given({ lastName }) },
      ...(jobTitle === "" ? {} : { employment: { jobTitle } }),
      ...(externalId === "" ? {} : { source: { externalId } })
    }
    create.mutate({ body }, { onSuccess: ({ data }) => route(`/console/workers/${data.id}`) })
  }
  return (
    <Screen title="Add a worker">
      <form class="form" onSubmit={submit}>
        <TextField label="Display name" value={displayName} onChange={setDisplayName} required />
        <TextField label="Last name" value={lastName} onChange={setLastName} maxLength={100} />
        <TextField label="Job title" value={jobTitle} onChange={setJobTitle} />
        <TextField
          label="Your id"
          hint="The id of the worker in your own system. The API finds the worker by it."
          value={externalId}
          onChange={setExternalId}
        />
        <Problem error={create.error} />
        <div class="actions">
          <Button type="submit" class="main" isBusy={create.isPending}>
            Add
          </Button>
          <a class="button" href="/console/workers">
            Cancel
          </a>
        </div>
      </form>
    </Screen>
  )
}
