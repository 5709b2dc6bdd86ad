import type { Resource, Stored } from "@wcs/domain/resource/Resource"
import type { JsonObject } from "@wcs/domain/shared/Json"
import { Option } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { Dialect } from "../engine/Dialect.ts"
import { keep, type Query } from "../engine/Query.ts"
import { changes, type Script } from "../engine/Script.ts"
import { type ResourceRow, tableOf } from "./ResourceTable.ts"

/** Reads a resource by its id. `lock` ends the SELECT. */
export const makeRead = (sql: SqlClient.SqlClient, lock: Statement.Fragment) => {
  const kept = new WeakMap<object, Query<{ tenantId: string; id: string }, ResourceRow>>()
  const queryOf = (resource: Resource) => {
    const known = kept.get(resource)
    if (known !== undefined) return known
    const table = tableOf(resource)
    const query = keep<{ tenantId: string; id: string }, ResourceRow>(
      sql,
      (at) => sql`SELECT ${sql.literal(table.selected)} FROM ${sql.literal(table.name)} AS r
        WHERE r.tenant_id = ${at("tenantId")} AND r.id = ${at("id")}${lock}`
    )
    kept.set(resource, query)
    return query
  }
  return (resource: Resource, tenantId: string, id: string) => queryOf(resource)({ tenantId, id })
}

/** Reads resources by their ids. */
export const makeReadAll = (sql: SqlClient.SqlClient, dialect: Dialect) => {
  const kept = new WeakMap<object, Query<{ tenantId: string; ids: string }, ResourceRow>>()
  const queryOf = (resource: Resource) => {
    const known = kept.get(resource)
    if (known !== undefined) return known
    const table = tableOf(resource)
    const query = keep<{ tenantId: string; ids: string }, ResourceRow>(
      sql,
      (at) => sql`SELECT ${sql.literal(table.selected)} FROM ${sql.literal(table.name)} AS r
        WHERE r.tenant_id = ${at("tenantId")} AND r.id IN (SELECT value FROM ${dialect.texts(at("ids"))})`
    )
    kept.set(resource, query)
    return query
  }
  return (resource: Resource, tenantId: string, ids: ReadonlyArray<string>) =>
    queryOf(resource)({ tenantId, ids: JSON.stringify(ids) })
}

/** Decodes the resource of a row. */
export const storedOf =
  <Fields extends JsonObject>(resource: Resource<Fields>) =>
  ([row]: ReadonlyArray<ResourceRow>): Option.Option<Stored<Fields>> =>
    row === undefined ? Option.none() : Option.some(tableOf(resource).decode(row))

/** Writes one row if unchanged since its read. Returns whether it was. */
export const makeWrite = (sql: SqlClient.SqlClient) =>
  function* <Fields extends JsonObject>(
    resource: Resource<Fields>,
    tenantId: string,
    current: Option.Option<Stored<Fields>>,
    next: Stored<Fields>
  ): Script<boolean> {
    const table = tableOf(resource)
    const statement = Option.match(current, {
      onNone: () =>
        sql`INSERT INTO ${sql.literal(table.name)} ${sql.insert(table.inserted(tenantId, next))}
          ON CONFLICT (tenant_id, id) DO NOTHING`,
      onSome: (before) =>
        sql`UPDATE ${sql.literal(table.name)} SET ${sql.update(table.updated(before, next))}
          WHERE tenant_id = ${tenantId} AND id = ${next.id} AND version = ${before.version}`
    })
    return (yield* changes(statement)) > 0
  }
