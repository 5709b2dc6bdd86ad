import { ResourceHistory } from "@wcs/domain/crud/ResourceHistory"
import type { Resource } from "@wcs/domain/resource/Resource"
import type { Instant } from "@wcs/domain/shared/Instant"
import { Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { type Dialect, dialectOf } from "../engine/Dialect.ts"
import { type At, keep } from "../engine/Query.ts"
import { oncePerResource } from "./ResourceRows.ts"
import { type ResourceRow, tableOf } from "./ResourceTable.ts"

interface OfKind {
  readonly tenantId: string
  readonly at: Instant
}

/** A row with the worker that held it. */
interface HeldRow extends ResourceRow {
  readonly holder: string
}

/** Joins the version of a time to each preceding row, whose id is `id`. An erased version has no document. */
const joinVersion = (
  sql: SqlClient.SqlClient,
  dialect: Dialect,
  { type }: Resource,
  id: string,
  at: At<OfKind>
): Statement.Fragment =>
  dialect.joinEach(
    "resource_version",
    "r",
    (columns) => sql`SELECT x.${columns} FROM resource_version AS x
      WHERE x.tenant_id = ${at("tenantId")} AND x.kind = ${sql.literal(`'${type}'`)} AND x.id = ${sql.literal(id)}
      AND x.updated_at <= ${at("at")} ORDER BY x.version DESC LIMIT 1`
  )

const makeReadAll = (sql: SqlClient.SqlClient, dialect: Dialect) =>
  oncePerResource((resource) =>
    keep<OfKind & { readonly ids: string }, ResourceRow>(
      sql,
      (at) => sql`SELECT ${sql.literal(tableOf(resource).selected)}
        FROM ${dialect.texts(at("ids"))} ${joinVersion(sql, dialect, resource, "value", at)}
        WHERE r.document <> ''`
    )
  )

/** Reads the rows that each worker held. A version counts if no later one was written by the time. */
const makeReadHeld = (sql: SqlClient.SqlClient, dialect: Dialect) =>
  oncePerResource((resource) =>
    keep<OfKind & { readonly workers: string; readonly limit: number }, HeldRow>(sql, (at) => {
      const kind = sql.literal(`'${resource.type}'`)
      const held = (columns: Statement.Fragment) => sql`SELECT x.${columns}
        FROM resource_version AS x${dialect.indexedBy("resource_version_of_worker")}
        WHERE x.tenant_id = ${at("tenantId")} AND x.worker_id = value AND x.worker_id <> '' AND x.kind = ${kind}
        AND x.updated_at <= ${at("at")} AND x.deleted_at IS NULL AND x.document <> ''
        AND NOT EXISTS (SELECT 1 FROM resource_version AS n WHERE n.tenant_id = ${at("tenantId")} AND n.kind = ${kind}
          AND n.id = x.id AND n.version > x.version AND n.updated_at <= ${at("at")})
        ORDER BY x.created_at, x.id LIMIT ${at("limit")}`
      return sql`SELECT ${sql.literal(tableOf(resource).selected)}, r.worker_id AS holder
        FROM ${dialect.texts(at("workers"))} ${dialect.joinEach("resource_version", "r", held)}
        ORDER BY r.created_at, r.id`
    })
  )

/** Reads versions in the order of creation. The rows themselves never vanish, so the page reads their index. */
const makeReadPage = (sql: SqlClient.SqlClient, dialect: Dialect) =>
  oncePerResource((resource) =>
    keep<OfKind & { readonly createdAt: number; readonly id: string; readonly limit: number }, ResourceRow>(
      sql,
      (at) => sql`SELECT ${sql.literal(tableOf(resource).selected)}
        FROM ${sql.literal(resource.type)} AS t${dialect.indexedBy(`${resource.type}_by_created_at`)}
        ${joinVersion(sql, dialect, resource, "t.id", at)}
        WHERE t.tenant_id = ${at("tenantId")} AND t.created_at <= ${at("at")}
        AND (t.created_at, t.id) > (${at("createdAt")}, ${at("id")})
        ORDER BY t.created_at, t.id LIMIT ${at("limit")}`
    )
  )

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const dialect = dialectOf(sql)
  const readAll = makeReadAll(sql, dialect)
  const readHeld = makeReadHeld(sql, dialect)
  const readPage = makeReadPage(sql, dialect)
  const start = keep<{ readonly tenantId: string }, { readonly known_since: unknown }>(
    sql,
    (at) => sql`SELECT h.known_since FROM history_start AS h WHERE h.tenant_id = ${at("tenantId")}`
  )

  return ResourceHistory.of({
    knownSince: (tenantId) => Effect.map(Effect.orDie(start({ tenantId })), ([row]) => Number(row?.known_since ?? 0)),
    asOf: (at) => ({
      findAll: Effect.fnUntraced(function* (resource, tenantId, ids) {
        const { decode } = tableOf(resource)
        const found = yield* Effect.orDie(readAll(resource)({ tenantId, at, ids: JSON.stringify(ids) }))
        return new Map(found.map((row) => [row.id, decode(row)]))
      }),

      heldByEach: Effect.fnUntraced(function* (resource, tenantId, workers, limit) {
        const { decode } = tableOf(resource)
        const distinct = [...new Set(workers)]
        // On an engine in this process, other requests run between the workers.
        const parts = dialect.blocks ? distinct.map((worker) => [worker]) : distinct.length === 0 ? [] : [distinct]
        const held = new Map<string, Array<ReturnType<typeof decode>>>()
        for (const part of parts) {
          const values = { tenantId, at, workers: JSON.stringify(part), limit }
          for (const row of yield* Effect.orDie(readHeld(resource)(values))) {
            const rows = held.get(row.holder) ?? []
            held.set(row.holder, rows)
            rows.push(decode(row))
          }
        }
        return held
      }),

      page: Effect.fnUntraced(function* (resource, tenantId, { after, pageSize }) {
        const { decode } = tableOf(resource)
        const from = { createdAt: after?.createdAt ?? Number.MIN_SAFE_INTEGER, id: after?.id ?? "" }
        const rows = yield* Effect.orDie(readPage(resource)({ tenantId, at, ...from, limit: pageSize + 1 }))
        const shown = rows.slice(0, pageSize)
        const last = rows.length > pageSize ? shown.at(-1) : undefined
        const next = last && { createdAt: Number(last["created_at"]), id: last.id }
        return { items: shown.filter(({ document }) => document !== "").map(decode), next }
      })
    })
  })
})

export const layer: Layer.Layer<ResourceHistory, never, SqlClient.SqlClient> = Layer.effect(ResourceHistory, make)
