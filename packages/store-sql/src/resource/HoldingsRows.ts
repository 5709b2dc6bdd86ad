import { Credential } from "@wcs/domain/credential/Credential"
import { Exemption } from "@wcs/domain/credential/Exemption"
import { decidedLimit, type Holdings } from "@wcs/domain/credential/Holdings"
import type { OwnerReference, OwnerType } from "@wcs/domain/ownership/Ownership"
import type { Resource, Stored } from "@wcs/domain/resource/Resource"
import type { HoldingsOf } from "@wcs/domain/resource/ResourceStore"
import type { JsonObject } from "@wcs/domain/shared/Json"
import { Effect } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { dialectOf } from "../engine/Dialect.ts"
import { keep } from "../engine/Query.ts"
import { changes, rows, type Script } from "../engine/Script.ts"
import { makeStretches } from "../engine/Stretches.ts"
import { type ResourceRow, tableOf } from "./ResourceTable.ts"

/** The person column of each resource table. */
export const personColumns = { worker: "worker_id", applicant: "applicant_id" } as const satisfies Record<
  OwnerType,
  string
>

/** Reads the newest rows of a resource that one person holds. `lock` ends the SELECT. */
const makeHeld = <Fields extends JsonObject>(
  sql: SqlClient.SqlClient,
  resource: Resource<Fields>,
  lock: Statement.Fragment
) => {
  const dialect = dialectOf(sql)
  const table = tableOf(resource)
  const heldBy = (column: string) =>
    keep<{ tenantId: string; id: string }, ResourceRow>(
      sql,
      (
        at
      ) => sql`SELECT ${sql.literal(table.selected)} FROM ${sql.literal(table.name)} AS r${dialect.indexedBy(`${table.name}_of_${column}`)}
        WHERE r.tenant_id = ${at("tenantId")} AND r.${sql.literal(column)} = ${at("id")} AND r.deleted_at IS NULL
        ORDER BY r.created_at DESC, r.id DESC LIMIT ${decidedLimit}${lock}`
    )
  const held = { worker: heldBy(personColumns.worker), applicant: heldBy(personColumns.applicant) }
  return function* (tenantId: string, { id, type }: OwnerReference): Script<ReadonlyArray<Stored<Fields>>> {
    return (yield* rows(held[type]({ tenantId, id }))).map(table.decode)
  }
}

/** A row with the worker that holds it. */
interface HeldRow extends ResourceRow {
  readonly holder: string
}

/** Reads the rows of each worker on an engine that plans with statistics: one statement. */
const makePlannedHeld =
  (sql: SqlClient.SqlClient) =>
  (resource: Resource, tenantId: string, workers: ReadonlyArray<string>, limit: number) => {
    const table = tableOf(resource)
    const selects = workers.map(
      (worker) => sql`SELECT * FROM (SELECT ${sql.literal(table.selected)}, r.worker_id AS holder
        FROM ${sql.literal(table.name)} AS r WHERE r.tenant_id = ${tenantId} AND r.worker_id = ${worker}
        AND r.deleted_at IS NULL ORDER BY r.created_at, r.id LIMIT ${limit}) AS held`
    )
    return Effect.map(sql<HeldRow>`${sql.join(" UNION ALL ", false)(selects)}`, (found) =>
      Map.groupBy(found, ({ holder }) => holder)
    )
  }

/** Reads the rows of each worker on an engine in this process, in bounded statements. */
const makeBoundedHeld = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { read } = yield* makeStretches
  return Effect.fnUntraced(function* (
    resource: Resource,
    tenantId: string,
    workers: ReadonlyArray<string>,
    limit: number
  ): Effect.fn.Return<ReadonlyMap<string, ReadonlyArray<ResourceRow>>, SqlError.SqlError> {
    const { columns, name } = tableOf(resource)
    const held = new Map<string, ReadonlyArray<ResourceRow>>()
    for (const worker of workers) {
      const range = {
        table: name,
        index: `${name}_of_worker_id`,
        fixed: [sql`r.tenant_id = ${tenantId}`, sql`r.worker_id = ${worker}`],
        lower: [],
        upper: [],
        keys: ["created_at", "id"],
        direction: "asc",
        tests: [sql`r.deleted_at IS NULL`]
      } as const
      const rows = yield* read(range, columns, { after: undefined, offset: 0, limit })
      if (rows.length > 0) held.set(worker, rows as ReadonlyArray<ResourceRow>)
    }
    return held
  })
})

/**
 * Reads the oldest rows that each of some workers holds. Each worker has a SELECT in index order: a limit per worker in
 * one SELECT would read all their rows.
 */
export const makeHeldByEach = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const read = dialectOf(sql).blocks ? yield* makeBoundedHeld : makePlannedHeld(sql)
  return (resource: Resource, tenantId: string, workers: ReadonlyArray<string>, limit: number) =>
    workers.length === 0
      ? Effect.succeed(new Map<string, never>())
      : read(resource, tenantId, [...new Set(workers)], limit)
})

/** Creates the reader of a person's holdings. */
export const makeHoldings = (sql: SqlClient.SqlClient) => {
  const dialect = dialectOf(sql)
  const readWith = (lock: Statement.Fragment) => ({
    credentials: makeHeld(sql, Credential, lock),
    exemptions: makeHeld(sql, Exemption, lock)
  })
  const [unlocked, locked] = [readWith(sql.literal("")), readWith(dialect.forShare)]

  /**
   * Locked holdings do not change until the transaction ends. The person's row is locked, which blocks new holdings:
   * a change that adds one needs a share lock on that row. The rows of the holdings are locked too.
   */
  return function* (tenantId: string, { isLocked, person }: HoldingsOf): Script<Holdings> {
    const renewal = isLocked ? dialect.renew(person.type, tenantId, person.id) : undefined
    if (renewal !== undefined) yield* changes(renewal)
    const read = isLocked ? locked : unlocked
    return {
      credentials: yield* read.credentials(tenantId, person),
      exemptions: yield* read.exemptions(tenantId, person)
    }
  }
}
