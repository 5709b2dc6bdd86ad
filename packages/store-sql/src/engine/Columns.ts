import { Struct } from "effect"

/** A row as an engine returns it. Its 64-bit numbers may be text or bigint. */
export type Row = Readonly<Record<string, unknown>>

type Value = string | number | null

/** How a field is stored: in the column with its name in snake case, or in `columns`. */
export interface Field<A> {
  readonly columns?: ReadonlyArray<string>
  readonly read: (...values: ReadonlyArray<unknown>) => A
  readonly write: (value: A) => ReadonlyArray<Value>
}

export const text: Field<string> = { read: String, write: (value) => [value] }

export const number: Field<number> = { read: Number, write: (value) => [value] }

export const orNull = <A>({ read, write, ...field }: Field<A>): Field<A | null> => ({
  ...field,
  read: (value) => (value === null ? null : read(value)),
  write: (value) => (value === null ? [null] : write(value))
})

/** Text of a closed set, which only this program writes. */
export const word = <A extends string>(): Field<A> => ({ ...text, read: (value) => String(value) as A })

/** JSON text. */
export const json = <A>(decode: (text: string) => A): Field<A> => ({
  read: (value) => decode(String(value)),
  write: (value) => [JSON.stringify(value)]
})

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The columns in which records are stored. A prefix tells the columns of a joined table apart in a result. */
export const makeColumns = <A extends object>(fields: { readonly [Key in keyof A]-?: Field<A[Key]> }, prefix = "") => {
  const all = Struct.keys(fields).map((key) => ({
    key,
    field: fields[key],
    names: fields[key].columns ?? [snakeCase(key)]
  }))
  const names = all.flatMap((one) => one.names)
  return {
    names,
    /** The columns of a SELECT from the table with this alias. */
    selected: (alias: string): string =>
      names.map((name) => `${alias}.${name}${prefix === "" ? "" : ` AS ${prefix}${name}`}`).join(", "),
    /** The record of a selected row. */
    of: (row: Row): A =>
      Object.fromEntries(
        all.map(({ field, key, names }) => [key, field.read(...names.map((name) => row[prefix + name]))])
      ) as A,
    /** The values of a record, by column. */
    row: (record: A): Record<string, Value> =>
      Object.fromEntries(
        all.flatMap(({ field, key, names }) => {
          const values = field.write(record[key])
          return names.map((name, index) => [name, values[index] ?? null])
        })
      )
  }
}
