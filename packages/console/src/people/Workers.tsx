import type { Item } from "../calls/Contract.ts"
import { useRead } from "../calls/Queries.ts"
import type { ListFilter } from "../listing/Filters.tsx"
import { type ListKind, ListScreen } from "../listing/ListScreen.tsx"
import type { Column } from "../listing/Table.tsx"
import { unitFilter } from "../records/Unit.tsx"
import { AddLink } from "../widgets/AddLink.tsx"
import { Badge, DeletedBadge } from "../widgets/Badge.tsx"
import { Time, useToday } from "../widgets/Time.tsx"
import { hasLeft, type MatrixRow, MayWorkBadge, mayWork, Reasons, useCheckNames, useMayJudge } from "./CheckResult.tsx"

type Worker = Item<"GET /workers">

/** Whether the workers of a page may work: one call about those who are here. */
const useRows = (workers: ReadonlyArray<Worker>, isWanted: boolean): ReadonlyMap<string, MatrixRow> | undefined => {
  const today = useToday()
  const ids = workers.filter((one) => one.deletedAt === undefined && !hasLeft(one, today)).map(({ id }) => id)
  const read = useRead("GET /compliance-matrix", { query: { workerId: ids } }, { isWanted: isWanted && ids.length > 0 })
  return read.data && new Map(read.data.data.map((row) => [row.worker.id, row]))
}

/** Whether a worker may work, and the reasons of each failed check with its name. */
const mayWorkColumn = (
  rows: ReadonlyMap<string, MatrixRow> | undefined,
  names: ReadonlyMap<string, string> | undefined
): Column<Worker> => ({
  heading: "May work",
  cell: ({ id }) => {
    const row = rows?.get(id)
    const may = row && mayWork(row)
    if (row === undefined || may === undefined) return null
    return (
      <>
        <MayWorkBadge may={may} />
        {row.checks
          .filter(({ result }) => result === "FAIL")
          .map((check) => (
            <div key={check.complianceCheckId}>
              <span class="quiet">{names?.get(check.complianceCheckId) ?? "…"}</span>
              <Reasons {...check} />
            </div>
          ))}
      </>
    )
  }
})

const useColumns = (workers: ReadonlyArray<Worker>): ReadonlyArray<Column<Worker>> => {
  const judges = useMayJudge()
  const rows = useRows(workers, judges)
  const names = useCheckNames({ isWanted: judges })
  return [
    {
      heading: "Name",
      cell: ({ deletedAt, id, identity }) => (
        <>
          <a href={`/console/workers/${id}`}>{identity.displayName}</a> <DeletedBadge at={deletedAt} />
        </>
      )
    },
    ...(judges ? [mayWorkColumn(rows, names)] : []),
    { heading: "Job", cell: ({ employment }) => employment?.jobTitle ?? <span class="quiet">none</span> },
    {
      heading: "Status",
      cell: ({ employment }) => (employment?.status === undefined ? null : <Badge value={employment.status} />)
    },
    { heading: "Your id", cell: ({ source }) => source?.externalId ?? <span class="quiet">none</span> },
    { heading: "Changed", cell: ({ updatedAt }) => <Time at={updatedAt} /> }
  ]
}

const orders = [
  ["", "Name, A to Z"],
  ["displayName:desc", "Name, Z to A"],
  ["updatedAt:desc", "Changed last"],
  ["createdAt:desc", "Added last"]
] as const

/** Who may work is hidden from those who may not judge. */
const complianceFilter: ListFilter = {
  name: "compliance",
  label: "Show",
  by: () =>
    useMayJudge()
      ? [
          ["", "Everybody"],
          ["FAIL", "Who may not work"],
          ["PASS", "Who may work"]
        ]
      : null
}

const list: ListKind<"GET /workers"> = {
  list: "GET /workers",
  title: "Workers",
  file: "workers",
  query: { sort: "displayName:asc" },
  columns: useColumns,
  filters: [
    { name: "query", label: "Name or your id", by: "words" },
    { name: "sort", label: "Order", by: orders },
    complianceFilter,
    unitFilter,
    { name: "unreachable", label: "Whom no e-mail reaches", by: "check" },
    { name: "includeDeleted", label: "Show deleted", by: "check" }
  ],
  empty: "There are no workers yet.",
  next: "Add one here, or send them through the API."
}

/** Workers by name, and whether each may work. */
export const Workers = () => (
  <ListScreen
    kind={list}
    actions={
      <>
        <a class="button" href="/console/duplicates">
          Duplicates
        </a>
        <AddLink privilege="import:CREATE" href="/console/imports">
          Import a file
        </AddLink>
        <AddLink privilege="worker:CREATE" href="/console/workers/new">
          Add a worker
        </AddLink>
      </>
    }
  />
)
