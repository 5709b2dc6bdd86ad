import { useState } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { useChange } from "../calls/Queries.ts"
import { SecretOnce } from "../records/SecretOnce.tsx"
import { Screen } from "../shell/Screen.tsx"
import { TextField } from "../widgets/Field.tsx"
import { Form } from "../widgets/Form.tsx"
import { useTexts } from "../widgets/Texts.ts"
import { EventChoice, type EventKind } from "./EventChoice.tsx"

/** Adds a webhook, and shows its signing secret once. */
export const NewWebhook = () => {
  const { route } = useLocation()
  const create = useChange("POST /webhooks")
  const { field, texts } = useTexts({ name: "", url: "" })
  const [events, setEvents] = useState<ReadonlyArray<EventKind>>([])
  const made = create.data?.data
  const submit = () => {
    create.mutate({ body: { ...texts, events } })
  }
  return (
    <Screen title="Add a webhook">
      <Form action="Add" change={create} disabled={events.length === 0} onSubmit={submit} out="/console/webhooks">
        <TextField label="Name" {...field("name")} required />
        <TextField
          label="Address"
          type="url"
          hint="An https address that takes a POST for each event."
          {...field("url")}
          maxLength={2000}
          required
        />
        <EventChoice chosen={events} onChange={setEvents} />
      </Form>
      {made === undefined ? null : (
        <SecretOnce
          name={`Signing secret of ${made.name}`}
          secret={made.signingSecret}
          hint="The receiver verifies each delivery with it (Standard Webhooks)."
          onClose={() => {
            create.reset() // the secret leaves the memory of the page
            route(`/console/webhooks/${made.id}`)
          }}
        />
      )}
    </Screen>
  )
}
