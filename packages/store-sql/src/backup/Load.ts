import { Data, Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { dialectOf } from "../engine/Dialect.ts"
import { type Applied, migrate, migrations, objection } from "../engine/Migrations.ts"
import { filledByTriggers, nameOf, type Table, tables } from "./Tables.ts"

/** The backup does not fit the schema that its migrations make. */
export class UnknownRows extends Data.TaggedError("UnknownRows")<{ readonly table: string }> {
  override get message(): string {
    return `the backup has other columns of the table ${this.table} than its migrations make`
  }
}

/** The migrations of this program that a backup has applied. Fails if another or a newer program made the backup. */
const knownOf = (applied: ReadonlyArray<Applied>) => {
  const refusal = objection(applied, migrations)
  return refusal === undefined ? Effect.succeed(migrations.slice(0, applied.length)) : Effect.fail(refusal)
}

const insert = Effect.fnUntraced(function* ({ columns, name }: Table, rows: string) {
  const sql = yield* SqlClient.SqlClient
  const { givenPositions, objects } = dialectOf(sql)
  const names = sql.literal(columns.map((column) => column.name).join(", "))
  const values = columns.map(({ isInteger }, index) => `CAST(value ->> ${index} AS ${isInteger ? "BIGINT" : "TEXT"})`)
  yield* sql`INSERT INTO ${sql.literal(name)} (${names})${givenPositions}
    SELECT ${sql.literal(values.join(", "))} FROM ${objects(rows)}`
})

/** Inserts the rows of a backup. */
export interface Loader {
  /** Selects the table of the rows that follow. */
  readonly begin: (
    table: string,
    columns: ReadonlyArray<string>
  ) => Effect.Effect<void, UnknownRows | SqlError.SqlError>
  /** Inserts rows: a JSON array of arrays. */
  readonly insert: (rows: string) => ReturnType<typeof insert>
}

/** Makes the tables assign later positions than the backed-up store has assigned. Call once all rows are inserted. */
export const continueAfter = Effect.fnUntraced(function* (positions: Readonly<Record<string, number>>) {
  const dialect = dialectOf(yield* SqlClient.SqlClient)
  for (const table of yield* tables) {
    const position = positions[nameOf(table)] ?? 0
    if (table.hasPositions && position > 0) yield* dialect.continueAfter(table.name, position)
  }
})

/** Creates the schema of a backup in an empty database, in the open transaction, and returns the loader of its rows. */
export const makeLoader = Effect.fnUntraced(function* (applied: ReadonlyArray<Applied>) {
  const sql = yield* SqlClient.SqlClient
  yield* migrate(yield* knownOf(applied))
  yield* dialectOf(sql).unlimited
  const all = yield* tables
  // A migration may insert rows. The backup has them too.
  for (const { name } of all.toReversed()) yield* sql`DELETE FROM ${sql.literal(name)}`
  let current: Table | undefined
  const loader: Loader = {
    begin: (name, columns) => {
      current = all.find((table) => nameOf(table) === name)
      const isSame = current?.columns.map((column) => column.name).join() === columns.join()
      if (!isSame) return Effect.fail(new UnknownRows({ table: name }))
      return filledByTriggers.includes(name) ? Effect.asVoid(sql`DELETE FROM ${sql.literal(name)}`) : Effect.void
    },
    insert: (rows) => (current === undefined ? Effect.die(new Error("begin a table first")) : insert(current, rows))
  }
  return loader
})
