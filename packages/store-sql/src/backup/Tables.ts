import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { dialectOf } from "../engine/Dialect.ts"

/** A table as the engine describes it. */
export interface Table {
  /** In the engine's own spelling: Postgres folds names to lower case. */
  readonly name: string
  /** Ordered by name, because the order of a table can differ between the engines. */
  readonly columns: ReadonlyArray<{ readonly name: string; readonly isInteger: boolean }>
  /** The indexes of the columns of the primary key, in their order. */
  readonly key: ReadonlyArray<number>
  /** Whether the table assigns positions. */
  readonly hasPositions: boolean
}

/** The name of a table in a backup, the same on both engines. */
export const nameOf = ({ name }: Table): string => name.toLowerCase()

/**
 * Tables of the running processes, and of the schema itself. They are not backed up. Each inserted worker gets a mark of
 * compliance, so a restored store evaluates all workers again.
 */
const passing = ["migration", "rate_window", "lease", "lease_holder", "compliance_mark"]

/** Tables to load before others: the first one tells whether the master key fits, the second one has references. */
const first = ["signing_key", "tenant"]

/** Tables that triggers fill while others are loaded. They are loaded last, into the emptied table. */
export const filledByTriggers = ["resource_version", "task"]

const rankOf = (table: Table): number => {
  const rank = first.indexOf(nameOf(table))
  if (rank !== -1) return rank
  return filledByTriggers.includes(nameOf(table)) ? first.length + 1 : first.length
}

/** All tables, in the order of loading. */
export const allTables: Effect.Effect<ReadonlyArray<Table>, SqlError.SqlError, SqlClient.SqlClient> = Effect.gen(
  function* () {
    const rows = yield* dialectOf(yield* SqlClient.SqlClient).catalogue
    const found = Array.from(
      Map.groupBy(rows, ({ table }) => table),
      ([name, unordered]): Table => {
        const columns = unordered.toSorted((a, b) => (a.column < b.column ? -1 : 1))
        const ordinals = columns.map(({ keyOrdinal }) => Number(keyOrdinal))
        const key = [...ordinals.keys()].filter((index) => ordinals[index] !== 0)
        return {
          name,
          columns: columns.map(({ column, type }) => ({ name: column, isInteger: /int/i.test(type) })),
          key: key.sort((a, b) => (ordinals[a] ?? 0) - (ordinals[b] ?? 0)),
          hasPositions: columns.some(({ column }) => column === "position")
        }
      }
    )
    return found.sort((a, b) => rankOf(a) - rankOf(b))
  }
)

/** All tables of a backup, in the order of loading. */
export const tables = Effect.map(allTables, (found) => found.filter((table) => !passing.includes(nameOf(table))))
