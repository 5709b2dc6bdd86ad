import { Context } from "effect"

/** A value of a file. Null is an empty cell. */
export type Cell = string | number | boolean | null

/** How the documents of a list become the rows of a file. */
export interface ListTable<Shown> {
  /** The columns in order, by the documents of the first page. */
  readonly columnsOf: (documents: ReadonlyArray<Shown>) => ReadonlyArray<string>
  readonly rowOf: (document: Shown) => Readonly<Record<string, Cell>>
}

/** The names of fields that are a cell as they are. */
type CellField<Shown> = { [Name in keyof Shown]-?: Shown[Name] extends Cell | undefined ? Name : never }[keyof Shown] &
  string

/** Columns with the values of a document. */
export type Columns<Shown> = Readonly<Record<string, (document: Shown) => Cell | undefined>>

/** Returns columns with fields of a part of a document. */
export const of = <Shown, Part>(
  part: (document: Shown) => Part | undefined,
  ...names: ReadonlyArray<CellField<Part>>
): Columns<Shown> =>
  Object.fromEntries(
    names.map((name) => [name, (document: Shown) => part(document)?.[name] as Cell | undefined] as const) // by `CellField`
  )

/** Returns columns with fields of a document. */
export const own = <Shown>(...names: ReadonlyArray<CellField<Shown>>): Columns<Shown> =>
  of((document: Shown) => document, ...names)

/** Returns the table with these columns. */
export const tableOf = <Shown>(...columns: ReadonlyArray<Columns<Shown>>): ListTable<Shown> => {
  const all = Object.entries<Columns<Shown>[string]>(Object.assign({}, ...columns))
  return {
    columnsOf: () => all.map(([name]) => name),
    rowOf: (document) => Object.fromEntries(all.map(([name, read]) => [name, read(document) ?? null]))
  }
}

/** The table of an endpoint that also answers its list as files, for `Accept: text/csv` and `text/html`. */
export const TableOf = Context.Reference<ListTable<never> | undefined>("@wcs/api/ListTable", {
  defaultValue: () => undefined
})

/** Whether an endpoint also answers its document as a page to print, for `Accept: text/html`. */
export const PrintedOf = Context.Reference<boolean>("@wcs/api/Printed", { defaultValue: () => false })
