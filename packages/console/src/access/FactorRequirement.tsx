import { useState } from "preact/hooks"
import { useMay } from "../calls/Me.ts"
import { readWhole, useChange, useRead, useReadOf } from "../calls/Queries.ts"
import { announcing } from "../widgets/Announcement.tsx"
import { dayAfter } from "../widgets/Days.ts"
import { Dialog } from "../widgets/Dialog.tsx"
import { TextField } from "../widgets/Field.tsx"
import { Form } from "../widgets/Form.tsx"
import { Opener } from "../widgets/Opener.tsx"
import { Problem } from "../widgets/Problem.tsx"
import { CalendarDay, useToday } from "../widgets/Time.tsx"

/** The proposal leaves people two weeks to set up an app. */
const daysAhead = 14

const readUsers = () => readWhole("GET /users", {})

/** How many people the requirement concerns, for a person who may read it. */
const WithoutApp = () => {
  const may = useMay()
  const isWanted = may("session:READ") || may("user:UPDATE")
  const { data, error, refetch } = useReadOf("/users", readUsers, { isWanted })
  if (!isWanted) return null
  if (data === undefined) return error === null ? null : <Problem error={error} onRetry={refetch} />
  return (
    <p>
      {data.filter(({ secondFactor }) => secondFactor === null).length} of {data.length} users have no app yet.
    </p>
  )
}

const Requirement = ({ from, onClose }: { readonly from: string | null; readonly onClose: () => void }) => {
  const today = useToday()
  const replace = useChange("PUT /second-factor-requirement")
  const [day, setDay] = useState(from ?? dayAfter(today, daysAhead))
  const submit = () =>
    replace.mutate(
      { body: { from: day === "" ? null : day, previous: from } },
      announcing(day === "" ? "The requirement is removed." : "The requirement is set.", onClose)
    )
  return (
    <Dialog title="Require an authenticator app" onClose={onClose}>
      <Form action="Save" change={replace} disabled={day === (from ?? "")} onSubmit={submit} out={onClose}>
        <p>
          From this day on, users without an app set one up at their next login with a password. Logins through single
          sign-on are exempt.
        </p>
        <WithoutApp />
        <TextField label="First day" hint="Empty: not required." type="date" value={day} onChange={setDay} />
      </Form>
    </Dialog>
  )
}

/** Whether everybody needs an authenticator app, and the change of it. */
export const FactorRequirement = () => {
  const may = useMay()
  const { data } = useRead("GET /second-factor-requirement", {})
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
        <Opener dialog={(close) => <Requirement from={from} onClose={close} />}>Change</Opener>
      ) : null}
    </p>
  )
}
