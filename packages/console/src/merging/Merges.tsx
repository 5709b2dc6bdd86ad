import { Account } from "../access/Account.tsx"
import { useRead } from "../calls/Queries.ts"
import { PrintedLine } from "../shell/PrintedLine.tsx"
import { Screen } from "../shell/Screen.tsx"
import { useUrlState } from "../shell/UrlState.ts"
import { Badge } from "../widgets/Badge.tsx"
import { Empty } from "../widgets/Empty.tsx"
import { SelectFilter } from "../widgets/Filters.tsx"
import { Listing } from "../widgets/Listing.tsx"
import type { Column } from "../widgets/Table.tsx"
import { Time } from "../widgets/Time.tsx"
import { movedWords } from "./Moving.tsx"
import { type Merge, UndoMerge } from "./UndoMerge.tsx"

const columns: ReadonlyArray<Column<Merge>> = [
  { heading: "Kept", cell: ({ worker }) => <a href={`/console/workers/${worker.id}`}>{worker.displayName}</a> },
  { heading: "Merged", cell: ({ from }) => <a href={`/console/workers/${from.id}`}>{from.displayName}</a> },
  { heading: "Moved", cell: ({ moved }) => movedWords(moved) },
  {
    heading: "Status",
    cell: ({ status, undoneAt }) => (
      <>
        <Badge value={status} tone={status === "MERGED" ? "good" : "plain"} />{" "}
        {undoneAt === null ? null : <Time at={undoneAt} />}
      </>
    )
  },
  { heading: "By", cell: ({ account }) => <Account urn={account} /> },
  { heading: "Merged on", cell: ({ createdAt }) => <Time at={createdAt} /> },
  { heading: "Undo", cell: (merge) => <UndoMerge {...merge} /> }
]

/** All merges of workers, the newest first. */
export const Merges = () => {
  const [{ cursor, status = "" }] = useUrlState()
  const query = { status }
  const read = useRead("GET /merges", { query: { ...query, cursor, pageSize: "50" } })
  return (
    <Screen
      title="Merges"
      actions={
        <a class="button" href="/console/duplicates">
          Duplicates
        </a>
      }
    >
      <PrintedLine filters={query} />
      <p class="quiet">A merge can be undone for 30 days.</p>
      <div class="filters">
        <SelectFilter
          name="status"
          label="Status"
          options={[
            ["", "any"],
            ["MERGED", "merged"],
            ["UNDONE", "undone"]
          ]}
        />
      </div>
      <Listing
        read={read}
        caption="Merges"
        columns={columns}
        empty={<Empty title={status === "" ? "No workers were merged." : "No merge matches."} />}
      />
    </Screen>
  )
}
