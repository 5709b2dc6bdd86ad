import type { Item } from "../calls/Contract.ts"
import type { ListKind } from "../listing/ListScreen.tsx"
import { type EditableField, yesNo } from "../records/Edited.ts"
import { Badge, DeletedBadge, optionsOf } from "../widgets/Badge.tsx"
import type { RecordKind } from "./RecordDialogs.tsx"
import { RecordList } from "./RecordList.tsx"
import { TypeNames } from "./TypeNames.tsx"
import { useTypeOptions } from "./TypeOptions.ts"

type Check = Item<"GET /compliance-checks">

const severities = optionsOf<Check["severity"]>(["CRITICAL", "WARNING", "INFO"])

const edited: ReadonlyArray<EditableField> = [
  { path: "displayName", required: true },
  { path: "description", maxLength: 2000 },
  { path: "requirement.credentialTypes", as: "list", options: useTypeOptions },
  {
    path: "requirement.mode",
    options: [
      ["ALL", "all of them"],
      ["ANY", "any one of them"]
    ]
  },
  { path: "requirement.exemptionsCount", as: "boolean", options: yesNo },
  { path: "severity", options: severities },
  { path: "enabled", as: "boolean", options: yesNo, hint: "A disabled check keeps nobody from work." }
]

const record: RecordKind = {
  path: "compliance-checks",
  entity: "complianceCheck",
  noun: "a compliance check",
  nameOf: ({ displayName }: Check) => displayName,
  added: [
    { path: "code", maxLength: 64, required: true, hint: "Letters, digits, - and _. It cannot change later." },
    ...edited
  ],
  edited,
  deletion: "It disappears from the matrix, and keeps nobody from work any more. Its code cannot be used again."
}

const list: ListKind<"GET /compliance-checks"> = {
  list: "GET /compliance-checks",
  file: "compliance-checks",
  query: { sort: "createdAt:desc" },
  title: "Compliance checks",
  lead: "A check says which credentials a worker needs. People who pass all enabled checks may work.",
  columns: [
    {
      heading: "Check",
      cell: ({ deletedAt, description, displayName, id }) => (
        <>
          {deletedAt === undefined ? <a href={`/console/matrix?check=${id}`}>{displayName}</a> : displayName}{" "}
          <DeletedBadge at={deletedAt} />
          {description === undefined ? null : <p class="quiet">{description}</p>}
        </>
      )
    },
    { heading: "Code", cell: ({ code }) => <code>{code}</code> },
    {
      heading: "Needs",
      cell: ({ requirement: { credentialTypes, mode } }) => (
        <TypeNames codes={credentialTypes} joined={mode === "ANY" ? " or " : " and "} />
      )
    },
    { heading: "Exemptions count", cell: ({ requirement }) => (requirement.exemptionsCount ? "yes" : "no") },
    {
      heading: "Severity",
      cell: ({ severity }) => <Badge value={severity} tone={severity === "CRITICAL" ? "bad" : "plain"} />
    },
    {
      heading: "State",
      cell: ({ enabled }) => (enabled ? <Badge tone="good" words="enabled" /> : <Badge tone="plain" words="disabled" />)
    }
  ],
  filters: [
    { name: "query", label: "Name or code", by: "words" },
    { name: "severity", label: "Severity", by: severities },
    { name: "enabled", label: "Enabled", by: yesNo },
    { name: "includeDeleted", label: "Show deleted", by: "check" }
  ],
  empty: "There are no compliance checks.",
  next: "Add the first one: until then, nobody is judged."
}

/** What workers need to be allowed to work. */
export const ComplianceChecks = () => <RecordList kind={list} record={record} />
