import { useState } from "preact/hooks"
import { useLocation } from "preact-iso"
import { useChange } from "../calls/Queries.ts"
import { Screen } from "../shell/Screen.tsx"
import { Button } from "../widgets/Button.tsx"
import { TextField } from "../widgets/Field.tsx"
import { Problem } from "../widgets/Problem.tsx"
import { SecretOnce } from "../widgets/SecretOnce.tsx"
import { EventChoice, type EventKind } from "./EventChoice.tsx"

/** Adds a webhook, and shows its signing secret once. */
export const NewWebhook = () => {
  const { route } = useLocation()
  const create = useChange("POST /webhooks")
  const [name, setName] = useState("")
  const [url, setUrl] = useState("")
  const [events, setEvents] = useState<ReadonlyArray<EventKind>>([])
  const made = create.data?.data
  const submit = (event: Event) => {
    event.preventDefault()
    create.mutate({ body: { name, url, events } })
  }
  return (
    <Screen title="Add a webhook">
      <form class="form" onSubmit={submit}>
        <TextField label="Name" value={name} onChange={setName} required />
        <TextField
          label="Address"
          type="url"
          hint="An https address that takes a POST for each event."
          value={url}
          onChange={setUrl}
          maxLength={2000}
          required
        />
        <EventChoice chosen={events} onChange={setEvents} />
        <Problem error={create.error} />
        <div class="actions">
          <Button type="submit" class="main" isBusy={create.isPending} disabled={events.length === 0}>
            Add
          </Button>
          <a class="button" href="/console/webhooks">
            Cancel
          </a>
        </div>
      </form>
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
