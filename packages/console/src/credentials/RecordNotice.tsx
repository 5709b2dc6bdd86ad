import type { Input, Output } from "../calls/Contract.ts"
import { useChange } from "../calls/Queries.ts"
import { withLabels } from "../records/FieldLabels.ts"
import { announce } from "../widgets/Announcement.tsx"
import { Dialog } from "../widgets/Dialog.tsx"
import { SelectField, TextField } from "../widgets/Field.tsx"
import { FormDialog } from "../widgets/FormDialog.tsx"
import { useTexts } from "../widgets/Texts.ts"
import { useToday } from "../widgets/Time.tsx"
import { verdictOptions } from "./VerdictOptions.ts"

type Notice = Input<"POST /credentials/:id/notices">["body"]

/** The verdicts that registers tell by letter. The API takes every conclusive one. */
const options = verdictOptions({
  MAY_NOT_ENGAGE: [
    ...(["BARRED", "INTERIM_BARRED", "NEGATIVE_NOTICE", "EXCLUDED", "SUSPENDED", "CANCELLED", "REVOKED"] as const),
    ...(["SURRENDERED", "WITHDRAWN"] as const)
  ],
  REVIEW_REQUIRED: ["CONDITIONAL"],
  MAY_ENGAGE: ["VALID"]
})

/** Records what a register told by letter. None is chosen at first: Enter alone must not bar anybody. */
export const RecordNotice = ({
  barsOthers,
  id,
  name,
  onClose
}: {
  readonly id: string
  readonly name: string
  /** Whether a bar can end other cards of the person. */
  readonly barsOthers: boolean
  readonly onClose: () => void
}) => {
  const notice = useChange("POST /credentials/:id/notices")
  const { field, isTyped, texts } = useTexts({ statusDetail: "", issuedOn: "", reference: "" })
  const [warning] = notice.data?.meta.warnings ?? []
  const title = `Record a notice about ${name}`
  if (warning !== undefined) {
    return (
      <Dialog title={title} onClose={onClose}>
        <p class="notice" role="status">
          The notice is recorded. {withLabels(warning)}
        </p>
        <div class="actions">
          <button type="button" autofocus onClick={onClose}>
            Close
          </button>
        </div>
      </Dialog>
    )
  }
  const done = ({ meta }: Output<"POST /credentials/:id/notices">) => {
    if (meta.warnings !== undefined) return
    announce("The notice is recorded.")
    onClose()
  }
  const submit = () => {
    const body = { ...texts, statusDetail: texts.statusDetail as Notice["statusDetail"] }
    notice.mutate({ params: { id }, body }, { onSuccess: done })
  }
  return (
    <FormDialog title={title} action="Record" change={notice} isTyped={isTyped} onSubmit={submit} onClose={onClose}>
      <p>
        For a letter or a message of the register. It counts until the register answers again, and the audit log names
        you.
        {barsOthers ? " If it is a bar, the person's other cards are verified again." : ""}
      </p>
      <SelectField label="Verdict" options={options} {...field("statusDetail")} required />
      <TextField
        label="Date of the notice"
        hint="A verdict of a later day stands. Then only the history has the notice."
        type="date"
        max={useToday()}
        {...field("issuedOn")}
        required
      />
      <TextField label="Reference" hint="As printed on the notice." {...field("reference")} required />
    </FormDialog>
  )
}
