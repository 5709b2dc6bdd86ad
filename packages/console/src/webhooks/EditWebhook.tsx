import { useState } from "preact/hooks"
import { tagOf } from "../calls/Call.ts"
import type { Output } from "../calls/Contract.ts"
import { useChange } from "../calls/Queries.ts"
import { announcing } from "../widgets/Announcement.tsx"
import { Dialog } from "../widgets/Dialog.tsx"
import { TextField } from "../widgets/Field.tsx"
import { Form } from "../widgets/Form.tsx"
import { EventChoice, type EventKind } from "./EventChoice.tsx"

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
  const [opened] = useState(webhook)
  // What the person ticked, so that a kind that somebody else adds meanwhile stays.
  const [ticks, setTicks] = useState<ReadonlyMap<EventKind, boolean>>(new Map())
  const kept = webhook.events.filter((kind) => ticks.get(kind) !== false)
  const added = [...ticks].flatMap(([kind, isOn]) => (isOn && !webhook.events.includes(kind) ? [kind] : []))
  const events = [...kept, ...added]
  const tick = (chosen: ReadonlyArray<EventKind>) => {
    const on = chosen.filter((kind) => !events.includes(kind)).map((kind) => [kind, true] as const)
    const off = events.filter((kind) => !chosen.includes(kind)).map((kind) => [kind, false] as const)
    setTicks(new Map([...ticks, ...on, ...off]))
  }
  const body = {
    ...(name === opened.name ? {} : { name }),
    ...(url === opened.url ? {} : { url }),
    ...(added.length > 0 || kept.length < webhook.events.length ? { events } : {})
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
        <EventChoice chosen={events} onChange={tick} />
      </Form>
    </Dialog>
  )
}
