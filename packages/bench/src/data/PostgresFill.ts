import type { Client } from "pg"
import { connected } from "../Postgres.ts"

/** A row by column. */
export type FilledRow = Readonly<Record<string, string | number | null>>

/** Rows of one table. */
export interface Filling {
  readonly table: string
  readonly rows: Iterable<FilledRow>
}

/** Rows per statement. */
const rowsPerStatement = 5_000

function* portionsOf(rows: Iterable<FilledRow>): Generator<Array<FilledRow>> {
  let portion: Array<FilledRow> = []
  for (const row of rows) {
    portion.push(row)
    if (portion.length < rowsPerStatement) continue
    yield portion
    portion = []
  }
  if (portion.length > 0) yield portion
}

/** While Postgres inserts one portion, the next one is generated. */
const insertAll = async (client: Client, { rows, table }: Filling): Promise<void> => {
  let inserting: Promise<unknown> = Promise.resolve()
  for (const portion of portionsOf(rows)) {
    const columns = Object.keys(portion[0] ?? {}).join(", ")
    const json = JSON.stringify(portion)
    await inserting
    inserting = client.query({
      name: `fill ${table}`,
      text: `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::${table}, $1)`,
      values: [json]
    })
  }
  await inserting
}

/** Fills tables and updates the planner's statistics. */
export const fillPostgres = (url: string, fillings: ReadonlyArray<Filling>): Promise<void> =>
  connected(url, async (client) => {
    for (const filling of fillings) await insertAll(client, filling)
    for (const { table } of fillings) await client.query(`VACUUM (ANALYZE) ${table}`)
  })

/** The statements that drop a table's indexes, and those that create them again. */
const indexesOf = async (client: Client, table: string) => {
  const { rows: keys } = await client.query(
    `SELECT conname AS name, pg_get_constraintdef(oid) AS definition FROM pg_constraint
     WHERE conrelid = CAST($1 AS regclass) AND contype IN ('p', 'u')`,
    [table]
  )
  const { rows: indexes } = await client.query(
    `SELECT indexname AS name, indexdef AS definition FROM pg_indexes WHERE tablename = $1
     AND indexname NOT IN (SELECT conname FROM pg_constraint)`,
    [table]
  )
  return {
    drop: [
      ...indexes.map(({ name }) => `DROP INDEX ${name}`),
      ...keys.map(({ name }) => `ALTER TABLE ${table} DROP CONSTRAINT ${name}`)
    ],
    make: [
      ...keys.map(({ definition, name }) => `ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`),
      ...indexes.map(({ definition }) => definition)
    ]
  }
}

/** Fills new tables with many rows without indexes, and creates these afterwards, which is faster. */
export const fillNewPostgres = (url: string, fillings: ReadonlyArray<Filling>): Promise<void> =>
  connected(url, async (client) => {
    await client.query("SET synchronous_commit = off; SET maintenance_work_mem = '512MB'")
    for (const filling of fillings) {
      const { drop, make } = await indexesOf(client, filling.table)
      for (const statement of drop) await client.query(statement)
      await insertAll(client, filling)
      for (const statement of make) await client.query(statement)
      await client.query(`VACUUM (ANALYZE) ${filling.table}`)
    }
  })
