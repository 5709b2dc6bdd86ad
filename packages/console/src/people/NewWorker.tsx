import { useLocation } from "preact-iso/router"
import { useChange } from "../calls/Queries.ts"
import { UnitField } from "../records/Unit.tsx"
import { Screen } from "../shell/Screen.tsx"
import { TextField } from "../widgets/Field.tsx"
import { Form } from "../widgets/Form.tsx"
import { filled, useTexts } from "../widgets/Texts.ts"
import { duplicatesIn, MaybeDuplicate } from "./MaybeDuplicate.tsx"

/** Adds a worker. */
export const NewWorker = () => {
  const { route } = useLocation()
  const create = useChange("POST /workers")
  const none = { displayName: "", lastName: "", birthDate: "", jobTitle: "", externalId: "", unit: "" }
  const { field, texts } = useTexts(none)
  const submit = () => {
    const { birthDate, displayName, externalId, jobTitle, lastName, unit } = texts
    const body = {
      identity: { displayName, ...filled({ lastName, birthDate }) },
      ...(jobTitle === "" ? {} : { employment: { jobTitle } }),
      ...(externalId === "" ? {} : { source: { externalId } }),
      ...(unit === "" ? {} : { unit: { id: unit } })
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
        <TextField label="Display name" {...field("displayName")} required />
        <TextField label="Last name" {...field("lastName")} maxLength={100} />
        <TextField label="Birth date" type="date" {...field("birthDate")} />
        <TextField label="Job title" {...field("jobTitle")} />
        <TextField
          label="Your id"
          hint="The id of the worker in your own system. The API finds the worker by it."
          {...field("externalId")}
        />
        <UnitField {...field("unit")} />
      </Form>
    </Screen>
  )
}
