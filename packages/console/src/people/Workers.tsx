import type { Item } from "../calls/Contract.ts"
import { useMay } from "../calls/Me.ts"
import { useRead } from "../calls/Queries.ts"
import { Screen } from "../shell/Screen.tsx"
import { useUrlState } from "../shell/UrlState.ts"
import { AddLink } from "../widgets/AddLink.tsx"
import { Badge, DeletedBadge } from "../widgets/Badge.tsx"
import { Empty } from "../widgets/Empty.tsx"
import { CheckFilter, SearchFilter, SelectFilter } from "../widgets/Filters.tsx"
import { Listing } from "../widgets/Listing.tsx"
import type { Column } from "../widgets/Table.tsx"
import { Time } from "../widgets/Time.tsx"

type Worker = Item<"GET /workers">

const columns: ReadonlyArray<Column<Worker>> = [
  {
    heading: "Name",
    cell: ({ deletedAt, id, identity }) => (
      <>
        <a href={`/console/workers/${id}`}>{identity.displayName}</a> <DeletedBadge at={deletedAt} />
      </>
    )
  },
  { heading: "Job", cell: ({ employment }) => employment?.jobTitle ?? <span class="quiet">none</span> },
  {
    heading: "Status",
    cell: ({ employment }) => (employment?.status === undefined ? null : <Badge value={employment.status} />)
  },
  { heading: "Your id", cell: ({ source }) => source?.externalId ?? <span class="quiet">none</span> },
  { heading: "Changed", cell: ({ updatedAt }) => <Time at={updatedAt} /> }
]

/** What the filter by compliance needs. */
const judged = ["complianceCheck:READ", "credential:READ", "ban:READ", "exemption:READ"] as const

/** Workers by name. */
export const Workers = () => {
  const [{ compliance, cursor, deleted, query = "", sort = "displayName:asc" }] = useUrlState()
  const may = useMay()
  const read = useRead("GET /workers", {
    query: { compliance, cursor, includeDeleted: deleted, query, sort, pageSize: "50", includeTotal: "true" }
  })
  const isWhole = query === "" && !compliance
  return (
    <Screen
      title="Workers"
      actions={
        <>
          <AddLink privilege="import:CREATE" href="/console/imports">
            Import a file
          </AddLink>
          <AddLink privilege="worker:CREATE" href="/console/workers/new">
            Add a worker
          </AddLink>
        </>
      }
    >
      <div class="filters">
        <SearchFilter name="query" label="Name or your id" />
        <SelectFilter
          name="sort"
          label="Order"
          options={[
            ["displayName:asc", "Name, A to Z"],
            ["displayName:desc", "Name, Z to A"],
            ["updatedAt:desc", "Changed last"],
            ["createdAt:desc", "Added last"]
          ]}
        />
        {judged.every(may) ? (
          <SelectFilter
            name="compliance"
            label="Compliance"
            options={[
              ["", "All"],
              ["FAIL", "Fails a check"],
              ["PASS", "Passes every check"]
            ]}
          />
        ) : null}
        <CheckFilter name="deleted" label="Show deleted" />
      </div>
      <Listing
        read={read}
        caption="Workers"
        columns={columns}
        empty={
          <Empty title={isWhole ? "There are no workers yet." : "No worker matches."}>
            {isWhole ? <p>Add one here, or send them through the API.</p> : null}
          </Empty>
        }
      />
    </Screen>
  )
}
