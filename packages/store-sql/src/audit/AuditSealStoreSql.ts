import type { AuditSeal } from "@wcs/domain/audit/AuditSeal"
import { AuditSealStore } from "@wcs/domain/audit/AuditSealStore"
import type { LoggedEntry } from "@wcs/domain/audit/LoggedEntry"
import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { changesOf, dialectOf } from "../engine/Dialect.ts"
import { makeReader } from "../engine/DirectRead.ts"
import { keepRead } from "../engine/Query.ts"
import { auditColumns } from "./RecordsWriter.ts"

const Contents = Schema.fromJsonString(Schema.Array(Schema.String))
const contentsOf = Schema.decodeUnknownOption(Contents)

/** The columns of an entry, in the order of `entryOf`. */
const selectedOfEntry = ["position", ...Object.keys(auditColumns).filter((column) => column !== "tenant_id")]
  .map((column) => `e.${column}`)
  .join(", ")

const textOf = (value: unknown): string => String(value)
const numberOrNull = (value: unknown): number | null => (value === null ? null : Number(value))
const textOrNull = (value: unknown): string | null => (value === null ? null : String(value))

/** An entry with each column as it is stored, so that a seal covers all of them. */
const entryOf = (row: ReadonlyArray<unknown>): LoggedEntry => ({
  position: Number(row[0]),
  id: textOf(row[1]),
  account: textOf(row[2]),
  bearerKind: textOrNull(row[3]),
  bearerId: textOrNull(row[4]),
  operation: textOf(row[5]),
  action: textOf(row[6]),
  entityType: textOf(row[7]),
  entityId: textOf(row[8]),
  requestId: textOf(row[9]),
  at: Number(row[10]),
  workerBefore: textOrNull(row[11]),
  applicantBefore: textOrNull(row[12]),
  workerAfter: textOrNull(row[13]),
  applicantAfter: textOrNull(row[14])
})

interface SealRow {
  readonly tenant_id: string
  readonly number: unknown
  readonly count: unknown
  readonly first_id: string
  readonly last_id: string
  readonly last_position: unknown
  readonly entries_hash: string
  readonly contents: string
  readonly previous_hash: string
  readonly sealed_at: unknown
  readonly signature: string
}

/** A seal as it is stored. Contents that are not JSON were altered: the signature then tells. */
const sealOf = (row: SealRow): AuditSeal => ({
  tenantId: row.tenant_id,
  number: Number(row.number),
  count: Number(row.count),
  firstId: row.first_id,
  lastId: row.last_id,
  lastPosition: Number(row.last_position),
  entriesHash: row.entries_hash,
  contents: Option.getOrElse(contentsOf(row.contents), () => []),
  previousHash: row.previous_hash,
  sealedAt: Number(row.sealed_at),
  signature: row.signature
})

const rowOf = (seal: AuditSeal) => ({
  tenant_id: seal.tenantId,
  number: seal.number,
  count: seal.count,
  first_id: seal.firstId,
  last_id: seal.lastId,
  last_position: seal.lastPosition,
  entries_hash: seal.entriesHash,
  contents: JSON.stringify(seal.contents),
  previous_hash: seal.previousHash,
  sealed_at: seal.sealedAt,
  signature: seal.signature
})

interface Range {
  readonly tenantId: string
  readonly after: number
  readonly upTo: number
  readonly limit: number
}

/**
 * Walks the tenants by the indexes that begin with them: a few index entries each, for logs of any length. A tenant
 * that has only seals is one whose entries were deleted.
 */
const makeTenants = (sql: SqlClient.SqlClient): AuditSealStore["Service"]["tenants"] => {
  const entries = sql`audit_event AS e${dialectOf(sql).indexedBy("audit_event_of_tenant")}`
  /** The first tenant for which a condition holds; `t` in the condition is the tenant. */
  const firstTenant = (beyond: (t: Statement.Fragment) => Statement.Fragment) =>
    sql`(SELECT min(n.tenant_id) FROM (
      SELECT (SELECT e.tenant_id FROM ${entries} WHERE ${beyond(sql`e.tenant_id`)} ORDER BY e.tenant_id LIMIT 1) AS tenant_id
      UNION ALL
      SELECT (SELECT s.tenant_id FROM audit_seal AS s WHERE ${beyond(sql`s.tenant_id`)} ORDER BY s.tenant_id LIMIT 1)
    ) AS n)`
  return (after, limit) =>
    sql<{ readonly tenant_id: string; readonly newest: unknown; readonly sealed_to: unknown }>`
      WITH RECURSIVE walk(tenant_id, place) AS (
        SELECT ${firstTenant((t) => (after === null ? sql`${t} >= ''` : sql`${t} > ${after}`))}, 1
        UNION ALL
        SELECT ${firstTenant((t) => sql`${t} > walk.tenant_id`)}, walk.place + 1
        FROM walk WHERE walk.tenant_id IS NOT NULL AND walk.place < ${limit}
      )
      SELECT walk.tenant_id,
        (SELECT max(e.position) FROM ${entries} WHERE e.tenant_id = walk.tenant_id) AS newest,
        (SELECT s.last_position FROM audit_seal AS s WHERE s.tenant_id = walk.tenant_id
          ORDER BY s.number DESC LIMIT 1) AS sealed_to
      FROM walk WHERE walk.tenant_id IS NOT NULL ORDER BY walk.place`.pipe(
      Effect.orDie,
      Effect.map((found) =>
        found.map((row) => ({
          tenantId: row.tenant_id,
          newest: numberOrNull(row.newest),
          sealedTo: numberOrNull(row.sealed_to)
        }))
      )
    )
}

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const read = yield* makeReader
  const dialect = dialectOf(sql)
  const source = sql`SELECT ${sql.literal(selectedOfEntry)}
    FROM audit_event AS e${dialect.indexedBy("audit_event_of_tenant")}`
  const between = keepRead<Range>(
    read,
    (at) => sql`${source} WHERE e.tenant_id = ${at("tenantId")} AND e.position > ${at("after")}
      AND e.position <= ${at("upTo")} ORDER BY e.position LIMIT ${at("limit")}`
  )
  const upTo = keepRead<Omit<Range, "after">>(
    read,
    (at) => sql`${source} WHERE e.tenant_id = ${at("tenantId")} AND e.position <= ${at("upTo")}
      ORDER BY e.position LIMIT ${at("limit")}`
  )

  return AuditSealStore.of({
    mark: Effect.gen(function* () {
      const [newest] = yield* dialect.lastPosition("audit_event")
      const writers = yield* dialect.openWriters("audit_event") ?? Effect.succeed([])
      return { position: Number(newest?.position ?? 0), writers: writers.map(({ id }) => id) }
    }).pipe(Effect.orDie),
    tenants: makeTenants(sql),
    entries: (tenantId, range, limit) => {
      const values = { tenantId, upTo: range.upTo, limit }
      const found = range.after === null ? upTo(values) : between({ ...values, after: range.after })
      return Effect.map(Effect.orDie(found), (rows) => rows.map(entryOf))
    },
    newestSeal: (tenantId) =>
      sql<SealRow>`SELECT * FROM audit_seal WHERE tenant_id = ${tenantId} ORDER BY number DESC LIMIT 1`.pipe(
        Effect.orDie,
        Effect.map(([row]) => Option.map(Option.fromNullishOr(row), sealOf))
      ),
    seals: (tenantId, afterNumber, limit) =>
      sql<SealRow>`SELECT * FROM audit_seal WHERE tenant_id = ${tenantId} AND number > ${afterNumber}
        ORDER BY number LIMIT ${limit}`.pipe(
        Effect.orDie,
        Effect.map((rows) => rows.map(sealOf))
      ),
    insert: (seal) =>
      sql`INSERT INTO audit_seal ${sql.insert(rowOf(seal))} ON CONFLICT (tenant_id, number) DO NOTHING`.raw.pipe(
        Effect.orDie,
        Effect.map((answer) => changesOf(answer) === 1)
      )
  })
})

export const layer: Layer.Layer<AuditSealStore, never, SqlClient.SqlClient> = Layer.effect(AuditSealStore, make)
