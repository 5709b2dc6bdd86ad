import type { Data, Input } from "../calls/Contract.ts"
import { useChange } from "../calls/Queries.ts"
import { announcing } from "../widgets/Announcement.tsx"
import { SelectField, TextField } from "../widgets/Field.tsx"
import { FormDialog } from "../widgets/FormDialog.tsx"
import { filled, useTexts } from "../widgets/Texts.ts"
import { verdictOptions } from "./VerdictOptions.ts"

type Decision = Input<"POST /credentials/:id/review">["body"]

/** The verdicts that a reviewer chooses most. The API takes every conclusive one. */
const options = verdictOptions({
  MAY_ENGAGE: ["VALID"],
  REVIEW_REQUIRED: ["CONDITIONAL", "VOLUNTEER_ONLY"],
  MAY_NOT_ENGAGE: ["EXPIRED", "BARRED", "NOT_FOUND", "NAME_MISMATCH"]
})

/** The decision of a person where no register decides. None is chosen at first: Enter alone must not approve. */
export const Review = ({
  credential: { attributes, id },
  name,
  onClose
}: {
  readonly credential: Data<"GET /credentials/:id">
  readonly name: string
  readonly onClose: () => void
}) => {
  const review = useChange("POST /credentials/:id/review")
  const { field, isTyped, texts } = useTexts({ statusDetail: "", expiryDate: attributes.expiryDate ?? "" })
  const submit = () => {
    const body = filled(texts) as Decision
    review.mutate({ params: { id }, body }, announcing("The decision is recorded.", onClose))
  }
  return (
    <FormDialog
      title={`Decide on ${name} by hand`}
      action="Decide"
      change={review}
      isTyped={isTyped}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>Your decision takes the place of a register's answer. The audit log names you.</p>
      <SelectField label="Verdict" options={options} {...field("statusDetail")} required />
      <TextField label="Expires (optional)" hint="The last day on the card." type="date" {...field("expiryDate")} />
    </FormDialog>
  )
}
