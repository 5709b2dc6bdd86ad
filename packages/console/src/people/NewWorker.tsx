import { useState } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { useChange } from "../calls/Queries.ts"
import { Screen } from "../shell/Screen.tsx"
import { TextField } from "../widgets/Field.tsx"
import { Form } from "../widgets/Form.tsx"
import { duplicatesIn, MaybeDuplicate } from "./MaybeDuplicate.tsx"

/** Leaves empty texts out of a body. */
const given = <Key extends string>(fields: Readonly<Record<Key, string>>): Partial<Record<Key, string>> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== "")) as Partial<Record<Key, string>>

/** Adds a worker. */
export const NewWorker = () => {
  const { route } = useLocation()
  const create = useChange("POST /workers")
  const [displayName, setDisplayName] = useState("")
  const [lastName, setLastName] = useState("")
  const [birthDate, setBirthDate] = useState("")
  const [jobTitle, setJobTitle] = useState("")
  const [externalId, setExternalId] = useState("")
  const submit = () => {
    const body = {
      identity: { displayName, ...given({ lastName, birthDate }) },
      ...(jobTitle === "" ? {} : { employment: { jobTitle } }),
      ...(externalId === "" ? {} : { source: { externalId } })
    }
    create.mutate(
      { body },
      { onSuccess: ({ data, meta }) => duplicatesIn(meta.warnings).length || route(`/console/workers/${data.id}`) }
    )
  }
  const added = create.data
  const duplicates = duplicatesIn(added?.meta.warnings)
  if (added !== undefined && duplicates.length > 0) {
    const { id, identity } = added.data
    return (
      <MaybeDuplicate
        title={`${identity.displayName} is added`}
        href={`/console/workers/${id}`}
        warnings={duplicates}
        workerId={id}
      />
    )
  }
  return (
    <Screen title="Add a worker">
      <Form action="Add" change={create} onSubmit={submit} out="/console/workers">
        <TextField label="Display name" value={displayName} onChange={setDisplayName} required />
        <TextField label="Last name" value={lastName} onChange={setLastName} maxLength={100} />
        <TextField label="Birth date" type="date" value={birthDate} onChange={setBirthDate} />
        <TextField label="Job title" value={jobTitle} onChange={setJobTitle} />
        <TextField
          label="Your id"
          hint="The id of the worker in your own system. The API finds the worker by it."
          value={externalId}
          onChange={setExternalId}
        />
      </Form>
    </Screen>
  )
}
