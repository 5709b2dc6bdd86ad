import type { Data, Input } from "../calls/Contract.ts"
import { useChange } from "../calls/Queries.ts"
import { announcing } from "../widgets/Announcement.tsx"
import { wordsOf } from "../widgets/Badge.tsx"
import { SelectField, TextField } from "../widgets/Field.tsx"
import { FormDialog } from "../widgets/FormDialog.tsx"
import { useTexts } from "../widgets/Texts.ts"
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
  const { field, isTyped, texts } = useTexts({ outcome: "", reason: "", endsOn: "" })
  const submit = () => {
    const body = { ...texts, outcome: texts.outcome as Decision["outcome"] }
    decide.mutate({ params: { id }, body }, announcing("The decision is recorded.", onClose))
  }
  return (
    <FormDialog
      title={`Decide about ${name}`}
      action="Decide"
      change={decide}
      isTyped={isTyped}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>
        The verdict of the register stays. Your decision counts in compliance until its last day. An approval ends
        earlier when a later verdict refuses or asks something else. The audit log names you.
      </p>
      <SelectField
        label="Decision"
        options={[
          ["", "Choose a decision"],
          ...outcomes.map((possible) => [possible, words?.[possible] ?? wordsOf(possible)] as const)
        ]}
        {...field("outcome")}
        required
      />
      <TextField
        label="Reason"
        hint="For your colleagues and for auditors."
        {...field("reason")}
        maxLength={1000}
        required
      />
      <TextField
        label="Last day"
        hint="The decision ends by itself after this day."
        type="date"
        min={useToday()}
        max={until ?? undefined}
        {...field("endsOn")}
        required
      />
    </FormDialog>
  )
}
