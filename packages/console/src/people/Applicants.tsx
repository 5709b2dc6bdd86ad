import type { Item } from "../calls/Contract.ts"
import { useRead } from "../calls/Queries.ts"
import { PrintedLine } from "../shell/PrintedLine.tsx"
import { Screen } from "../shell/Screen.tsx"
import { useUrlState } from "../shell/UrlState.ts"
import { AddLink } from "../widgets/AddLink.tsx"
import { Badge, DeletedBadge, wordsOf } from "../widgets/Badge.tsx"
import { Empty } from "../widgets/Empty.tsx"
import { CheckFilter, SearchFilter, SelectFilter } from "../widgets/Filters.tsx"
import { ListExport } from "../widgets/ListExport.tsx"
import { Listing } from "../widgets/Listing.tsx"
import type { Column } from "../widgets/Table.tsx"
import { Time } from "../widgets/Time.tsx"

type Applicant = Item<"GET /applicants">

const statuses = ["NEW", "SCREENING", "COMPLETED", "HIRED", "WITHDRAWN"] as const

const columns: ReadonlyArray<Column<Applicant>> = [
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
]

/** Applicants by name. */
export const Applicants = () => {
  const [{ cursor, deleted, query = "", status = "", unreachable }] = useUrlState()
  const filters = { includeDeleted: deleted, query, status, unreachable }
  const selection = { ...filters, sort: "displayName:asc" }
  const read = useRead("GET /applicants", { query: { ...selection, cursor, pageSize: "50", includeTotal: "true" } })
  const isFiltered = query !== "" || status !== "" || Boolean(unreachable)
  return (
    <Screen
      title="Applicants"
      actions={
        <>
          <ListExport list="GET /applicants" name="applicants" query={selection} />
          <AddLink privilege="applicant:CREATE" href="/console/applicants/new">
            Add an applicant
          </AddLink>
        </>
      }
    >
      <PrintedLine filters={filters} />
      <div class="filters">
        <SearchFilter name="query" label="Name, email or your id" />
        <SelectFilter
          name="status"
          label="Status"
          options={[["", "any"], ...statuses.map((one) => [one, wordsOf(one)] as const)]}
        />
        <CheckFilter name="unreachable" label="Whom no e-mail reaches" />
        <CheckFilter name="deleted" label="Show deleted" />
      </div>
      <Listing
        read={read}
        caption="Applicants"
        columns={columns}
        empty={
          <Empty title={isFiltered ? "No applicant matches." : "There are no applicants yet."}>
            {isFiltered ? null : <p>Add one here, or send them through the API.</p>}
          </Empty>
        }
      />
    </Screen>
  )
}
