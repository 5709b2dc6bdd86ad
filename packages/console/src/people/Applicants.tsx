import { type ListKind, ListScreen } from "../listing/ListScreen.tsx"
import { AddLink } from "../widgets/AddLink.tsx"
import { Badge, DeletedBadge } from "../widgets/Badge.tsx"
import { Time } from "../widgets/Time.tsx"
import { applicantStatuses } from "./Person.ts"

const list: ListKind<"GET /applicants"> = {
  list: "GET /applicants",
  title: "Applicants",
  file: "applicants",
  query: { sort: "displayName:asc" },
  columns: [
    {
      heading: "Name",
      cell: ({ deletedAt, displayName, emailAddress, id }) => (
        <>
          <a href={`/console/applicants/${id}`}>{displayName ?? emailAddress}</a> <DeletedBadge at={deletedAt} />
        </>
      )
    },
    { heading: "Email", cell: ({ emailAddress }) => emailAddress },
    { heading: "Status", cell: ({ status }) => <Badge value={status} /> },
    { heading: "Your id", cell: ({ source }) => source?.externalId ?? <span class="quiet">none</span> },
    { heading: "Changed", cell: ({ updatedAt }) => <Time at={updatedAt} /> }
  ],
  filters: [
    { name: "query", label: "Name, email or your id", by: "words" },
    { name: "status", label: "Status", by: applicantStatuses },
    { name: "unreachable", label: "Whom no e-mail reaches", by: "check" },
    { name: "includeDeleted", label: "Show deleted", by: "check" }
  ],
  empty: "There are no applicants yet.",
  next: "Add one here, or send them through the API."
}

/** Applicants by name. */
export const Applicants = () => (
  <ListScreen
    kind={list}
    actions={
      <AddLink privilege="applicant:CREATE" href="/console/applicants/new">
        Add an applicant
      </AddLink>
    }
  />
)
