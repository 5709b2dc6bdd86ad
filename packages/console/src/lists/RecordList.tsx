import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import type { Item } from "../calls/Contract.ts"
import { useMay } from "../calls/Me.ts"
import { type Read, useRead } from "../calls/Queries.ts"
import { useOwners } from "../people/Owner.tsx"
import type { Options } from "../records/Edited.ts"
import { UnitFilter } from "../records/Unit.tsx"
import { PrintedLine } from "../shell/PrintedLine.tsx"
import { Screen } from "../shell/Screen.tsx"
import { useUrlState } from "../shell/UrlState.ts"
import { Empty } from "../widgets/Empty.tsx"
import { CheckFilter, DayBoundFilter, SearchFilter, SelectFilter, TextFilter } from "../widgets/Filters.tsx"
import { ListExport } from "../widgets/ListExport.tsx"
import { Listing } from "../widgets/Listing.tsx"
import type { Column } from "../widgets/Table.tsx"
import { AddRecord, RecordActions, type RecordKind } from "./RecordDialogs.tsx"

/** The lists that are data: their columns, their filters and, if they can change, their records. */
type ListPath =
  | "exemptions"
  | "compliance-checks"
  | "screening-packages"
  | "recruitment-checks"
  | "fetch-requests"
  | "bans"
  | "scans"

/** A filter. `name` is the parameter of the API, and of the address. */
export interface ListFilter {
  readonly name: string
  readonly label: string
  readonly by: "words" | "text" | "day" | "check" | "unit" | Options | (() => Options)
}

/** A list as a screen. */
export interface ListKind<Path extends ListPath> {
  readonly path: Path
  readonly title: string
  /** What the records are for, in one or two sentences. */
  readonly lead: string
  readonly columns: ReadonlyArray<Column<Item<`GET /${Path}`>>>
  readonly filters: ReadonlyArray<ListFilter>
  /** Whether the list can name the people of its records. */
  readonly hasPeople?: true
  /** The title of the empty list, and what to do next. */
  readonly empty: string
  readonly next: string
}

const ReadSelect = ({ name, label, useOptions }: Omit<ListFilter, "by"> & { readonly useOptions: () => Options }) => (
  <SelectFilter name={name} label={label} options={[["", "any"], ...useOptions()]} />
)

const Filter = ({ by, label, name }: ListFilter) => {
  const common = { name, label }
  if (by === "words") return <SearchFilter {...common} />
  if (by === "text") return <TextFilter {...common} />
  if (by === "day") return <DayBoundFilter {...common} />
  if (by === "check") return <CheckFilter {...common} />
  if (by === "unit") return <UnitFilter />
  return typeof by === "function" ? (
    <ReadSelect {...common} useOptions={by} />
  ) : (
    <SelectFilter {...common} options={[["", "any"], ...by]} />
  )
}

type Row = Item<"GET /exemptions">

/** The privileges of the actions on a record. */
const changing = ["UPDATE", "DELETE"] as const

/**
 * The screen of a list: filters in the address, all rows as a file, and the records' own actions in the last column.
 * `record` says how its records change.
 */
export const RecordList = <Path extends ListPath>({
  actions,
  kind: { columns, empty, filters, hasPeople, lead, next, path, title },
  record
}: {
  readonly kind: ListKind<Path>
  readonly record?: RecordKind
  /** Other actions of the screen. */
  readonly actions?: ComponentChildren
}) => {
  const [address] = useUrlState()
  const may = useMay()
  const people = useOwners()
  const [isAdding, setIsAdding] = useState(false)
  const selection = Object.fromEntries(filters.map(({ name }) => [name, address[name] ?? ""]))
  const include = hasPeople === true ? { include: people } : {}
  // All lists have these parameters. Their rows are those of the columns.
  const list = `GET /${path}` as "GET /exemptions"
  const sort = "createdAt:desc"
  const read = useRead(list, {
    query: { ...selection, ...include, sort, cursor: address["cursor"], pageSize: "50", includeTotal: "true" }
  })
  const isFiltered = Object.values(selection).some((value) => value !== "")
  const withActions: ReadonlyArray<Column<Row>> = [
    ...(columns as unknown as ReadonlyArray<Column<Row>>),
    ...(record === undefined || !changing.some((operation) => may(`${record.entity}:${operation}`))
      ? []
      : [{ heading: "Actions", cell: (row: Row) => <RecordActions kind={record} row={row} /> }])
  ]
  return (
    <Screen
      title={title}
      actions={
        <>
          <ListExport list={list} name={path} query={{ ...selection, ...include, sort }} />
          {actions}
          {record?.added !== undefined && may(`${record.entity}:CREATE`) ? (
            <button type="button" class="main" onClick={() => setIsAdding(true)}>
              Add {record.noun}
            </button>
          ) : null}
        </>
      }
    >
      <PrintedLine filters={selection} />
      <p class="quiet">{lead}</p>
      <div class="filters">
        {filters.map((filter) => (
          <Filter key={filter.name} {...filter} />
        ))}
      </div>
      <Listing
        read={read as Read<Parameters<typeof Listing<Row>>[0]["read"]["data"] & {}>}
        caption={title}
        columns={withActions}
        empty={
          <Empty title={isFiltered ? "Nothing matches." : empty}>
            <p>{isFiltered ? "Change or clear the filters above." : next}</p>
          </Empty>
        }
      />
      {isAdding && record !== undefined ? <AddRecord kind={record} onClose={() => setIsAdding(false)} /> : null}
    </Screen>
  )
}
