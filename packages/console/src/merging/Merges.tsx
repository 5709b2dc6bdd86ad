import { Account } from "../access/Account.tsx"
import { type ListKind, ListScreen } from "../listing/ListScreen.tsx"
import { Badge, optionsOf } from "../widgets/Badge.tsx"
import { Time } from "../widgets/Time.tsx"
import { movedWords } from "./Moving.tsx"
import { UndoMerge } from "./UndoMerge.tsx"

const list: ListKind<"GET /merges"> = {
  list: "GET /merges",
  title: "Merges",
  lead: "A merge can be undone for 30 days.",
  isCounted: false,
  columns: [
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
  ],
  filters: [{ name: "status", label: "Status", by: optionsOf(["MERGED", "UNDONE"]) }],
  empty: "No workers were merged."
}

/** All merges of workers, the newest first. */
export const Merges = () => (
  <ListScreen
    kind={list}
    actions={
      <a class="button" href="/console/duplicates">
        Duplicates
      </a>
    }
  />
)
