import type { Item } from "../calls/Contract.ts"
import { useMay } from "../calls/Me.ts"
import { useRead } from "../calls/Queries.ts"
import { Screen } from "../shell/Screen.tsx"
import { useUrlState } from "../shell/UrlState.ts"
import { Badge, DeletedBadge } from "../widgets/Badge.tsx"
import { Empty } from "../widgets/Empty.tsx"
import { CheckField, SelectField } from "../widgets/Field.tsx"
import { Listing } from "../widgets/Listing.tsx"
import { Search } from "../widgets/Search.tsx"
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

/** Workers by name. */
export const Workers = () => {
  const may = useMay()
  const [{ cursor, deleted, query = "", sort = "displayName:asc" }, change] = useUrlState()
  const read = useRead("GET /workers", {
    query: { cursor, includeDeleted: deleted, query, sort, pageSize: "50", includeTotal: "true" }
  })
  return (
    <Screen
      title="Workers"
      actions={
        may("worker:CREATE") ? (
          <a class="button main" href="/console/workers/new">
            Add a worker
          </a>
        ) : null
      }
    >
      <div class="filters">
        <Search
          label="Name or your id"
          value={query}
          onChange={(text) => change({ query: text, cursor: "" }, { replaces: true })}
        />
        <SelectField
          label="Order"
          value={sort}
          options={[
            ["displayName:asc", "Name, A to Z"],
            ["displayName:desc", "Name, Z to A"],
            ["updatedAt:desc", "Changed last"],
            ["createdAt:desc", "Added last"]
          ]}
          onChange={(next) => change({ sort: next, cursor: "" })}
        />
        <CheckField
          label="Show deleted"
          value={deleted === "true"}
          onChange={(shown) => change({ deleted: shown ? "true" : "", cursor: "" })}
        />
      </div>
      <Listing
        read={read}
        caption="Workers"
        columns={columns}
        empty={
          <Empty title={query === "" ? "There are no workers yet." : `Nobody matches “${query}”.`}>
            {query === "" ? <p>Add one here, or send them through the API.</p> : null}
          </Empty>
        }
      />
    </Screen>
  )
}
