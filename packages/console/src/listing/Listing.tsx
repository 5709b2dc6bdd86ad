import type { ComponentChildren } from "preact"
import type { Read } from "../calls/Queries.ts"
import { Loaded } from "../widgets/Loaded.tsx"
import { Paging } from "./Paging.tsx"
import { type Column, Table } from "./Table.tsx"

/** A page of a list, as the server answers it. */
export interface Page<Row> {
  readonly data: ReadonlyArray<Row>
  readonly meta: { readonly nextCursor: string | null; readonly total?: number | undefined }
}

/** A page of a list as a table, with buttons to other pages. `empty` is shown if the list has no rows. */
export const Listing = <Row extends object>({
  caption,
  columns,
  empty,
  keyOf = (row) => String(Reflect.get(row, "id")),
  read
}: {
  readonly caption: string
  readonly columns: ReadonlyArray<Column<Row>>
  readonly empty: ComponentChildren
  /** Tells the rows apart, if they have no id. */
  readonly keyOf?: ((row: Row) => string) | undefined
  readonly read: Read<Page<Row>>
}) => (
  <Loaded read={read}>
    {({ data, meta }) =>
      data.length === 0 && meta.nextCursor === null ? (
        empty
      ) : (
        <>
          {data.length === 0 ? <p>Nothing on this page matches.</p> : null}
          <Table caption={caption} columns={columns} rows={data} keyOf={keyOf} />
          <Paging next={meta.nextCursor} shown={data.length} total={meta.total} />
        </>
      )
    }
  </Loaded>
)
