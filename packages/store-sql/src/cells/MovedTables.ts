import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { filledByTriggers, nameOf, type Table, tables } from "../backup/Tables.ts"
import { tableClasses } from "./TableClasses.ts"

const known = new WeakMap<SqlClient.SqlClient, ReadonlyArray<Table>>()

/** The tables whose rows move with a tenant, in the order of loading. Read once for each client: reading takes long. */
export const movedTables = (sql: SqlClient.SqlClient): Effect.Effect<ReadonlyArray<Table>, SqlError.SqlError> =>
  Effect.suspend(() => {
    const found = known.get(sql)
    if (found !== undefined) return Effect.succeed(found)
    return tables.pipe(
      Effect.provideService(SqlClient.SqlClient, sql),
      Effect.map((all) => {
        const moved = all.filter((table) => ["tenant", "directory"].includes(tableClasses[nameOf(table)] ?? ""))
        known.set(sql, moved)
        return moved
      })
    )
  })

/** Whether triggers write rows of the table while others are loaded. */
export const isFilledByTriggers = (table: Table): boolean => filledByTriggers.includes(nameOf(table))

/** The form of the id of a tenant. It becomes a part of the names of schemas and triggers. */
export const isTenantId = (id: string): boolean => /^tnt_[A-Za-z0-9]{16}$/.test(id)

/** The schema in the target for the rows that are being copied. */
export const arriving = (tenantId: string): string => `wcs_arriving_${tenantId}`

/** The schema in the source for the rows that were left. */
export const left = (tenantId: string): string => `wcs_left_${tenantId}`
