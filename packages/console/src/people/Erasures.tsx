import { Account } from "../access/Account.tsx"
import type { Item } from "../calls/Contract.ts"
import { useRead } from "../calls/Queries.ts"
import { PrintedLine } from "../shell/PrintedLine.tsx"
import { Screen } from "../shell/Screen.tsx"
import { useUrlState } from "../shell/UrlState.ts"
import { Badge, wordsOf } from "../widgets/Badge.tsx"
import { Empty } from "../widgets/Empty.tsx"
import { SelectFilter } from "../widgets/Filters.tsx"
import { ListExport } from "../widgets/ListExport.tsx"
import { Listing } from "../widgets/Listing.tsx"
import type { Column } from "../widgets/Table.tsx"
import { Time } from "../widgets/Time.tsx"
import { reasonWords } from "./Erasure.tsx"

type Erasure = Item<"GET /erasures">

const statuses = ["ANNOUNCED", "DUE", "ERASING", "ERASED"] as const satisfies ReadonlyArray<Erasure["status"]>

const columns: ReadonlyArray<Column<Erasure>> = [
  { heading: "Worker", cell: ({ id }) => <a href={`/console/workers/${id}`}>{id}</a> },
  { heading: "Status", cell: ({ status }) => <Badge value={status} tone={status === "ERASED" ? "plain" : "wait"} /> },
  { heading: "Reason", cell: ({ reason }) => reasonWords[reason] },
  {
    heading: "Erased on",
    cell: ({ dueOn, erasedAt }) => (erasedAt === null ? (dueOn ?? "soon") : <Time at={erasedAt} />)
  },
  { heading: "Asked by", cell: ({ account }) => <Account urn={account} /> },
  { heading: "Asked", cell: ({ createdAt }) => <Time at={createdAt} /> }
]

/** Who is erased, or announced to be, and why. */
export const Erasures = () => {
  const [{ cursor, status = "" }] = useUrlState()
  const query = { status }
  const read = useRead("GET /erasures", { query: { ...query, cursor, pageSize: "50" } })
  return (
    <Screen title="Erasures" actions={<ListExport list="GET /erasures" name="erasures" query={query} />}>
      <PrintedLine filters={query} />
      <p class="quiet">
        A worker is erased because somebody asked for it, or because the retention of the organization ends. An
        announced erasure is withdrawn if the worker is engaged again.
      </p>
      <div class="filters">
        <SelectFilter
          name="status"
          label="Status"
          options={[["", "any"], ...statuses.map((one) => [one, wordsOf(one)] as const)]}
        />
      </div>
      <Listing
        read={read}
        caption="Erasures"
        columns={columns}
        empty={<Empty title={status === "" ? "Nobody was erased." : "No erasure matches."} />}
      />
    </Screen>
  )
}
