import { useState } from "preact/hooks"
import { useChange } from "../calls/Queries.ts"
import { wordsOf } from "../widgets/Badge.tsx"
import { Button } from "../widgets/Button.tsx"
import { Dialog } from "../widgets/Dialog.tsx"
import { SelectField, TextField } from "../widgets/Field.tsx"
import { Problem } from "../widgets/Problem.tsx"
import { telling } from "../widgets/Told.tsx"

/** The verdicts that a reviewer chooses most. The API takes every conclusive one. */
const details = ["VALID", "CONDITIONAL", "VOLUNTEER_ONLY", "EXPIRED", "BARRED", "NOT_FOUND", "NAME_MISMATCH"] as const

/** The decision of a person where no register decides. */
export const Review = ({ id, onClose }: { readonly id: string; readonly onClose: () => void }) => {
  const review = useChange("POST /credentials/:id/review")
  const [detail, setDetail] = useState<string>("VALID")
  const [expiryDate, setExpiryDate] = useState("")
  const submit = (event: Event) => {
    event.preventDefault()
    const statusDetail = detail as (typeof details)[number]
    const body = { statusDetail, ...(expiryDate === "" ? {} : { expiryDate }) }
    review.mutate({ params: { id }, body }, telling("The decision is recorded.", onClose))
  }
  return (
    <Dialog title="Decide by hand" onClose={onClose}>
      <form onSubmit={submit}>
        <SelectField
          label="Verdict"
          value={detail}
          options={details.map((one) => [one, wordsOf(one)] as const)}
          onChange={setDetail}
        />
        <TextField label="Expires" type="date" value={expiryDate} onChange={setExpiryDate} />
        <Problem error={review.error} />
        <div class="actions">
          <Button type="submit" class="main" isBusy={review.isPending}>
            Decide
          </Button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}
