import type { VersionFields } from "@wcs/domain/audit/FieldChange"
import { ResourceHistory } from "@wcs/domain/crud/ResourceHistory"
import { belongings } from "@wcs/domain/people/Oversight"
import type { Resource } from "@wcs/domain/resource/Resource"
import type { Instant } from "@wcs/domain/shared/Instant"
import { Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { type Dialect, dialectOf } from "../engine/Dialect.ts"
import { type At, keep } from "../engine/Query.ts"
import { makeOversight, withOverseer } from "./Oversight.ts"
import { forCallers } from "./ResourceRows.ts"
import { type ResourceRow, tableOf } from "./ResourceTable.ts"
import { makeVeil } from "./Veil.ts"

interface OfKind {
  readonly tenantId: string
  readonly at: Instant
  /** The limited account of the caller; empty if there is none. */
  readonly account: string
}

/** A row with the worker that held it. */
interface HeldRow extends ResourceRow {
  readonly holder: string
}

/** The primary key. SQLite would read a version of a time by the index of times, and sort. */
const byKey = "sqlite_autoindex_resource_version_1"

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
    (columns) => sql`SELECT x.${columns} FROM resource_version AS x${dialect.indexedBy(byKey)}
      WHERE x.tenant_id = ${at("tenantId")} AND x.kind = ${sql.literal(`'${type}'`)} AND x.id = ${sql.literal(id)}
      AND x.updated_at <= ${at("at")} ORDER BY x.version DESC LIMIT 1`
  )

/** The test of a version for a limited account, after other conditions. */
const limitOf = (
  sql: SqlClient.SqlClient,
  dialect: Dialect,
  resource: Resource,
  isLimited: boolean,
  at: At<OfKind>
): Statement.Fragment =>
  isLimited
    ? sql` AND ${makeOversight(sql, dialect).testVersion(resource, at("tenantId"), { account: at("account") })}`
    : sql.literal("")

const makeReadAll = (sql: SqlClient.SqlClient, dialect: Dialect) =>
  forCallers((resource, isLimited) =>
    keep<OfKind & { readonly ids: string }, ResourceRow>(
      sql,
      (at) => sql`SELECT ${sql.literal(tableOf(resource).selected)}
        FROM ${dialect.texts(at("ids"))} ${joinVersion(sql, dialect, resource, "value", at)}
        WHERE r.document <> ''${limitOf(sql, dialect, resource, isLimited, at)}`
    )
  )

/** Reads the rows that each worker held. A version counts if no later one was written by the time. */
const makeReadHeld = (sql: SqlClient.SqlClient, dialect: Dialect) =>
  forCallers((resource, isLimited) =>
    keep<OfKind & { readonly workers: string; readonly limit: number }, HeldRow>(sql, (at) => {
      const kind = sql.literal(`'${resource.type}'`)
      const held = (columns: Statement.Fragment) => sql`SELECT x.${columns}
        FROM resource_version AS x${dialect.indexedBy("resource_version_of_worker")}
        WHERE x.tenant_id = ${at("tenantId")} AND x.worker_id = value AND x.worker_id <> '' AND x.kind = ${kind}
        AND x.updated_at <= ${at("at")} AND x.deleted_at IS NULL AND x.document <> ''
        AND NOT EXISTS (SELECT 1 FROM resource_version AS n${dialect.indexedBy(byKey)} WHERE n.tenant_id = ${at("tenantId")} AND n.kind = ${kind}
          AND n.id = x.id AND n.version > x.version AND n.updated_at <= ${at("at")})
        ORDER BY x.created_at, x.id LIMIT ${at("limit")}`
      return sql`SELECT ${sql.literal(tableOf(resource).selected)}, r.worker_id AS holder
        FROM ${dialect.texts(at("workers"))} ${dialect.joinEach("resource_version", "r", held)}
        WHERE true${isLimited ? sql` AND ${makeOversight(sql, dialect).reaches("worker", "r.worker_id", at("tenantId"), { account: at("account") })}` : sql.literal("")}
        ORDER BY r.created_at, r.id`
    })
  )

/**
 * The test of a page's row `t` with its version `r`. The present unit of a person decides, so it is tested before the
 * version of the time is looked up.
 */
const limitOfPage = (
  sql: SqlClient.SqlClient,
  dialect: Dialect,
  resource: Resource,
  isLimited: boolean,
  at: At<OfKind>
): Statement.Fragment =>
  isLimited && belongings[resource.type]._tag === "Person"
    ? sql` AND ${makeOversight(sql, dialect).test(resource, at("tenantId"), { account: at("account") }, "t")}`
    : limitOf(sql, dialect, resource, isLimited, at)

/** Reads versions in the order of creation. The rows themselves never vanish, so the page reads their index. */
const makeReadPage = (sql: SqlClient.SqlClient, dialect: Dialect) =>
  forCallers((resource, isLimited) =>
    keep<OfKind & { readonly createdAt: number; readonly id: string; readonly limit: number }, ResourceRow>(
      sql,
      (at) => sql`SELECT ${sql.literal(tableOf(resource).selected)}
        FROM ${sql.literal(resource.type)} AS t${dialect.indexedBy(`${resource.type}_by_created_at`)}
        ${joinVersion(sql, dialect, resource, "t.id", at)}
        WHERE t.tenant_id = ${at("tenantId")} AND t.created_at <= ${at("at")}
        AND (t.created_at, t.id) > (${at("createdAt")}, ${at("id")})${limitOfPage(sql, dialect, resource, isLimited, at)}
        ORDER BY t.created_at, t.id LIMIT ${at("limit")}`
    )
  )

interface Written {
  readonly tenantId: string
  /** A JSON array of `{ id, at }`. */
  readonly keys: string
}

/** Reads the versions of a time, and the last one before them. */
const makeReadWritten = (sql: SqlClient.SqlClient, dialect: Dialect) => {
  const make = (resource: Resource) =>
    keep<Written, ResourceRow>(sql, (at) => {
      const byTime = dialect.indexedBy("resource_version_by_time")
      const of = (alias: string) => {
        const row = sql.literal(alias)
        return sql`${row}.tenant_id = ${at("tenantId")} AND ${row}.kind = ${sql.literal(`'${resource.type}'`)}
          AND ${row}.id = value ->> 'id'`
      }
      const time = sql.literal("CAST(value ->> 'at' AS BIGINT)")
      const written = (columns: Statement.Fragment) => sql`SELECT x.${columns} FROM resource_version AS x${byTime}
          WHERE ${of("x")} AND x.updated_at = ${time}
        UNION ALL SELECT p.${columns} FROM resource_version AS p${dialect.indexedBy(byKey)} WHERE ${of("p")} AND p.version = (
          SELECT max(q.version) FROM resource_version AS q${dialect.indexedBy(byKey)} WHERE ${of("q")} AND q.version < (
            SELECT min(m.version) FROM resource_version AS m${byTime} WHERE ${of("m")} AND m.updated_at = ${time}))`
      return sql`SELECT ${sql.literal(tableOf(resource).selected)}
        FROM ${dialect.objects(at("keys"))} ${dialect.joinEach("resource_version", "r", written)} ORDER BY r.id, r.version`
    })
  const made = new Map<string, ReturnType<typeof make>>()
  return (resource: Resource) => {
    const query = made.get(resource.type) ?? make(resource)
    made.set(resource.type, query)
    return query
  }
}

/** A version; an erased one has no document. */
const versionOf = (resource: Resource, row: ResourceRow): VersionFields => ({
  version: Number(row["version"]),
  createdAt: Number(row["created_at"]),
  updatedAt: Number(row["updated_at"]),
  deletedAt: row["deleted_at"] === null ? null : Number(row["deleted_at"]),
  fields: row.document === "" ? undefined : tableOf(resource).decode(row).fields
})

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const dialect = dialectOf(sql)
  const veil = makeVeil(sql)
  const readAll = makeReadAll(sql, dialect)
  const readHeld = makeReadHeld(sql, dialect)
  const readPage = makeReadPage(sql, dialect)
  const readWritten = makeReadWritten(sql, dialect)
  const start = keep<{ readonly tenantId: string }, { readonly known_since: unknown }>(
    sql,
    (at) => sql`SELECT h.known_since FROM history_start AS h WHERE h.tenant_id = ${at("tenantId")}`
  )

  return ResourceHistory.of({
    knownSince: (tenantId) => Effect.map(Effect.orDie(start({ tenantId })), ([row]) => Number(row?.known_since ?? 0)),
    versionsAt: (resource, tenantId, keys) => {
      const distinct = [...new Map(keys.map((key) => [`${key.at} ${key.id}`, key])).values()]
      const asked = { tenantId, keys: JSON.stringify(distinct) }
      return Effect.map(Effect.orDie(readWritten(resource)(asked)), (found) => {
        const byId = Map.groupBy(found, ({ id }) => id)
        // A version can be the one of a time and the one before another time.
        const once = (rows: ReadonlyArray<ResourceRow>) => [
          ...new Map(rows.map((row) => [Number(row["version"]), versionOf(resource, row)])).values()
        ]
        return new Map(Array.from(byId, ([id, rows]) => [id, once(rows)]))
      })
    },
    asOf: (at) => ({
      findAll: (resource, tenantId, ids) =>
        withOverseer((account) =>
          Effect.gen(function* () {
            const { decode } = tableOf(resource)
            const asked = { tenantId, at, account: account ?? "", ids: JSON.stringify(ids) }
            const found = (yield* Effect.orDie(readAll(resource, account)(asked))).map(decode)
            const seen = yield* Effect.orDie(veil.all(resource, tenantId, account, found))
            return new Map(seen.map((row) => [row.id, row]))
          })
        ),

      heldByEach: (resource, tenantId, workers, limit) =>
        withOverseer((account) =>
          Effect.gen(function* () {
            const { decode } = tableOf(resource)
            const distinct = [...new Set(workers)]
            // On an engine in this process, other requests run between the workers.
            const parts = dialect.blocks ? distinct.map((worker) => [worker]) : distinct.length === 0 ? [] : [distinct]
            const held = new Map<string, Array<ReturnType<typeof decode>>>()
            for (const part of parts) {
              const values = { tenantId, at, account: account ?? "", workers: JSON.stringify(part), limit }
              const found = yield* Effect.orDie(readHeld(resource, account)(values))
              const seen = yield* Effect.orDie(veil.all(resource, tenantId, account, found.map(decode)))
              for (const [index, row] of seen.entries()) {
                const holder = found[index]?.holder ?? ""
                held.set(holder, [...(held.get(holder) ?? []), row])
              }
            }
            return held
          })
        ),

      page: (resource, tenantId, { after, pageSize }) =>
        withOverseer((account) =>
          Effect.gen(function* () {
            const { decode } = tableOf(resource)
            const from = { createdAt: after?.createdAt ?? Number.MIN_SAFE_INTEGER, id: after?.id ?? "" }
            const asked = { tenantId, at, account: account ?? "", ...from, limit: pageSize + 1 }
            const rows = yield* Effect.orDie(readPage(resource, account)(asked))
            const shown = rows.slice(0, pageSize)
            const last = rows.length > pageSize ? shown.at(-1) : undefined
            const next = last && { createdAt: Number(last["created_at"]), id: last.id }
            const items = shown.filter(({ document }) => document !== "").map(decode)
            return { items: yield* Effect.orDie(veil.all(resource, tenantId, account, items)), next }
          })
        )
    })
  })
})

export const layer = Layer.effect(ResourceHistory, make)
