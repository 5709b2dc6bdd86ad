import { useState } from "preact/hooks"
import { useChange } from "../calls/Queries.ts"
import { announcing } from "../widgets/Announcement.tsx"
import { wordsOf } from "../widgets/Badge.tsx"
import { Dialog } from "../widgets/Dialog.tsx"
import { SelectField, TextField } from "../widgets/Field.tsx"
import { Form } from "../widgets/Form.tsx"

/** The verdicts of which registers send letters. The API takes every conclusive one. */
const details = ["BARRED", "INTERIM_BARRED", "NEGATIVE_NOTICE", "SUSPENDED", "CANCELLED", "EXCLUDED", "VALID"] as const

/** Records what a register told by letter. */
export const RecordNotice = ({ id, onClose }: { readonly id: string; readonly onClose: () => void }) => {
  const notice = useChange("POST /credentials/:id/notices")
  const [detail, setDetail] = useState<string>("")
  const [issuedOn, setIssuedOn] = useState("")
  const [reference, setReference] = useState("")
  const submit = () => {
    const statusDetail = detail as (typeof details)[number]
    const body = { statusDetail, issuedOn, reference }
    notice.mutate({ params: { id }, body }, announcing("The notice is recorded.", onClose))
  }
  return (
    <Dialog title="Record a notice" onClose={onClose}>
      <Form action="Record" change={notice} onSubmit={submit} out={onClose}>
        <p>For a letter of the register. It counts until the register answers again. The audit log names you.</p>
        <SelectField
          label="What it says"
          value={detail}
          options={[["", "Choose a verdict"], ...details.map((one) => [one, wordsOf(one)] as const)]}
          onChange={setDetail}
          required
        />
        <TextField label="Date of the notice" type="date" value={issuedOn} onChange={setIssuedOn} required />
        <TextField
          label="Reference"
          hint="As printed on the notice."
          value={reference}
          onChange={setReference}
          maxLength={200}
          required
        />
      </Form>
    </Dialog>
  )
}
