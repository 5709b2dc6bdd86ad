import type { ComponentChildren } from "preact"
import type { Read } from "../calls/Queries.ts"
import { Loaded } from "./Loaded.tsx"
import { Paging } from "./Paging.tsx"
import { type Column, Table } from "./Table.tsx"

interface Page<Row> {
  readonly data: ReadonlyArray<Row>
  readonly meta: { readonly nextCursor: string | null; readonly total?: number | undefined }
}

/** A page of a list as a table, with buttons to other pages. `empty` is shown if there are no rows. */
export const Listing = <Row extends { readonly id: string }>({
  caption,
  columns,
  empty,
  read
}: {
  readonly caption: string
  readonly columns: ReadonlyArray<Column<Row>>
  readonly empty: ComponentChildren
  readonly read: Read<Page<Row>>
}) => (
  <Loaded read={read}>
    {({ data, meta }) =>
      data.length === 0 ? (
        empty
      ) : (
        <>
          <Table caption={caption} columns={columns} rows={data} keyOf={({ id }) => id} />
          <Paging next={meta.nextCursor} shown={data.length} total={meta.total} />
        </>
      )
    }
  </Loaded>
)
