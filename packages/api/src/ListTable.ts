import { Context } from "effect"

/** A value of a file. Null is an empty cell. */
export type Cell = string | number | boolean | null

/** How the documents of a list become the rows of a file. */
export interface ListTable<Shown> {
  /** The columns in order, by the documents of the first page. */
  readonly columnsOf: (documents: ReadonlyArray<Shown>) => ReadonlyArray<string>
  readonly rowOf: (document: Shown) => Readonly<Record<string, Cell>>
}

/** Returns the table with these columns, each with its value of a document. */
export const tableOf = <Shown>(
  columns: Readonly<Record<string, (document: Shown) => Cell | undefined>>
): ListTable<Shown> => ({
  columnsOf: () => Object.keys(columns),
  rowOf: (document) => Object.fromEntries(Object.entries(columns).map(([name, read]) => [name, read(document) ?? null]))
})

/** The table of an endpoint that also answers its list as files, for `Accept: text/csv` and `text/html`. */
export const TableOf = Context.Reference<ListTable<never> | undefined>("@wcs/api/ListTable", {
  defaultValue: () => undefined
})

/** Whether an endpoint also answers its document as a page to print, for `Accept: text/html`. */
export const PrintedOf = Context.Reference<boolean>("@wcs/api/Printed", { defaultValue: () => false })
