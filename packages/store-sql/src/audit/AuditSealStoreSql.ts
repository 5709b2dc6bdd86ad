import type { AuditSeal } from "@wcs/domain/audit/AuditSeal"
import { AuditSealStore, type SaltOf } from "@wcs/domain/audit/AuditSealStore"
import type { LoggedEntry } from "@wcs/domain/audit/LoggedEntry"
import type { RecordKind } from "@wcs/domain/audit/RecordVersion"
import { Effect, Layer, Option, Result, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { makeAtomically } from "../engine/Atomic.ts"
import { type BatchColumns, insertAll, keepInsert } from "../engine/Batch.ts"
import { json, makeColumns, number, type Row, text } from "../engine/Columns.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { makeReader } from "../engine/DirectRead.ts"
import { keep, keepRead } from "../engine/Query.ts"
import { changes, rows, type Script } from "../engine/Script.ts"
import { makeWalk } from "../engine/StoredTenants.ts"
import { auditColumns } from "./RecordsWriter.ts"

const Contents = Schema.fromJsonString(Schema.Array(Schema.String))
const contentsOf = Schema.decodeUnknownOption(Contents)

/** The columns of an entry, in the order of `entryOf`. */
export const selectedOfEntry = ["position", ...Object.keys(auditColumns).filter((column) => column !== "tenant_id")]
  .map((column) => `e.${column}`)
  .join(", ")

const textOf = (value: unknown): string => String(value)
const numberOrNull = (value: unknown): number | null => (value === null ? null : Number(value))
const textOrNull = (value: unknown): string | null => (value === null ? null : String(value))

/** An entry with each column as it is stored, so that a seal covers all of them. */
export const entryOf = (row: ReadonlyArray<unknown>): LoggedEntry => ({
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

/** A seal as it is stored. Contents that are not JSON were altered: the signature then tells. */
export const sealColumns = makeColumns<AuditSeal>({
  tenantId: text,
  number,
  count: number,
  firstId: text,
  lastId: text,
  lastPosition: number,
  entriesHash: text,
  contents: json((stored) => Option.getOrElse(contentsOf(stored), () => [])),
  previousHash: text,
  sealedAt: number,
  signature: text
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
  interface Row {
    readonly tenant_id: string
    readonly newest: unknown
    readonly sealed_to: unknown
  }
  const stateOf = (tenantId: Statement.Fragment) =>
    sql`(SELECT max(e.position) FROM ${entries} WHERE e.tenant_id = ${tenantId}) AS newest,
        (SELECT s.last_position FROM audit_seal AS s WHERE s.tenant_id = ${tenantId}
          ORDER BY s.number DESC LIMIT 1) AS sealed_to`
  const decode = (row: Row) => ({
    tenantId: row.tenant_id,
    newest: numberOrNull(row.newest),
    sealedTo: numberOrNull(row.sealed_to)
  })
  if (dialectOf(sql).isDistributed) {
    const walk = makeWalk(sql)
    const read = ({ id }: { readonly id: string }) =>
      sql<Row>`SELECT CAST(${id} AS TEXT) AS tenant_id, ${stateOf(sql`${id}`)}`
    return (after, limit) =>
      Effect.gen(function* () {
        const deployment = after === null ? yield* read({ id: "" }) : []
        const others = yield* walk(after ?? "", limit - deployment.length, read)
        return [...deployment, ...others].map(decode)
      }).pipe(Effect.orDie)
  }
  return (after, limit) =>
    sql<Row>`
      WITH RECURSIVE walk(tenant_id, place) AS (
        SELECT ${firstTenant((t) => (after === null ? sql`${t} >= ''` : sql`${t} > ${after}`))}, 1
        UNION ALL
        SELECT ${firstTenant((t) => sql`${t} > walk.tenant_id`)}, walk.place + 1
        FROM walk WHERE walk.tenant_id IS NOT NULL AND walk.place < ${limit}
      )
      SELECT walk.tenant_id, ${stateOf(sql.literal("walk.tenant_id"))}
      FROM walk WHERE walk.tenant_id IS NOT NULL ORDER BY walk.place`.pipe(
      Effect.orDie,
      Effect.map((found) => found.map(decode))
    )
}

/** The columns of `RecordVersion` in rows `x`. */
export const selectedOfVersion = [
  "kind",
  "id",
  "version",
  "worker_id",
  "applicant_id",
  "created_at",
  "updated_at",
  "deleted_at",
  "document"
]
  .map((column) => `x.${column}`)
  .join(", ")

export interface VersionRow {
  readonly kind: RecordKind
  readonly id: string
  readonly version: unknown
  readonly worker_id: string
  readonly applicant_id: string
  readonly created_at: unknown
  readonly updated_at: unknown
  readonly deleted_at: unknown
  readonly document: string
}

export const versionOf = (row: VersionRow) => ({
  kind: row.kind,
  id: row.id,
  version: Number(row.version),
  workerId: row.worker_id,
  applicantId: row.applicant_id,
  createdAt: Number(row.created_at),
  updatedAt: Number(row.updated_at),
  deletedAt: numberOrNull(row.deleted_at),
  document: row.document
})

/** Reads the versions after the last sealed one of each record, by the primary keys of both tables. */
const makeUnsealed = (sql: SqlClient.SqlClient): AuditSealStore["Service"]["unsealedVersions"] => {
  const dialect = dialectOf(sql)
  const query = keep<{ tenantId: string; kind: RecordKind; ids: string; limit: number }, VersionRow>(
    sql,
    (at) => sql`SELECT ${sql.literal(selectedOfVersion)} FROM ${dialect.texts(at("ids"))}
      ${dialect.joinEach(
        "resource_version",
        "x",
        (columns) => sql`SELECT v.${columns} FROM resource_version AS v
          WHERE v.tenant_id = ${at("tenantId")} AND v.kind = ${at("kind")} AND v.id = value
          AND v.version > COALESCE((SELECT max(s.version) FROM record_seal AS s
            WHERE s.tenant_id = ${at("tenantId")} AND s.kind = ${at("kind")} AND s.id = value), 0)`
      )}
      WHERE x.document <> '' ORDER BY x.version DESC, x.id LIMIT ${at("limit")}`
  )
  return (tenantId, kind, ids, limit) =>
    Effect.map(Effect.orDie(query({ tenantId, kind, ids: JSON.stringify(ids), limit })), (found) =>
      found.map(versionOf)
    )
}

const saltColumns = {
  tenant_id: "TEXT",
  kind: "TEXT",
  id: "TEXT",
  version: "BIGINT",
  number: "BIGINT",
  salt: "TEXT"
} as const satisfies BatchColumns

/** Names a version of a record of a kind. */
export const keyOfVersion = ({ id, version }: { readonly id: string; readonly version: unknown }): string =>
  `${version} ${id}`

/** Stores a seal with the salts of its versions. A version that is being erased is locked first, or found erased. */
const makeInsert = (sql: SqlClient.SqlClient) => {
  const dialect = dialectOf(sql)
  const write = keepInsert(sql, saltColumns, (batch) => insertAll(sql, "record_seal", saltColumns, batch))
  return function* (seal: AuditSeal, salts: ReadonlyArray<SaltOf>): Script<Result.Result<boolean>> {
    const stored = yield* changes(
      sql`INSERT INTO audit_seal ${sql.insert(sealColumns.row(seal))} ON CONFLICT (tenant_id, number) DO NOTHING`
    )
    if (stored === 0) return Result.succeed(false)
    const present = new Map<string, ReadonlySet<string>>()
    for (const [kind, some] of Map.groupBy(salts, (salt) => salt.kind)) {
      const texts = (values: ReadonlyArray<string>) => dialect.texts(JSON.stringify([...new Set(values)]))
      const found = yield* rows(sql<
        Pick<VersionRow, "id" | "version">
      >`SELECT x.id, x.version FROM resource_version AS x
        WHERE x.tenant_id = ${seal.tenantId} AND x.kind = ${kind} AND x.document <> ''
        AND x.id IN (SELECT value FROM ${texts(some.map(({ id }) => id))})
        AND x.version IN (SELECT CAST(value AS BIGINT) FROM ${texts(some.map(({ version }) => String(version)))})
        AND CAST(x.version AS TEXT) || ' ' || x.id IN
          (SELECT value FROM ${texts(some.map(keyOfVersion))}) ORDER BY x.id, x.version${dialect.forShare}`)
      present.set(kind, new Set(found.map(keyOfVersion)))
    }
    yield* write(
      salts.map((salt) => ({
        tenant_id: seal.tenantId,
        kind: salt.kind,
        id: salt.id,
        version: salt.version,
        number: seal.number,
        salt: present.get(salt.kind)?.has(keyOfVersion(salt)) === true ? salt.salt : ""
      }))
    )
    return Result.succeed(true)
  }
}

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const atomically = yield* makeAtomically
  const insert = makeInsert(sql)
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
      sql<Row>`SELECT * FROM audit_seal WHERE tenant_id = ${tenantId} ORDER BY number DESC LIMIT 1`.pipe(
        Effect.orDie,
        Effect.map(([row]) => Option.map(Option.fromNullishOr(row), sealColumns.of))
      ),
    seals: (tenantId, afterNumber, limit) =>
      sql<Row>`SELECT * FROM audit_seal WHERE tenant_id = ${tenantId} AND number > ${afterNumber}
        ORDER BY number LIMIT ${limit}`.pipe(
        Effect.orDie,
        Effect.map((rows) => rows.map(sealColumns.of))
      ),
    unsealedVersions: makeUnsealed(sql),
    insert: (seal, salts = []) => atomically(() => insert(seal, salts))
  })
})

export const layer = Layer.effect(AuditSealStore, make)
