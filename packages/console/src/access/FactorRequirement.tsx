import { useState } from "preact/hooks"
import { useMay } from "../calls/Me.ts"
import { useChange, useRead } from "../calls/Queries.ts"
import { announcing } from "../widgets/Announcement.tsx"
import { dayAfter } from "../widgets/Days.ts"
import { Dialog } from "../widgets/Dialog.tsx"
import { TextField } from "../widgets/Field.tsx"
import { Form } from "../widgets/Form.tsx"
import { CalendarDay, useToday } from "../widgets/Time.tsx"

/** The proposal leaves people two weeks to set up an app. */
const daysAhead = 14

const Requirement = ({ from, onClose }: { readonly from: string | null; readonly onClose: () => void }) => {
  const today = useToday()
  const replace = useChange("PUT /second-factor-requirement")
  const [day, setDay] = useState(from ?? dayAfter(today, daysAhead))
  const submit = () =>
    replace.mutate(
      { body: { from: day === "" ? null : day } },
      announcing(day === "" ? "The requirement is removed." : "The requirement is set.", onClose)
    )
  return (
    <Dialog title="Require an authenticator app" onClose={onClose}>
      <Form action="Save" change={replace} disabled={day === (from ?? "")} onSubmit={submit} out={onClose}>
        <p>
          From this day on, users without an app set one up at their next login with a password. Logins through single
          sign-on are exempt.
        </p>
        <TextField label="First day" hint="Empty: not required." type="date" value={day} onChange={setDay} />
      </Form>
    </Dialog>
  )
}

/** Whether everybody needs an authenticator app, and the change of it. */
export const FactorRequirement = () => {
  const may = useMay()
  const { data } = useRead("GET /second-factor-requirement", {})
  const [isOpen, setIsOpen] = useState(false)
  if (data === undefined) return null
  const { from, inForce } = data.data
  return (
    <p>
      {from === null ? (
        "An authenticator app is not required of everybody."
      ) : (
        <>
          An authenticator app is required of everybody {inForce ? "since" : "from"} <CalendarDay day={from} />.
        </>
      )}{" "}
      {may("identityProvider:UPDATE") ? (
        <button type="button" class="small" onClick={() => setIsOpen(true)}>
          Change
        </button>
      ) : null}
      {isOpen ? <Requirement from={from} onClose={() => setIsOpen(false)} /> : null}
    </p>
  )
}
