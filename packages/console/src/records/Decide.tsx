import { useState } from "preact/hooks"
import type { Data, Input } from "../calls/Contract.ts"
import { useChange } from "../calls/Queries.ts"
import { announcing } from "../widgets/Announcement.tsx"
import { wordsOf } from "../widgets/Badge.tsx"
import { SelectField, TextField } from "../widgets/Field.tsx"
import { FormDialog } from "../widgets/FormDialog.tsx"
import { useToday } from "../widgets/Time.tsx"

type Decision = Input<"POST /credentials/:id/decisions">["body"]

/** What the server accepts now. */
export type Bounds = Pick<Data<"GET /credentials/:id/decidable">, "outcomes" | "until">

/** What a person decides about a card or a ban. Nothing is chosen at first: Enter alone must not approve. */
export const Decide = ({
  bounds: { outcomes, until },
  id,
  list,
  name,
  onClose,
  words
}: {
  readonly list: "credentials" | "bans"
  readonly id: string
  /** The words of the outcomes. */
  readonly words?: Readonly<Record<Decision["outcome"], string>>
  readonly bounds: Bounds
  readonly name: string
  readonly onClose: () => void
}) => {
  const decide = useChange(`POST /${list}/:id/decisions`)
  const [outcome, setOutcome] = useState("")
  const [reason, setReason] = useState("")
  const [endsOn, setEndsOn] = useState("")
  const submit = () => {
    const body = { outcome: outcome as Decision["outcome"], reason, endsOn }
    decide.mutate({ params: { id }, body }, announcing("The decision is recorded.", onClose))
  }
  return (
    <FormDialog
      title={`Decide about ${name}`}
      action="Decide"
      change={decide}
      isTyped={[outcome, reason, endsOn].some((text) => text !== "")}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>
        The verdict of the register stays. Your decision counts in compliance until its last day. An approval ends
        earlier when a later verdict refuses or asks something else. The audit log names you.
      </p>
      <SelectField
        label="Decision"
        value={outcome}
        options={[
          ["", "Choose a decision"],
          ...outcomes.map((possible) => [possible, words?.[possible] ?? wordsOf(possible)] as const)
        ]}
        onChange={setOutcome}
        required
      />
      <TextField
        label="Reason"
        hint="For your colleagues and for auditors."
        value={reason}
        onChange={setReason}
        maxLength={1000}
        required
      />
      <TextField
        label="Last day"
        hint="The decision ends by itself after this day."
        type="date"
        min={useToday()}
        {...(until === null ? {} : { max: until })}
        value={endsOn}
        onChange={setEndsOn}
        required
      />
    </FormDialog>
  )
}
