import { Context } from "effect"

/** A value of a CSV file. Null is an empty cell. */
export type Cell = string | number | boolean | null

/** How the documents of a list become the rows of a CSV file. */
export interface CsvTable<Shown> {
  /** The columns in order, by the documents of the first page. */
  readonly columnsOf: (documents: ReadonlyArray<Shown>) => ReadonlyArray<string>
  readonly rowOf: (document: Shown) => Readonly<Record<string, Cell>>
}

/** Returns the table with these columns, each with its value of a document. */
export const tableOf = <Shown>(
  columns: Readonly<Record<string, (document: Shown) => Cell | undefined>>
): CsvTable<Shown> => ({
  columnsOf: () => Object.keys(columns),
  rowOf: (document) => Object.fromEntries(Object.entries(columns).map(([name, read]) => [name, read(document) ?? null]))
})

/** The table of an endpoint that also answers its list as a CSV file, for `Accept: text/csv`. */
export const CsvOf = Context.Reference<CsvTable<never> | undefined>("@wcs/api/CsvOf", {
  defaultValue: () => undefined
})
