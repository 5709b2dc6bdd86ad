import { useState } from "preact/hooks"
import { tagOf } from "../calls/Call.ts"
import type { Output } from "../calls/Contract.ts"
import { useChange } from "../calls/Queries.ts"
import { announcing } from "../widgets/Announcement.tsx"
import { Dialog } from "../widgets/Dialog.tsx"
import { TextField } from "../widgets/Field.tsx"
import { Form } from "../widgets/Form.tsx"
import { EventChoice } from "./EventChoice.tsx"

/** Changes the name, the address and the events of a webhook. */
export const EditWebhook = ({
  answer,
  onClose
}: {
  readonly answer: Output<"GET /webhooks/:id">
  readonly onClose: () => void
}) => {
  const webhook = answer.data
  const update = useChange("PATCH /webhooks/:id")
  const [name, setName] = useState(webhook.name)
  const [url, setUrl] = useState(webhook.url)
  const [events, setEvents] = useState(webhook.events)
  const [opened] = useState(webhook)
  const isChosenAnew = events.length !== opened.events.length || events.some((kind) => !opened.events.includes(kind))
  const body = {
    ...(name === opened.name ? {} : { name }),
    ...(url === opened.url ? {} : { url }),
    ...(isChosenAnew ? { events } : {})
  }
  const submit = () =>
    update.mutate(
      { params: { id: webhook.id }, body, ifMatch: tagOf(answer) },
      announcing(`${name} is saved.`, onClose)
    )
  return (
    <Dialog title={`Edit ${webhook.name}`} onClose={onClose}>
      <Form
        action="Save"
        change={update}
        disabled={events.length === 0 || Object.keys(body).length === 0}
        onSubmit={submit}
        out={onClose}
      >
        <TextField label="Name" value={name} onChange={setName} required />
        <TextField label="Address" type="url" value={url} onChange={setUrl} maxLength={2000} required />
        <EventChoice chosen={events} onChange={setEvents} />
      </Form>
    </Dialog>
  )
}
