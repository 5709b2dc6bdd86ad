import { Account } from "../access/Account.tsx"
import { type ListKind, ListScreen } from "../listing/ListScreen.tsx"
import { Badge, optionsOf } from "../widgets/Badge.tsx"
import { Time } from "../widgets/Time.tsx"
import { reasonWords } from "./Erasure.tsx"

const list: ListKind<"GET /erasures"> = {
  list: "GET /erasures",
  title: "Erasures",
  lead:
    "A worker is erased because somebody asked for it, or because the retention of the organization ends. An announced " +
    "erasure is withdrawn if the worker is engaged again.",
  file: "erasures",
  isCounted: false,
  columns: [
    { heading: "Worker", cell: ({ id }) => <a href={`/console/workers/${id}`}>{id}</a> },
    { heading: "Status", cell: ({ status }) => <Badge value={status} tone={status === "ERASED" ? "plain" : "wait"} /> },
    { heading: "Reason", cell: ({ reason }) => reasonWords[reason] },
    {
      heading: "Erased on",
      cell: ({ dueOn, erasedAt }) => (erasedAt === null ? (dueOn ?? "soon") : <Time at={erasedAt} />)
    },
    { heading: "Asked by", cell: ({ account }) => <Account urn={account} /> },
    { heading: "Asked", cell: ({ createdAt }) => <Time at={createdAt} /> }
  ],
  filters: [{ name: "status", label: "Status", by: optionsOf(["ANNOUNCED", "DUE", "ERASING", "ERASED"]) }],
  empty: "Nobody was erased."
}

/** Who is erased, or announced to be, and why. */
export const Erasures = () => <ListScreen kind={list} />
