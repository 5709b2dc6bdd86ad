import type { ComponentChildren } from "preact"

/** A column: its heading, and the content of its cell for a row. */
export interface Column<Row> {
  readonly heading: string
  readonly cell: (row: Row) => ComponentChildren
}

/** Rows as a table. On narrow screens each row becomes a card whose cells name their heading. */
export const Table = <Row extends object>({
  caption,
  columns,
  keyOf,
  rows
}: {
  readonly caption: string
  readonly columns: ReadonlyArray<Column<Row>>
  readonly keyOf: (row: Row) => string
  readonly rows: ReadonlyArray<Row>
}) => (
  <table class="rows">
    <caption class="unseen">{caption}</caption>
    <thead>
      <tr>
        {columns.map(({ heading }) => (
          <th key={heading} scope="col">
            {heading}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((row) => (
        <tr key={keyOf(row)}>
          {columns.map(({ cell, heading }) => (
            <td key={heading} data-heading={heading}>
              {cell(row)}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
)
