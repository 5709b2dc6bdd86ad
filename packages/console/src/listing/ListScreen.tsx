import type { ComponentChildren } from "preact"
import type { Item, ListName, QueryOf } from "../calls/Contract.ts"
import { type Read, useRead } from "../calls/Queries.ts"
import { useOwners } from "../people/Owner.tsx"
import { PrintedLine } from "../shell/PrintedLine.tsx"
import { Screen } from "../shell/Screen.tsx"
import { useUrlState } from "../shell/UrlState.ts"
import { momentOf } from "../widgets/Days.ts"
import { Empty } from "../widgets/Empty.tsx"
import { useTimeZone } from "../widgets/Time.tsx"
import { AnyFilter, type ListFilter } from "./Filters.tsx"
import { type FileList, ListExport } from "./ListExport.tsx"
import { Listing, type Page } from "./Listing.tsx"
import type { Column } from "./Table.tsx"

/** A list that the server reads in pages. */
export type PagedList = ListName & `GET ${string}`

type Columns<List extends PagedList> = ReadonlyArray<Column<Item<List>>>

/** A list as data. */
export interface ListKind<List extends PagedList> {
  readonly list: List
  readonly title: string
  /** What the records are for, in one or two sentences. */
  readonly lead?: string
  /** The columns, or a hook that returns them for the rows of a page. */
  readonly columns: Columns<List> | ((rows: ReadonlyArray<Item<List>>) => Columns<List>)
  readonly filters?: ReadonlyArray<ListFilter>
  /** Further filters, which links set in the address. */
  readonly linked?: ReadonlyArray<string>
  /** Parameters of the call and of the file besides the filters, such as the order. */
  readonly query?: QueryOf<List>
  /** Parameters of the call alone. */
  readonly inScreen?: QueryOf<List>
  /** Whether the list can name the people of its records. */
  readonly hasPeople?: true
  /** Whether the server counts the rows. */
  readonly isCounted?: false
  readonly everySeconds?: number
  /** Tells the rows apart, if they have no id. */
  readonly keyOf?: (row: Item<List>) => string
  /** The name of the exported file, if there is one. */
  readonly file?: List extends FileList ? string : never
  /** The title of the empty list, and what to do next. */
  readonly empty: string
  readonly next?: string
  /** What to do if nothing matches the filters. */
  readonly noMatch?: string
}

/** A list, and what depends on the screen. */
interface Shown<List extends PagedList> {
  readonly kind: ListKind<List>
  /** The parameters in the path of the list. Absent if the path has none. */
  readonly params?: { readonly id: string }
  /** Further columns. */
  readonly last?: ReadonlyArray<Column<{ readonly id: string }>>
  /** Parameters of the file alone. */
  readonly inFile?: QueryOf<List>
}

// Stands for each list: all have these parameters, and their rows are those of the columns.
type AnyList = "GET /exemptions"
type Row = Item<AnyList>

/** The parts of a list: what the address filters, the buttons that export it, the filters, and a page of rows. */
const useList = <List extends PagedList>({ inFile, kind, last = [], params }: Shown<List>) => {
  const { columns, empty, everySeconds, file, filters = [], keyOf, linked = [], list, next, title } = kind
  const { noMatch = "Change or clear the filters above." } = kind
  const [address] = useUrlState()
  const timeZone = useTimeZone()
  const owners = useOwners()
  const names = [...filters.map(({ name }) => name), ...linked]
  const chosen = names.flatMap((name) => (address[name] === undefined ? [] : [[name, address[name]] as const]))
  const moments = new Set(filters.filter(({ by }) => by === "moment").map(({ name }) => name))
  const selection: QueryOf<AnyList> = {
    ...kind.query,
    ...(kind.hasPeople ? { include: owners } : {}),
    ...Object.fromEntries(
      chosen.map(([name, value]) => [name, moments.has(name) ? momentOf(`${value}T00:00`, timeZone) : value])
    )
  }
  const paging = { cursor: address["cursor"], pageSize: "50", includeTotal: kind.isCounted === false ? "" : "true" }
  const path = params === undefined ? {} : { params }
  const read = useRead(
    list as AnyList,
    { ...path, query: { ...selection, ...kind.inScreen, ...paging } },
    everySeconds === undefined ? {} : { everySeconds }
  )
  const columnsOf = columns as unknown as Columns<AnyList> | ((rows: ReadonlyArray<Row>) => Columns<AnyList>)
  const drawn = typeof columnsOf === "function" ? columnsOf(read.data?.data ?? []) : columnsOf
  const filtering = chosen.filter(([name]) => name !== "sort")
  return {
    lead: kind.lead === undefined ? null : <p class="quiet">{kind.lead}</p>,
    printed: <PrintedLine filters={Object.fromEntries(filtering)} />,
    exporting:
      file === undefined ? null : (
        <ListExport list={list as AnyList} name={file} query={{ ...selection, ...inFile }} {...path} />
      ),
    filtering: (
      <>
        {linked.some((name) => address[name] !== undefined) ? (
          <p class="notice">
            Only what belongs to one record. <a href={`/console${list.slice(list.indexOf("/"))}`}>Show all</a>
          </p>
        ) : null}
        {filters.length === 0 ? null : (
          <div class="filters">
            {filters.map((filter) => (
              <AnyFilter key={filter.name} {...filter} />
            ))}
          </div>
        )}
      </>
    ),
    rows: (
      <Listing
        read={read as Read<Page<Row>>}
        caption={title}
        columns={[...drawn, ...last]}
        keyOf={keyOf as ((row: Row) => string) | undefined}
        empty={
          <Empty title={filtering.length > 0 ? "Nothing matches." : empty}>
            <p>{filtering.length > 0 ? noMatch : next}</p>
          </Empty>
        }
      />
    )
  }
}

/** The screen of a list: filters in the address, all rows as a file, and a page of rows. */
export const ListScreen = <List extends PagedList>({
  actions,
  children,
  ...shown
}: Shown<List> & {
  readonly actions?: ComponentChildren
  /** Stands between the filters and the rows. */
  readonly children?: ComponentChildren
}) => {
  const { exporting, filtering, lead, printed, rows } = useList(shown)
  return (
    <Screen
      title={shown.kind.title}
      actions={
        <>
          {exporting}
          {actions}
        </>
      }
    >
      {printed}
      {lead}
      {filtering}
      {children}
      {rows}
    </Screen>
  )
}

/** A list as a section of a screen. */
export const ListSection = <List extends PagedList>(shown: Shown<List>) => {
  const { exporting, filtering, lead, rows } = useList(shown)
  return (
    <section class="block">
      <h2>{shown.kind.title}</h2>
      {lead}
      {filtering}
      {exporting === null ? null : <div class="actions">{exporting}</div>}
      {rows}
    </section>
  )
}
