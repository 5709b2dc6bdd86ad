import { useState } from "preact/hooks"
import type { Item } from "../calls/Contract.ts"
import { useMay } from "../calls/Me.ts"
import { useRead } from "../calls/Queries.ts"
import { FieldChanges } from "../records/FieldChanges.tsx"
import { PrintedLine } from "../shell/PrintedLine.tsx"
import { Screen } from "../shell/Screen.tsx"
import { useUrlState } from "../shell/UrlState.ts"
import { Copy } from "../widgets/Copy.tsx"
import { momentOf } from "../widgets/Days.ts"
import { Empty } from "../widgets/Empty.tsx"
import { CheckField, SelectField, TextField } from "../widgets/Field.tsx"
import { SearchFilter, SelectFilter } from "../widgets/Filters.tsx"
import { ListExport } from "../widgets/ListExport.tsx"
import { Listing } from "../widgets/Listing.tsx"
import { Search } from "../widgets/Search.tsx"
import type { Column } from "../widgets/Table.tsx"
import { Time, useTimeZone } from "../widgets/Time.tsx"

type Entry = Item<"GET /audit-events">

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

const columns: ReadonlyArray<Column<Entry>> = [
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
]

/** The audit log: who did what, when, and by which request. */
export const AuditLog = () => {
  const [
    {
      account = "",
      action = "",
      bearer = "",
      cursor,
      entityId = "",
      entityType = "",
      from = "",
      requestId = "",
      to = ""
    },
    change
  ] = useUrlState()
  const timeZone = useTimeZone()
  const startOf = (day: string): string => (day === "" ? "" : momentOf(`${day}T00:00`, timeZone))
  const chosen = { account, action, bearer, entityId, entityType, requestId }
  const query = { ...chosen, from: startOf(from), to: startOf(to) }
  const read = useRead("GET /audit-events", { query: { ...query, include: "changes", cursor, pageSize: "50" } })
  const [hasValues, setHasValues] = useState(false)
  const replace = (name: string) => (text: string) => change({ [name]: text, cursor: "" }, { replaces: true })
  return (
    <Screen
      title="Audit log"
      actions={
        <>
          <ListExport
            list="GET /audit-events"
            name="audit-log"
            query={hasValues ? { ...query, include: "changes" } : query}
            disabled={read.data?.data.length === 0}
          />
          <CheckField
            label="Files with what changed: they have data of people, which no erasure reaches"
            value={hasValues}
            onChange={setHasValues}
          />
        </>
      }
    >
      <PrintedLine filters={{ ...chosen, from, to }} />
      <div class="filters">
        <SearchFilter name="requestId" label="Request id" />
        <SearchFilter name="entityId" label="Id of the record" />
        <SelectFilter name="entityType" label="Kind of record" options={kinds} />
        <SearchFilter name="action" label="Action" />
        <PersonFilter />
        <SelectFilter name="bearer" label="By" options={[["", "anything"], ...Object.entries(bearers)]} />
        <TextField label="From" type="date" value={from} onChange={replace("from")} />
        <TextField label="Before" type="date" value={to} onChange={replace("to")} />
      </div>
      <Listing
        read={read}
        caption="Audit log"
        columns={columns}
        empty={
          <Empty title="No entry matches.">
            <p>Ids and actions have to match exactly. A call that the API refused changed nothing and has no entry.</p>
          </Empty>
        }
      />
    </Screen>
  )
}
