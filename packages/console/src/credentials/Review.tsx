import { useState } from "preact/hooks"
import type { Data } from "../calls/Contract.ts"
import { useChange } from "../calls/Queries.ts"
import { announcing } from "../widgets/Announcement.tsx"
import { wordsOf } from "../widgets/Badge.tsx"
import { Dialog } from "../widgets/Dialog.tsx"
import { SelectField, TextField } from "../widgets/Field.tsx"
import { Form } from "../widgets/Form.tsx"

/** The verdicts that a reviewer chooses most. The API takes every conclusive one. */
const details = ["VALID", "CONDITIONAL", "VOLUNTEER_ONLY", "EXPIRED", "BARRED", "NOT_FOUND", "NAME_MISMATCH"] as const

/** The decision of a person where no register decides. None is chosen at first: Enter alone must not approve. */
export const Review = ({
  credential: { attributes, id },
  onClose
}: {
  readonly credential: Data<"GET /credentials/:id">
  readonly onClose: () => void
}) => {
  const review = useChange("POST /credentials/:id/review")
  const [detail, setDetail] = useState<string>("")
  const [expiryDate, setExpiryDate] = useState(attributes.expiryDate ?? "")
  const submit = () => {
    const statusDetail = detail as (typeof details)[number]
    const body = { statusDetail, ...(expiryDate === "" ? {} : { expiryDate }) }
    review.mutate({ params: { id }, body }, announcing("The decision is recorded.", onClose))
  }
  return (
    <Dialog title="Decide by hand" onClose={onClose}>
      <Form action="Decide" change={review} onSubmit={submit} out={onClose}>
        <p>Your decision takes the place of a register's answer. The audit log names you.</p>
        <SelectField
          label="Verdict"
          value={detail}
          options={[["", "Choose a verdict"], ...details.map((one) => [one, wordsOf(one)] as const)]}
          onChange={setDetail}
          required
        />
        <TextField
          label="Expires (optional)"
          hint="The last day on the card."
          type="date"
          value={expiryDate}
          onChange={setExpiryDate}
        />
      </Form>
    </Dialog>
  )
}
