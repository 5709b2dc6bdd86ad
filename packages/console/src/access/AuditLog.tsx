import { useState } from "preact/hooks"
import type { Item } from "../calls/Contract.ts"
import { useMay } from "../calls/Me.ts"
import { useRead } from "../calls/Queries.ts"
import { type ListKind, ListScreen } from "../listing/ListScreen.tsx"
import { FieldChanges } from "../records/FieldChanges.tsx"
import { useUrlState } from "../shell/UrlState.ts"
import { Copy } from "../widgets/Copy.tsx"
import { CheckField, SelectField } from "../widgets/Field.tsx"
import { Search } from "../widgets/Search.tsx"
import { Time } from "../widgets/Time.tsx"

/** Labels for the kinds of bearer. */
const bearers = {
  session: "login in the browser",
  personal: "access token",
  oauth: "API credentials",
  legacy: "legacy token",
  password: "password",
  external: "external token"
} as const

/** The kinds of record that most questions are about. */
const kinds = [
  ["", "every kind"],
  ["worker", "workers"],
  ["applicant", "applicants"],
  ["credential", "credentials"],
  ["exemption", "exemptions"],
  ["ban", "bans"],
  ["complianceCheck", "compliance checks"],
  ["screeningPackage", "screening packages"],
  ["credentialCheck", "recruitment checks"],
  ["captureRequest", "fetch requests"],
  ["scan", "scans"],
  ["task", "tasks"],
  ["unit", "units"],
  ["import", "imports"],
  ["erasure", "erasures"],
  ["account", "users"],
  ["secondFactor", "authenticator apps"],
  ["session", "sessions"],
  ["accessToken", "access tokens"],
  ["apiClient", "API credentials"],
  ["identityProvider", "identity providers"],
  ["webhook", "webhooks"],
  ["verificationSource", "verification sources"]
] as const

/** Filters by a person, who is found by name or email, also a deactivated one. A name in the list chooses the person, too. */
const PersonFilter = () => {
  const [{ account = "" }, change] = useUrlState()
  const [sought, setSought] = useState("")
  const may = useMay()
  const users = useRead(
    "GET /users",
    { query: { query: sought, includeDeleted: "true", pageSize: "20" } },
    { isWanted: sought !== "" && may("user:READ") }
  )
  const found = users.data?.data ?? []
  const choose = (next: string) => change({ account: next, cursor: "" }, { replaces: true })
  if (!may("user:READ") && account === "") return null
  return (
    <>
      <Search label="Find a person" value={sought} onChange={setSought} />
      <SelectField
        label="Person"
        value={account}
        options={[
          ["", "everybody"],
          ...(account === "" || found.some((user) => user.account === account)
            ? []
            : [[account, "the chosen person"] as const]),
          ...(sought === "" ? [] : found).map((user) => [user.account, nameOf(user)] as const)
        ]}
        onChange={choose}
      />
    </>
  )
}

const nameOf = ({ deactivatedAt, email, firstName, surname }: Item<"GET /users">): string =>
  `${`${firstName} ${surname}`.trim() || email}${deactivatedAt === null ? "" : " (deactivated)"}`

/** The console screen of each entity type that has one. */
const screenOf: Readonly<Record<string, string>> = {
  worker: "workers",
  applicant: "applicants",
  credential: "credentials",
  webhook: "webhooks",
  identityProvider: "single-sign-on",
  verificationSource: "verification-sources"
}

const list: ListKind<"GET /audit-events"> = {
  list: "GET /audit-events",
  title: "Audit log",
  file: "audit-log",
  isCounted: false,
  inScreen: { include: "changes" },
  columns: [
    { heading: "Time", cell: ({ createdAt }) => <Time at={createdAt} isExact /> },
    {
      heading: "Actor",
      cell: ({ account, accountName }) => (
        <a href={`/console/audit?account=${encodeURIComponent(account)}`} title={account}>
          {accountName ?? account}
        </a>
      )
    },
    { heading: "By", cell: ({ bearer }) => (bearer == null ? "the server" : bearers[bearer.kind]) },
    { heading: "Action", cell: ({ action }) => action },
    {
      heading: "Record",
      cell: ({ entityId, entityType }) => (
        <>
          {entityType}{" "}
          {screenOf[entityType] === undefined ? (
            <code>{entityId}</code>
          ) : (
            <a href={`/console/${screenOf[entityType]}/${encodeURIComponent(entityId)}`}>{entityId}</a>
          )}
        </>
      )
    },
    { heading: "Changed", cell: (entry) => <FieldChanges {...entry} /> },
    {
      heading: "Request",
      cell: ({ requestId }) => (
        <>
          <code>{requestId}</code> <Copy text={requestId} what="the request id" />
        </>
      )
    }
  ],
  filters: [
    { name: "requestId", label: "Request id", by: "words" },
    { name: "entityId", label: "Id of the record", by: "text" },
    { name: "entityType", label: "Kind of record", by: kinds },
    { name: "action", label: "Action", by: "text" },
    { name: "account", label: "Person", by: { draw: PersonFilter } },
    { name: "bearer", label: "By", by: [["", "anything"], ...Object.entries(bearers)] },
    { name: "from", label: "From", by: "moment" },
    { name: "to", label: "Before", by: "moment" }
  ],
  empty: "There are no entries.",
  noMatch: "Ids and actions have to match exactly. A call that the API refused changed nothing and has no entry."
}

/** The audit log: who did what, when, and by which request. */
export const AuditLog = () => {
  const [hasValues, setHasValues] = useState(false)
  return (
    <ListScreen
      kind={list}
      inFile={hasValues ? { include: "changes" } : {}}
      actions={
        <CheckField
          label="Files with what changed: they have data of people, which no erasure reaches"
          value={hasValues}
          onChange={setHasValues}
        />
      }
    />
  )
}
