import { useRead } from "../calls/Queries.ts"
import { AnyFilter, CheckFilter, DayFilter, SearchFilter, SelectFilter } from "../listing/Filters.tsx"
import { ListExport } from "../listing/ListExport.tsx"
import { Paging } from "../listing/Paging.tsx"
import { type Column, Table } from "../listing/Table.tsx"
import { unitFilter, useUnits } from "../records/Unit.tsx"
import { PrintedLine } from "../shell/PrintedLine.tsx"
import { Screen } from "../shell/Screen.tsx"
import { useUrlState } from "../shell/UrlState.ts"
import { Empty } from "../widgets/Empty.tsx"
import { Loaded } from "../widgets/Loaded.tsx"
import { CheckResult, type MatrixRow, useCheckNames } from "./CheckResult.tsx"

/** The checks of a page, in the order of the server. Every row has all of them. */
const checksOf = (rows: ReadonlyArray<MatrixRow>): ReadonlyArray<string> =>
  rows[0]?.checks.map(({ complianceCheckId }) => complianceCheckId) ?? []

type Names = ReturnType<typeof useCheckNames>

const columnsOf = (rows: ReadonlyArray<MatrixRow>, names: Names, day: string): ReadonlyArray<Column<MatrixRow>> => [
  {
    heading: "Worker",
    cell: ({ worker: { displayName, id } }) => (
      <a href={day === "" ? `/console/workers/${id}` : `/console/workers/${id}/as-of?day=${day}`}>{displayName}</a>
    )
  },
  ...checksOf(rows).map(
    (check, index): Column<MatrixRow> => ({
      heading: names === undefined ? "…" : (names.get(check) ?? check),
      cell: ({ checks }) => {
        const cell = checks[index]
        return cell === undefined ? null : <CheckResult {...cell} />
      }
    })
  )
]

const Filters = ({ isPast, names = new Map() }: { readonly isPast: boolean; readonly names: Names }) => {
  const [{ result = "" }] = useUrlState()
  return (
    <div class="filters">
      {isPast ? null : <SearchFilter name="query" label="Name or your id" />}
      {isPast ? null : <SelectFilter name="result" label="Show" options={results} />}
      {isPast ? null : <AnyFilter {...unitFilter} />}
      <SelectFilter name="check" label="Check" options={[["", "All checks"], ...names]} />
      {result === "" || isPast ? <CheckFilter name="left" label="Show people who have left or are deleted" /> : null}
      <DayFilter name="day" label="As of the end of a day" />
    </div>
  )
}

const results = [
  ["", "Everybody"],
  ["FAIL", "Who may not work"],
  ["PASS", "Who may work"]
] as const

const emptyTitle = ({ day, result, text }: { readonly [Key in "day" | "result" | "text"]: string }): string => {
  if (text !== "") return `Nobody matches “${text}”.`
  if (day !== "") return "There were no workers."
  return result === "" ? "There are no workers yet." : "Nobody matches."
}

/** Workers by compliance checks, with the reasons of each failure, now or as of a day. The past cannot be searched. */
export const Matrix = () => {
  const [{ check = "", cursor, day = "", left = "", query: searched = "", result: chosen = "", unit: inUnit = "" }] =
    useUrlState()
  const isPast = day !== ""
  const [text, result, unit] = isPast ? ["", "", ""] : [searched, chosen, inUnit]
  const shown = { checkId: check, includeDeleted: result === "" ? left : "" }
  const selection = isPast ? { ...shown, asOf: day } : { ...shown, query: text, result, unit, sort: "displayName:asc" }
  const read = useRead("GET /compliance-matrix", {
    query: { ...selection, cursor, pageSize: "50", ...(isPast ? {} : { includeTotal: "true" }) }
  })
  const names = useCheckNames({ everyTime: isPast })
  const units = useUnits()
  const words = results.find(([value]) => value === result && value !== "")?.[1]
  return (
    <Screen
      title="Compliance matrix"
      actions={
        <ListExport
          list="GET /compliance-matrix"
          name="compliance-matrix"
          query={selection}
          disabled={read.data?.meta.total === 0}
        />
      }
    >
      <PrintedLine
        filters={{
          text,
          words,
          unit: units.find(({ id }) => id === unit)?.name ?? unit,
          check: names?.get(check) ?? check,
          left: shown.includeDeleted && "with people who have left",
          day: isPast ? `day ${day}` : ""
        }}
      />
      <Filters isPast={isPast} names={names} />
      <Loaded read={read}>
        {({ data, meta }) =>
          data.length === 0 && meta.nextCursor === null ? (
            <Empty title={emptyTitle({ day, result, text })} />
          ) : data.length > 0 && checksOf(data).length === 0 ? (
            <Empty title="There are no enabled compliance checks.">
              <p>
                <a href="/console/compliance-checks">Add a compliance check</a>, which names the credentials that it
                requires.
              </p>
            </Empty>
          ) : (
            <>
              <Table
                caption="Workers by checks"
                columns={columnsOf(data, names, day)}
                rows={data}
                keyOf={({ worker }) => worker.id}
              />
              <Paging next={meta.nextCursor} shown={data.length} total={meta.total} />
            </>
          )
        }
      </Loaded>
    </Screen>
  )
}
