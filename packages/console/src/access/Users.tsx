import { useState } from "preact/hooks"
import type { Item } from "../calls/Contract.ts"
import { useMay, useMe } from "../calls/Me.ts"
import { useChange } from "../calls/Queries.ts"
import { type ListKind, ListScreen } from "../listing/ListScreen.tsx"
import { announcing } from "../widgets/Announcement.tsx"
import { Badge } from "../widgets/Badge.tsx"
import { Button } from "../widgets/Button.tsx"
import { ConfirmedCall } from "../widgets/ConfirmedCall.tsx"
import { Dialog } from "../widgets/Dialog.tsx"
import { Form } from "../widgets/Form.tsx"
import { Opener } from "../widgets/Opener.tsx"
import { Problem } from "../widgets/Problem.tsx"
import { Time } from "../widgets/Time.tsx"
import { FactorRequirement } from "./FactorRequirement.tsx"
import { Invitation, InviteLink, type RoleName, roleOptions } from "./Invitation.tsx"
import { RoleChoice } from "./RoleChoice.tsx"
import { UnitChoice, UserUnits } from "./UserUnits.tsx"
import { UserWorker, WorkerChange } from "./UserWorker.tsx"

type User = Item<"GET /users">

const roleOf = ({ role }: User): string => (typeof role === "string" ? role : "privileges of its own")

const StateBadge = ({ deactivatedAt, inviteExpiresAt, joinedAt }: User) => {
  if (deactivatedAt !== null) return <Badge value="DEACTIVATED" tone="bad" />
  if (joinedAt !== null || inviteExpiresAt === null) return <Badge value="ACTIVE" />
  return Date.parse(inviteExpiresAt) > Date.now() ? (
    <Badge value="INVITED" tone="wait" />
  ) : (
    <Badge value="INVITE EXPIRED" tone="bad" />
  )
}

/** Labels for the ways to log in. */
const methods = { password: "password", saml: "SAML", oidc: "OpenID Connect" } as const

const LastLogin = ({ lastLogin }: User) =>
  lastLogin === undefined ? null : lastLogin === null ? (
    "never"
  ) : (
    <>
      <Time at={lastLogin.at} /> by {methods[lastLogin.method]}
    </>
  )

const App = ({ secondFactor }: User) =>
  secondFactor === undefined ? null : secondFactor === null ? (
    "none"
  ) : (
    <>
      since <Time at={secondFactor.since} />
      {secondFactor.lastUsedAt === null ? null : (
        <>
          , last used <Time at={secondFactor.lastUsedAt} />
        </>
      )}
    </>
  )

const Person = ({ email, firstName, surname }: User) => (
  <>
    {email}
    <p class="reason">{`${firstName} ${surname}`.trim()}</p>
  </>
)

const RoleWithLimit = (user: User) => (
  <>
    {roleOf(user)}
    {user.units === null ? null : (
      <p class="reason">
        limited to <UserUnits {...user} />
      </p>
    )}
  </>
)

const State = (user: User) => (
  <>
    <StateBadge {...user} />
    <p class="reason">
      since <Time at={user.createdAt} />
    </p>
  </>
)

const RoleChange = ({ onClose, user }: { readonly user: User; readonly onClose: () => void }) => {
  const update = useChange("PATCH /users/:id")
  const [role, setRole] = useState(roleOf(user))
  const [units, setUnits] = useState(user.units)
  const isRole = role !== "" && role !== roleOf(user)
  const isLimit = JSON.stringify(units) !== JSON.stringify(user.units)
  const submit = () => {
    update.mutate(
      {
        params: { id: user.id },
        body: { ...(isRole ? { role: role as RoleName } : {}), ...(isLimit ? { units } : {}) }
      },
      announcing(`The role of ${user.email} is changed.`, onClose)
    )
  }
  return (
    <Dialog title={`Role of ${user.email}`} onClose={onClose}>
      <Form action="Change the role" change={update} disabled={!isRole && !isLimit} onSubmit={submit} out={onClose}>
        <RoleChoice
          hint="A role without the right to make API credentials ends those that the user made."
          value={role}
          options={typeof user.role === "string" ? roleOptions : [["", roleOf(user)], ...roleOptions]}
          onChange={setRole}
        />
        <UnitChoice value={units} onChange={setUnits} />
      </Form>
    </Dialog>
  )
}

/** The changes of one user that the person may make. */
const Changes = (user: User) => {
  const { deactivatedAt, email, id, joinedAt, secondFactor } = user
  const may = useMay()
  const isOther = user.account !== useMe()?.account
  const activate = useChange("POST /users/:id/activate")
  const reinvite = useChange("POST /users/:id/invite")
  const [url, setUrl] = useState("")
  const input = { params: { id } }
  if (!may("user:UPDATE") && !may("user:DELETE")) return null
  if (deactivatedAt !== null) {
    return (
      <>
        <Button class="small" isBusy={activate.isPending} onClick={() => activate.mutate(input)}>
          Activate
        </Button>
        <Problem error={activate.error} />
      </>
    )
  }
  return (
    <div class="actions">
      <Opener dialog={(close) => <RoleChange user={user} onClose={close} />}>Role</Opener>
      {may("user:UPDATE") && may("worker:READ") ? (
        <Opener dialog={(close) => <WorkerChange user={user} onClose={close} />}>Worker</Opener>
      ) : null}
      {joinedAt !== null ? null : (
        <Button
          class="small"
          isBusy={reinvite.isPending}
          onClick={() => reinvite.mutate(input, { onSuccess: ({ data }) => setUrl(data.inviteUrl) })}
        >
          New invite link
        </Button>
      )}
      {secondFactor != null && isOther ? (
        <Opener
          dialog={(close) => (
            <ConfirmedCall
              call="POST /users/:id/reset-second-factor"
              input={input}
              told={`The app of ${email} is reset.`}
              title={`Reset the authenticator app of ${email}?`}
              action="Reset the app"
              onClose={close}
            >
              <p>
                Do it only if you are sure who asks. The app and the recovery codes stop working, the sessions of the
                user end, and the user is told at the next login.
              </p>
            </ConfirmedCall>
          )}
        >
          Reset the app
        </Opener>
      ) : null}
      {isOther ? (
        <Opener
          class="small danger"
          dialog={(close) => (
            <ConfirmedCall
              call="DELETE /users/:id"
              input={input}
              told={`${email} is deactivated.`}
              title={`Deactivate ${email}?`}
              action="Deactivate"
              onClose={close}
            >
              <p>The sessions, tokens and API credentials of the user end now. You can activate the user again.</p>
            </ConfirmedCall>
          )}
        >
          Deactivate
        </Opener>
      ) : null}
      <Problem error={reinvite.error} />
      {url === "" ? null : <InviteLink email={email} url={url} onClose={() => setUrl("")} />}
    </div>
  )
}

const list: ListKind<"GET /users"> = {
  list: "GET /users",
  title: "Users",
  file: "users",
  columns: [
    { heading: "User", cell: (user) => <Person {...user} /> },
    { heading: "Role", cell: (user) => <RoleWithLimit {...user} /> },
    { heading: "Worker", cell: (user) => <UserWorker {...user} /> },
    { heading: "State", cell: (user) => <State {...user} /> },
    { heading: "Last login", cell: (user) => <LastLogin {...user} /> },
    { heading: "Authenticator app", cell: (user) => <App {...user} /> },
    { heading: "Change", cell: (user) => <Changes {...user} /> }
  ],
  filters: [
    { name: "query", label: "Name or email", by: "words" },
    { name: "includeDeleted", label: "Show deactivated users too", by: "check" }
  ],
  empty: "There are no users."
}

/** The people who log in. */
export const Users = () => (
  <ListScreen
    kind={list}
    actions={
      <>
        <a class="button" href="/console/roles">
          Roles
        </a>
        <Opener needs="user:CREATE" class="main" dialog={(close) => <Invitation onClose={close} />}>
          Invite a user
        </Opener>
      </>
    }
  >
    <FactorRequirement />
  </ListScreen>
)
