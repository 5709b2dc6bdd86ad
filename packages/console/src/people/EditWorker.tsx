import { useState } from "preact/hooks"
import type { Data } from "../calls/Contract.ts"
import { useChange } from "../calls/Queries.ts"
import { announcing } from "../widgets/Announcement.tsx"
import { Dialog } from "../widgets/Dialog.tsx"
import { SelectField, TextField } from "../widgets/Field.tsx"
import { Form } from "../widgets/Form.tsx"

const statuses = ["ACTIVE", "INACTIVE", "ON_LEAVE", "TERMINATED"] as const

/** JSON Merge Patch (RFC 7396): null removes a field. */
const orNull = (text: string): string | null => (text === "" ? null : text)

/** Changes the fields of a worker that the console shows. */
export const EditWorker = ({
  onClose,
  worker
}: {
  readonly worker: Data<"GET /workers/:id">
  readonly onClose: () => void
}) => {
  const update = useChange("PATCH /workers/:id")
  const [displayName, setDisplayName] = useState(worker.identity.displayName)
  const [lastName, setLastName] = useState(worker.identity.lastName ?? "")
  const [jobTitle, setJobTitle] = useState(worker.employment?.jobTitle ?? "")
  const [status, setStatus] = useState<string>(worker.employment?.status ?? "")
  const [workEmail, setWorkEmail] = useState(worker.contact?.workEmail ?? "")
  const submit = () => {
    const body = {
      identity: { displayName, lastName: orNull(lastName) },
      employment: { jobTitle: orNull(jobTitle), status: orNull(status) },
      contact: { workEmail: orNull(workEmail) }
    }
    update.mutate({ params: { id: worker.id }, body }, announcing("The worker is saved.", onClose))
  }
  return (
    <Dialog title={`Edit ${worker.identity.displayName}`} onClose={onClose}>
      <Form action="Save" change={update} onSubmit={submit} out={onClose}>
        <TextField label="Display name" value={displayName} onChange={setDisplayName} required />
        <TextField label="Last name" value={lastName} onChange={setLastName} maxLength={100} />
        <TextField label="Job title" value={jobTitle} onChange={setJobTitle} />
        <SelectField
          label="Status"
          value={status}
          options={[["", "not set"], ...statuses.map((one) => [one, one.toLowerCase().replace("_", " ")] as const)]}
          onChange={setStatus}
        />
        <TextField label="Work email" type="email" value={workEmail} onChange={setWorkEmail} maxLength={254} />
      </Form>
    </Dialog>
  )
}
