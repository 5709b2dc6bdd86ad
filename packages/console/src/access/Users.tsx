import { useState } from "preact/hooks"
import type { Item } from "../calls/Contract.ts"
import { useMay, useMe } from "../calls/Me.ts"
import { useChange, useRead } from "../calls/Queries.ts"
import { Screen } from "../shell/Screen.tsx"
import { useUrlState } from "../shell/UrlState.ts"
import { announcing } from "../widgets/Announcement.tsx"
import { Badge } from "../widgets/Badge.tsx"
import { Button } from "../widgets/Button.tsx"
import { Confirmation } from "../widgets/Confirmation.tsx"
import { Dialog } from "../widgets/Dialog.tsx"
import { Empty } from "../widgets/Empty.tsx"
import { CheckFilter, SearchFilter } from "../widgets/Filters.tsx"
import { Form } from "../widgets/Form.tsx"
import { ListExport } from "../widgets/ListExport.tsx"
import { Listing } from "../widgets/Listing.tsx"
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

const Deactivation = ({ onClose, user }: { readonly user: User; readonly onClose: () => void }) => {
  const remove = useChange("DELETE /users/:id")
  return (
    <Confirmation
      title={`Deactivate ${user.email}?`}
      action="Deactivate"
      change={remove}
      onClose={onClose}
      onConfirm={() => remove.mutate({ params: { id: user.id } }, announcing(`${user.email} is deactivated.`, onClose))}
    >
      <p>The sessions, tokens and API credentials of the user end now. You can activate the user again.</p>
    </Confirmation>
  )
}

const FactorReset = ({ onClose, user }: { readonly user: User; readonly onClose: () => void }) => {
  const reset = useChange("POST /users/:id/reset-second-factor")
  return (
    <Confirmation
      title={`Reset the authenticator app of ${user.email}?`}
      action="Reset the app"
      change={reset}
      onClose={onClose}
      onConfirm={() =>
        reset.mutate({ params: { id: user.id } }, announcing(`The app of ${user.email} is reset.`, onClose))
      }
    >
      <p>
        Do it only if you are sure who asks. The app and the recovery codes stop working, the sessions of the user end,
        and the user is told at the next login.
      </p>
    </Confirmation>
  )
}

/** The changes of one user that the person may make. */
const Changes = ({ onDialog, user }: { readonly user: User; readonly onDialog: (dialog: DialogOf) => void }) => {
  const may = useMay()
  const me = useMe()
  const activate = useChange("POST /users/:id/activate")
  const reinvite = useChange("POST /users/:id/invite")
  const params = { id: user.id }
  if (!may("user:UPDATE") && !may("user:DELETE")) return null
  return (
    <div class="actions">
      {user.deactivatedAt === null ? (
        <>
          <button type="button" class="small" onClick={() => onDialog({ kind: "role", user })}>
            Role
          </button>
          {may("user:UPDATE") && may("worker:READ") ? (
            <button type="button" class="small" onClick={() => onDialog({ kind: "worker", user })}>
              Worker
            </button>
          ) : null}
          {user.joinedAt !== null ? null : (
            <Button
              class="small"
              isBusy={reinvite.isPending}
              onClick={() =>
                reinvite.mutate(
                  { params },
                  { onSuccess: ({ data }) => onDialog({ kind: "link", user, url: data.inviteUrl }) }
                )
              }
            >
              New invite link
            </Button>
          )}
          {user.secondFactor == null || user.account === me?.account ? null : (
            <button type="button" class="small" onClick={() => onDialog({ kind: "factor", user })}>
              Reset the app
            </button>
          )}
          {user.account === me?.account ? null : (
            <button type="button" class="small danger" onClick={() => onDialog({ kind: "deactivate", user })}>
              Deactivate
            </button>
          )}
        </>
      ) : (
        <Button class="small" isBusy={activate.isPending} onClick={() => activate.mutate({ params })}>
          Activate
        </Button>
      )}
      <Problem error={activate.error ?? reinvite.error} />
    </div>
  )
}

type DialogOf =
  | { readonly kind: "role" | "worker" | "factor" | "deactivate"; readonly user: User }
  | { readonly kind: "link"; readonly user: User; readonly url: string }
  | { readonly kind: "invite" }

/** The people who log in. */
export const Users = () => {
  const may = useMay()
  const [{ cursor, all = "", query = "" }] = useUrlState()
  const read = useRead("GET /users", {
    query: { cursor, query, includeDeleted: all, pageSize: "50", includeTotal: "true" }
  })
  const [dialog, setDialog] = useState<DialogOf | null>(null)
  const close = () => setDialog(null)
  return (
    <Screen
      title="Users"
      actions={
        <>
          <a class="button" href="/console/roles">
            Roles
          </a>
          <ListExport list="GET /users" name="users" query={{ query, includeDeleted: all }} />
          {may("user:CREATE") ? (
            <button type="button" class="main" onClick={() => setDialog({ kind: "invite" })}>
              Invite a user
            </button>
          ) : null}
        </>
      }
    >
      <FactorRequirement />
      <div class="filters">
        <SearchFilter name="query" label="Name or email" />
        <CheckFilter name="all" label="Show deactivated users too" />
      </div>
      <Listing
        read={read}
        caption="Users"
        empty={query === "" ? null : <Empty title={`Nobody matches “${query}”.`} />}
        columns={[
          { heading: "User", cell: (user) => <Person {...user} /> },
          { heading: "Role", cell: (user) => <RoleWithLimit {...user} /> },
          { heading: "Worker", cell: (user) => <UserWorker {...user} /> },
          { heading: "State", cell: (user) => <State {...user} /> },
          { heading: "Last login", cell: (user) => <LastLogin {...user} /> },
          { heading: "Authenticator app", cell: (user) => <App {...user} /> },
          { heading: "Change", cell: (user) => <Changes user={user} onDialog={setDialog} /> }
        ]}
      />
      {dialog?.kind === "invite" ? <Invitation onClose={close} /> : null}
      {dialog?.kind === "role" ? <RoleChange user={dialog.user} onClose={close} /> : null}
      {dialog?.kind === "worker" ? <WorkerChange user={dialog.user} onClose={close} /> : null}
      {dialog?.kind === "factor" ? <FactorReset user={dialog.user} onClose={close} /> : null}
      {dialog?.kind === "deactivate" ? <Deactivation user={dialog.user} onClose={close} /> : null}
      {dialog?.kind === "link" ? <InviteLink email={dialog.user.email} url={dialog.url} onClose={close} /> : null}
    </Screen>
  )
}
