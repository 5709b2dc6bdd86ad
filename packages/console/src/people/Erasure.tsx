import { useState } from "preact/hooks"
import type { Input } from "../calls/Contract.ts"
import { useChange } from "../calls/Queries.ts"
import { announcing } from "../widgets/Announcement.tsx"
import { Confirmation } from "../widgets/Confirmation.tsx"
import { SelectField } from "../widgets/Field.tsx"

type Reason = Input<"POST /workers/:id/erase">["body"]["reason"]

/** What the reasons mean. */
export const reasonWords: Readonly<Record<Reason, string>> = {
  PERSON_ASKED: "The person asked for it",
  RETENTION_ENDED: "The record is not needed any more",
  RECORDED_BY_MISTAKE: "The record was made by mistake",
  OTHER: "Another reason"
}

const options = Object.entries(reasonWords) as ReadonlyArray<readonly [Reason, string]>

/** Asks before a worker is erased, and why. Nothing undoes it. */
export const Erasure = ({
  id,
  name,
  onClose
}: {
  readonly id: string
  readonly name: string
  readonly onClose: () => void
}) => {
  const [reason, setReason] = useState<Reason>("PERSON_ASKED")
  const erase = useChange("POST /workers/:id/erase")
  const erased = announcing("The person is erased.", onClose)
  return (
    <Confirmation
      title={`Erase ${name} for ever?`}
      action="Erase for ever"
      change={erase}
      onClose={onClose}
      onConfirm={() => erase.mutate({ params: { id }, body: { reason } }, erased)}
    >
      <p>
        Names, contacts, card numbers and texts of this person are removed from the worker, its credentials, exemptions,
        bans, requests and scans, and from an applicant who shares a credential. Verdicts and the audit log stay. Nobody
        can undo it.
      </p>
      <SelectField label="Reason" value={reason} options={options} onChange={(value) => setReason(value as Reason)} />
    </Confirmation>
  )
}
