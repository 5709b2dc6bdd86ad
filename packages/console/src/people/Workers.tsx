import type { Item } from "../calls/Contract.ts"
import { useRead } from "../calls/Queries.ts"
import { UnitFilter } from "../records/Unit.tsx"
import { PrintedLine } from "../shell/PrintedLine.tsx"
import { Screen } from "../shell/Screen.tsx"
import { useUrlState } from "../shell/UrlState.ts"
import { AddLink } from "../widgets/AddLink.tsx"
import { Badge, DeletedBadge } from "../widgets/Badge.tsx"
import { Empty } from "../widgets/Empty.tsx"
import { CheckFilter, SearchFilter, SelectFilter } from "../widgets/Filters.tsx"
import { ListExport } from "../widgets/ListExport.tsx"
import { Listing } from "../widgets/Listing.tsx"
import type { Column } from "../widgets/Table.tsx"
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

const columnsWith = (mayWork: ReadonlyArray<Column<Worker>>): ReadonlyArray<Column<Worker>> => [
  {
    heading: "Name",
    cell: ({ deletedAt, id, identity }) => (
      <>
        <a href={`/console/workers/${id}`}>{identity.displayName}</a> <DeletedBadge at={deletedAt} />
      </>
    )
  },
  ...mayWork,
  { heading: "Job", cell: ({ employment }) => employment?.jobTitle ?? <span class="quiet">none</span> },
  {
    heading: "Status",
    cell: ({ employment }) => (employment?.status === undefined ? null : <Badge value={employment.status} />)
  },
  { heading: "Your id", cell: ({ source }) => source?.externalId ?? <span class="quiet">none</span> },
  { heading: "Changed", cell: ({ updatedAt }) => <Time at={updatedAt} /> }
]

/** Workers by name, and whether each may work. */
export const Workers = () => {
  const [{ compliance, cursor, deleted, query = "", sort = "displayName:asc", unit = "", unreachable }] = useUrlState()
  const judges = useMayJudge()
  const filters = { compliance, includeDeleted: deleted, query, unit, unreachable }
  const selection = { ...filters, sort }
  const read = useRead("GET /workers", { query: { ...selection, cursor, pageSize: "50", includeTotal: "true" } })
  const rows = useRows(read.data?.data ?? [], judges)
  const names = useCheckNames({ isWanted: judges })
  const isWhole = query === "" && !compliance && !unreachable && unit === ""
  return (
    <Screen
      title="Workers"
      actions={
        <>
          <ListExport list="GET /workers" name="workers" query={selection} />
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
    >
      <PrintedLine filters={filters} />
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
        {judges ? (
          <SelectFilter
            name="compliance"
            label="Show"
            options={[
              ["", "Everybody"],
              ["FAIL", "Who may not work"],
              ["PASS", "Who may work"]
            ]}
          />
        ) : null}
        <UnitFilter />
        <CheckFilter name="unreachable" label="Whom no e-mail reaches" />
        <CheckFilter name="deleted" label="Show deleted" />
      </div>
      <Listing
        read={read}
        caption="Workers"
        columns={columnsWith(judges ? [mayWorkColumn(rows, names)] : [])}
        empty={
          <Empty title={isWhole ? "There are no workers yet." : "No worker matches."}>
            {isWhole ? <p>Add one here, or send them through the API.</p> : null}
          </Empty>
        }
      />
    </Screen>
  )
}
