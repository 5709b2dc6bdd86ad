import { useState } from "preact/hooks"
import { useChange } from "../calls/Queries.ts"
import { SecretOnce } from "../records/SecretOnce.tsx"
import { Dialog } from "../widgets/Dialog.tsx"
import { TextField } from "../widgets/Field.tsx"
import { Form } from "../widgets/Form.tsx"
import { filled, useTexts } from "../widgets/Texts.ts"
import { RoleChoice } from "./RoleChoice.tsx"
import { UnitChoice } from "./UserUnits.tsx"

/** The named roles. A user may have a set of privileges instead, which the API gives. */
export const roleNames = ["Super Admin", "Admin", "Data Manager", "Auditor", "Viewer"] as const
export type RoleName = (typeof roleNames)[number]

export const roleOptions = roleNames.map((name) => [name, name] as const)

/** The link by which an invited user sets a password. */
export const InviteLink = ({
  email,
  onClose,
  url
}: {
  readonly email: string
  readonly url: string
  readonly onClose: () => void
}) => (
  <SecretOnce
    name={`Invite link of ${email}`}
    secret={url}
    hint="Send it to the person. It works once, within 7 days."
    done="I have copied it"
    onClose={onClose}
  />
)

/** Invites a user. */
export const Invitation = ({ onClose }: { readonly onClose: () => void }) => {
  const invite = useChange("POST /users")
  const { field, texts } = useTexts({ email: "", firstName: "", surname: "", role: "Viewer" })
  const [units, setUnits] = useState<ReadonlyArray<string> | null>(null)
  const invited = invite.data?.data
  if (invited !== undefined) {
    return (
      <InviteLink
        email={invited.email}
        url={invited.inviteUrl}
        onClose={() => {
          invite.reset() // the link leaves the memory of the page
          onClose()
        }}
      />
    )
  }
  const submit = () => {
    const { email, firstName, role, surname } = texts
    invite.mutate({ body: { email, role: role as RoleName, units, ...filled({ firstName, surname }) } })
  }
  return (
    <Dialog title="Invite a user" onClose={onClose}>
      <Form action="Invite" change={invite} onSubmit={submit} out={onClose}>
        <TextField label="Email" type="email" {...field("email")} maxLength={254} required />
        <TextField label="First name (optional)" {...field("firstName")} maxLength={100} />
        <TextField label="Surname (optional)" {...field("surname")} maxLength={100} />
        <RoleChoice options={roleOptions} {...field("role")} />
        <UnitChoice value={units} onChange={setUnits} />
      </Form>
    </Dialog>
  )
}
