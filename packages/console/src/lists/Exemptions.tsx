import type { Item } from "../calls/Contract.ts"
import type { ListKind } from "../listing/ListScreen.tsx"
import { NamedPerson, nameOfNamed } from "../people/Owner.tsx"
import type { EditableField } from "../records/Edited.ts"
import { Badge, DeletedBadge } from "../widgets/Badge.tsx"
import { CalendarDay, useToday } from "../widgets/Time.tsx"
import type { RecordKind } from "./RecordDialogs.tsx"
import { RecordList } from "./RecordList.tsx"
import { TypeNames } from "./TypeNames.tsx"
import { useTypeOptions } from "./TypeOptions.ts"

type Exemption = Item<"GET /exemptions">

/** Whether an exemption counts today. */
export const InForce = ({ deletedAt, expiryDate, issueDate }: Exemption) => {
  const today = useToday()
  if (deletedAt !== undefined) return <DeletedBadge at={deletedAt} />
  if (expiryDate !== undefined && expiryDate < today) return <Badge tone="plain" words="ended" />
  return issueDate !== undefined && issueDate > today ? (
    <Badge tone="wait" words="not yet" />
  ) : (
    <Badge tone="good" words="in force" />
  )
}

const jurisdictions = ["NSW", "VIC", "QLD", "WA", "SA", "TAS", "ACT", "NT", "NATIONAL"].map(
  (one) => [one, one] as const
)

const lastDay: EditableField = { path: "expiryDate", type: "date", hint: "The last valid day. Empty for no end." }

const fields: ReadonlyArray<EditableField> = [
  { path: "exemptionType", maxLength: 100, required: true, hint: "In your own words. Packages name it exactly so." },
  { path: "exemptedCredentialTypes", as: "list", options: useTypeOptions, hint: "The person need not hold these." },
  { path: "reason", maxLength: 1000 },
  { path: "grantedBy" },
  { path: "identifier", maxLength: 100 },
  { path: "jurisdiction", options: jurisdictions },
  { path: "issueDate", type: "date" },
  lastDay
]

export const exemptionRecords: RecordKind = {
  path: "exemptions",
  entity: "exemption",
  noun: "an exemption",
  nameOf: (row: Exemption) => `${row.exemptionType} of ${nameOfNamed(row)}`,
  people: ["worker", "applicant"],
  added: fields,
  edited: fields,
  actions: [
    {
      name: "end",
      label: "End",
      says: "The exemption counts until the end of its last day, and stays in the list.",
      isPossible: () => true,
      fields: [lastDay]
    }
  ],
  deletion: "It no longer counts, as if it had never been granted. To end it on a day, end it instead."
}

const list: ListKind<"GET /exemptions"> = {
  list: "GET /exemptions",
  file: "exemptions",
  query: { sort: "createdAt:desc" },
  title: "Exemptions",
  lead: "A person with an exemption need not hold the named credentials in the checks that count exemptions.",
  hasPeople: true,
  columns: [
    { heading: "Exemption", cell: ({ exemptionType }) => exemptionType },
    { heading: "Person", cell: (row) => <NamedPerson {...row} /> },
    { heading: "Instead of", cell: ({ exemptedCredentialTypes }) => <TypeNames codes={exemptedCredentialTypes} /> },
    { heading: "Reason", cell: ({ reason }) => reason ?? <span class="quiet">none</span> },
    { heading: "Granted by", cell: ({ grantedBy }) => grantedBy ?? <span class="quiet">unknown</span> },
    { heading: "Last day", cell: ({ expiryDate }) => <CalendarDay day={expiryDate} isNear /> },
    { heading: "Today", cell: (row) => <InForce {...row} /> }
  ],
  filters: [
    { name: "exemptionType", label: "Exemption, in full", by: "text" },
    { name: "ownerExternalId", label: "Your id of the person", by: "text" },
    { name: "jurisdiction", label: "State or territory", by: jurisdictions },
    { name: "expiringFrom", label: "Ends on or after", by: "day" },
    { name: "expiringBefore", label: "Ends before", by: "day" },
    { name: "includeDeleted", label: "Show deleted", by: "check" }
  ],
  empty: "There are no exemptions.",
  next: "Add one here, or on the screen of the person."
}

/** The exemptions of all people from credentials. */
export const Exemptions = () => <RecordList kind={list} record={exemptionRecords} />
