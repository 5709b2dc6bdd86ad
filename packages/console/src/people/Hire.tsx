import { useState } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { call } from "../calls/Call.ts"
import type { Data } from "../calls/Contract.ts"
import { useChange } from "../calls/Queries.ts"
import { Refusal } from "../calls/Refusal.ts"
import { announce } from "../widgets/Announcement.tsx"
import { Dialog } from "../widgets/Dialog.tsx"
import { SelectField } from "../widgets/Field.tsx"
import { Form } from "../widgets/Form.tsx"
import type { Person } from "./Person.ts"
import { PersonPicker } from "./PersonPicker.tsx"

type Applicant = Data<"GET /applicants/:id">
type BulkItem = Data<"POST /credentials/transfer">[number]

/** The worker with everything that is known about the applicant. */
const workerOf = ({ birthDate, displayName, emailAddress, firstName, lastName, phone, source }: Applicant) => ({
  identity: {
    displayName: displayName ?? emailAddress,
    ...(firstName === undefined ? {} : { firstName }),
    ...(lastName === undefined ? {} : { lastName }),
    ...(birthDate === undefined ? {} : { birthDate })
  },
  contact: { personalEmail: emailAddress, ...(phone === undefined ? {} : { mobileNumber: phone }) },
  employment: { status: "ACTIVE" as const },
  ...(source === undefined ? {} : { source })
})

const nameOf = ({ displayName, emailAddress }: Applicant): string => displayName ?? emailAddress

/** The items that did not move, with their reason. */
const Skipped = ({ items }: { readonly items: ReadonlyArray<BulkItem> }) => (
  <div class="notice" role="alert">
    <p>
      {items.length === 1 ? "One credential was" : `${items.length} credentials were`} not moved. The others belong to
      the worker now.
    </p>
    <ul>
      {items.map(({ credentialId, error }) => (
        <li key={credentialId}>
          <a href={`/console/credentials/${credentialId}`}>{credentialId}</a>: {error?.message}
        </li>
      ))}
    </ul>
  </div>
)

/** Hires an applicant: the worker is made or chosen, then all credentials of the applicant move to the worker. */
export const Hire = ({ applicant, onClose }: { readonly applicant: Applicant; readonly onClose: () => void }) => {
  const { route } = useLocation()
  const [mode, setMode] = useState("new")
  const [chosen, setChosen] = useState<Person | null>(null)
  const [skipped, setSkipped] = useState<ReadonlyArray<BulkItem>>([])
  const [problem, setProblem] = useState<Refusal | null>(null)
  const [isBusy, setIsBusy] = useState(false)
  const update = useChange("PATCH /applicants/:id")

  const hire = async () => {
    // A worker that was made is kept, so that another attempt does not make it twice.
    const workerId = chosen?.id ?? (await call("POST /workers", { body: workerOf(applicant) })).data.id
    setChosen({ type: "worker", id: workerId, name: nameOf(applicant) })
    const from = { type: "applicant", id: applicant.id } as const
    const { data } = await call("POST /credentials/transfer", { body: { from, to: { type: "worker", id: workerId } } })
    await update.mutateAsync({ params: { id: applicant.id }, body: { status: "HIRED" } })
    const left = data.filter(({ status }) => status === "skipped")
    if (left.length === 0) {
      announce(`${nameOf(applicant)} is hired. Credentials moved: ${data.length}.`)
      route(`/console/workers/${workerId}`)
    }
    setSkipped(left)
  }
  const submit = () => {
    setIsBusy(true)
    setProblem(null)
    hire()
      .catch((error: unknown) => {
        if (!(error instanceof Refusal)) throw error
        setProblem(error)
      })
      .finally(() => setIsBusy(false))
  }
  return (
    <Dialog title={`Hire ${nameOf(applicant)}`} onClose={onClose} onEscape={isBusy ? () => {} : undefined}>
      <Form
        action="Hire"
        change={{ error: problem, isPending: isBusy }}
        disabled={mode === "existing" && chosen === null}
        leaving={skipped.length === 0 ? "Cancel" : "Close"}
        onSubmit={submit}
        out={isBusy ? () => {} : onClose}
        stays
      >
        <p>All credentials of the applicant move to the worker. Nothing is verified again.</p>
        <SelectField
          label="Worker"
          value={mode}
          options={[
            ["new", "Make a new worker from the applicant"],
            ["existing", "Choose a worker"]
          ]}
          onChange={(next) => {
            setMode(next)
            setChosen(null)
          }}
        />
        {mode === "existing" ? (
          <PersonPicker label="Worker" kind="worker" chosen={chosen} onChoose={setChosen} />
        ) : null}
        {skipped.length === 0 ? null : <Skipped items={skipped} />}
      </Form>
    </Dialog>
  )
}
