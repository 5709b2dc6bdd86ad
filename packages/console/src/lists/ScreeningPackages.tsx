import type { Item } from "../calls/Contract.ts"
import type { ListKind } from "../listing/ListScreen.tsx"
import { type EditableField, yesNo } from "../records/Edited.ts"
import { Badge, DeletedBadge } from "../widgets/Badge.tsx"
import type { RecordKind } from "./RecordDialogs.tsx"
import { RecordList } from "./RecordList.tsx"
import { TypeNames } from "./TypeNames.tsx"
import { useTypeOptions } from "./TypeOptions.ts"

type Package = Item<"GET /screening-packages">

const edited: ReadonlyArray<EditableField> = [
  { path: "name", required: true },
  { path: "description", maxLength: 2000 },
  { path: "requirements.credentialTypes", as: "list", options: useTypeOptions },
  { path: "requirements.exemptionTypes", as: "list", hint: "One a line, exactly as exemptions have it." },
  {
    path: "requirements.banChecks",
    as: "list",
    hint: "One a line. Nothing completes a recruitment check with one of these by itself."
  },
  { path: "active", as: "boolean", options: yesNo, hint: "New recruitment checks use only active packages." }
]

const record: RecordKind = {
  path: "screening-packages",
  entity: "screeningPackage",
  noun: "a screening package",
  nameOf: ({ name }: Package) => name,
  added: [
    { path: "code", maxLength: 64, required: true, hint: "Letters, digits, - and _. It cannot change later." },
    ...edited
  ],
  edited,
  deletion: "Recruitment checks that it began go on with its requirements. Its code cannot be used again."
}

const list: ListKind<"GET /screening-packages"> = {
  list: "GET /screening-packages",
  file: "screening-packages",
  query: { sort: "createdAt:desc" },
  title: "Screening packages",
  lead: "A package has the requirements of a position. A recruitment check asks an applicant for them.",
  columns: [
    {
      heading: "Package",
      cell: ({ deletedAt, description, name }) => (
        <>
          {name} <DeletedBadge at={deletedAt} />
          {description === undefined ? null : <p class="quiet">{description}</p>}
        </>
      )
    },
    { heading: "Code", cell: ({ code }) => <code>{code}</code> },
    { heading: "Credentials", cell: ({ requirements }) => <TypeNames codes={requirements?.credentialTypes} /> },
    {
      heading: "Exemptions",
      cell: ({ requirements }) => requirements?.exemptionTypes?.join(", ") ?? <span class="quiet">none</span>
    },
    {
      heading: "Ban checks",
      cell: ({ requirements }) => requirements?.banChecks?.join(", ") ?? <span class="quiet">none</span>
    },
    {
      heading: "State",
      cell: ({ active }) => (active ? <Badge tone="good" words="active" /> : <Badge tone="plain" words="not active" />)
    }
  ],
  filters: [
    { name: "query", label: "Name or code", by: "words" },
    { name: "active", label: "Active", by: yesNo },
    { name: "includeDeleted", label: "Show deleted", by: "check" }
  ],
  empty: "There are no screening packages.",
  next: "Add one for each kind of position, then ask applicants for it."
}

/** The requirements of positions. */
export const ScreeningPackages = () => <RecordList kind={list} record={record} />
