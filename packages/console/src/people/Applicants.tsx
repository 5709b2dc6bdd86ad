import type { Item } from "../calls/Contract.ts"
import { useMay } from "../calls/Me.ts"
import { useRead } from "../calls/Queries.ts"
import { Screen } from "../shell/Screen.tsx"
import { useUrlState } from "../shell/UrlState.ts"
import { Badge, DeletedBadge, wordsOf } from "../widgets/Badge.tsx"
import { Empty } from "../widgets/Empty.tsx"
import { CheckField, SelectField } from "../widgets/Field.tsx"
import { Listing } from "../widgets/Listing.tsx"
import { Search } from "../widgets/Search.tsx"
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
  const may = useMay()
  const [{ cursor, deleted, query = "", status = "" }, change] = useUrlState()
  const read = useRead("GET /applicants", {
    query: {
      cursor,
      includeDeleted: deleted,
      query,
      status,
      sort: "displayName:asc",
      pageSize: "50",
      includeTotal: "true"
    }
  })
  const isFiltered = query !== "" || status !== ""
  return (
    <Screen
      title="Applicants"
      actions={
        may("applicant:CREATE") ? (
          <a class="button main" href="/console/applicants/new">
            Add an applicant
          </a>
        ) : null
      }
    >
      <div class="filters">
        <Search
          label="Name, email or your id"
          value={query}
          onChange={(text) => change({ query: text, cursor: "" }, { replaces: true })}
        />
        <SelectField
          label="Status"
          value={status}
          options={[["", "any"], ...statuses.map((one) => [one, wordsOf(one)] as const)]}
          onChange={(next) => change({ status: next, cursor: "" })}
        />
        <CheckField
          label="Show deleted"
          value={deleted === "true"}
          onChange={(shown) => change({ deleted: shown ? "true" : "", cursor: "" })}
        />
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
