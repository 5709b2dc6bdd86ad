import type { Item } from "../calls/Contract.ts"
import type { ListFilter } from "../listing/Filters.tsx"
import type { Column } from "../listing/Table.tsx"
import { NamedPerson, nameOfNamed } from "../people/Owner.tsx"
import type { EditableField } from "../records/Edited.ts"
import { Badge, DeletedBadge, optionsOf } from "../widgets/Badge.tsx"
import { CalendarDay, Time } from "../widgets/Time.tsx"
import type { RecordKind } from "./RecordDialogs.tsx"

// The parts that recruitment checks and fetch requests share.

type Invitation = Item<"GET /recruitment-checks"> | Item<"GET /fetch-requests">

const statuses = optionsOf(["INITIATED", "SENT", "IN_PROGRESS", "COMPLETED", "EXPIRED", "CANCELLED"])

export const personColumn: Column<Invitation> = { heading: "Person", cell: (row) => <NamedPerson {...row} /> }

export const invitationColumns: ReadonlyArray<Column<Invitation>> = [
  {
    heading: "Status",
    cell: ({ deletedAt, status }) => (
      <>
        <Badge value={status} {...(status === "COMPLETED" ? { tone: "good" } : {})} /> <DeletedBadge at={deletedAt} />
      </>
    )
  },
  { heading: "Last day", cell: ({ expiryDate }) => <CalendarDay day={expiryDate} isNear /> },
  { heading: "Sent", cell: ({ sentAt }) => <Time at={sentAt} /> },
  { heading: "Reminded", cell: ({ remindedAt }) => <Time at={remindedAt} /> }
]

export const invitationFilters: ReadonlyArray<ListFilter> = [
  { name: "status", label: "Status", by: statuses },
  { name: "expiringBefore", label: "Last day before", by: "day" },
  { name: "ownerExternalId", label: "Your id of the person", by: "text" },
  { name: "includeDeleted", label: "Show deleted", by: "check" }
]

/** The fields that can change later. */
export const invitationFields: ReadonlyArray<EditableField> = [
  {
    path: "message",
    maxLength: 2000,
    hint: "E-mails about the request have this text, if your organization sends any."
  },
  { path: "expiryDays", type: "number", min: 1, max: 90, hint: "14 by default." }
]

const isOpen = ({ status }: Invitation): boolean => status !== "COMPLETED" && status !== "CANCELLED"

/** What can be done with an invitation. The service records what was sent, and sends e-mails if the settings say so. */
export const invitationRecords = {
  nameOf: (row: Invitation) => `the request to ${nameOfNamed(row)}`,
  isEditable: isOpen,
  edited: invitationFields,
  actions: [
    {
      name: "resend",
      label: "Record as sent",
      says: "Send the message yourself, unless your organization sends e-mails. The days to answer begin again today.",
      isPossible: isOpen
    },
    {
      name: "remind",
      label: "Record a reminder",
      says: "Remind the person yourself, unless your organization sends e-mails. The last day stays.",
      isPossible: (row: Invitation) => isOpen(row) && row.status !== "EXPIRED"
    },
    { name: "cancel", label: "Withdraw", says: "The person need not answer any more.", isPossible: isOpen }
  ],
  deletion: "It disappears from the lists. To stop waiting for an answer, withdraw it instead."
} satisfies Partial<RecordKind>
