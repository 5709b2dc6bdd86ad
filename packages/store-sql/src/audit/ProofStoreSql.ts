import type { RecordKind } from "@wcs/domain/audit/RecordVersion"
import { ProofStore } from "@wcs/domain/proof/ProofStore"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Row } from "../engine/Columns.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { makeReader } from "../engine/DirectRead.ts"
import { keep, keepRead } from "../engine/Query.ts"
import {
  entryOf,
  keyOfVersion,
  sealColumns,
  selectedOfEntry,
  selectedOfVersion,
  type VersionRow,
  versionOf
} from "./AuditSealStoreSql.ts"

interface RangeRow extends Row {
  /** The last position of the seal before; null for the first seal. */
  readonly after_position: unknown
}

interface KeptRow extends VersionRow {
  readonly number: unknown
  readonly salt: string | null
  readonly sealed_at: unknown
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const read = yield* makeReader
  const dialect = dialectOf(sql)
  const versions = keep<{ tenantId: string; kind: RecordKind; ids: string; versions: string }, KeptRow>(
    sql,
    (at) => sql`SELECT ${sql.literal(selectedOfVersion)}, s.number, s.salt, a.sealed_at FROM resource_version AS x
      LEFT JOIN record_seal AS s
      ON s.tenant_id = x.tenant_id AND s.kind = x.kind AND s.id = x.id AND s.version = x.version
      LEFT JOIN audit_seal AS a ON a.tenant_id = s.tenant_id AND a.number = s.number
      WHERE x.tenant_id = ${at("tenantId")} AND x.kind = ${at("kind")} AND x.document <> ''
      AND x.id IN (SELECT value FROM ${dialect.texts(at("ids"))})
      AND x.version IN (SELECT CAST(value AS BIGINT) FROM ${dialect.texts(at("versions"))})`
  )
  const entries = keepRead<{ tenantId: string; ids: string; times: string; limit: number }>(
    read,
    (
      at
    ) => sql`SELECT ${sql.literal(selectedOfEntry)} FROM audit_event AS e${dialect.indexedBy("audit_event_of_entity")}
      WHERE e.tenant_id = ${at("tenantId")} AND e.entity_id IN (SELECT value FROM ${dialect.texts(at("ids"))})
      AND e.at IN (SELECT CAST(value AS BIGINT) FROM ${dialect.texts(at("times"))})
      ORDER BY e.position LIMIT ${at("limit")}`
  )
  const newest = keepRead<{ tenantId: string; ids: string; by: number }>(
    read,
    (at) => sql`SELECT ${sql.literal(selectedOfEntry)} FROM audit_event AS e WHERE e.tenant_id = ${at("tenantId")}
      AND e.position IN (SELECT (SELECT n.position FROM audit_event AS n${dialect.indexedBy("audit_event_of_entity")}
        WHERE n.tenant_id = ${at("tenantId")} AND n.entity_id = value AND n.at <= ${at("by")}
        ORDER BY n.position DESC LIMIT 1) FROM ${dialect.texts(at("ids"))})`
  )
  const sealsAt = keep<
    { tenantId: string; positions: string },
    { readonly position: string; readonly number: unknown }
  >(
    sql,
    (at) => sql`SELECT value AS position, (SELECT s.number FROM audit_seal AS s
      WHERE s.tenant_id = ${at("tenantId")} AND s.last_position >= CAST(value AS BIGINT)
      ORDER BY s.last_position LIMIT 1) AS number FROM ${dialect.texts(at("positions"))}`
  )
  const seals = keep<{ tenantId: string; numbers: string }, RangeRow>(
    sql,
    (at) => sql`SELECT s.*, (SELECT b.last_position FROM audit_seal AS b
        WHERE b.tenant_id = ${at("tenantId")} AND b.number = s.number - 1) AS after_position
      FROM audit_seal AS s WHERE s.tenant_id = ${at("tenantId")}
      AND s.number IN (SELECT CAST(value AS BIGINT) FROM ${dialect.texts(at("numbers"))}) ORDER BY s.number`
  )
  /** The entries of seals, each in one range of the index. */
  const entriesOf = (tenantId: string, ranges: ReadonlyArray<RangeRow>) =>
    sql.join(
      " UNION ALL ",
      false
    )(
      ranges.map(
        ({ after_position, count, last_position }) => sql`SELECT * FROM (SELECT ${sql.literal(selectedOfEntry)}
          FROM audit_event AS e${dialect.indexedBy("audit_event_of_tenant")}
          WHERE e.tenant_id = ${tenantId} AND e.position > ${Number(after_position ?? Number.MIN_SAFE_INTEGER)}
          AND e.position <= ${Number(last_position)} ORDER BY e.position LIMIT ${Number(count)}) AS sealed`
      )
    )
  const texts = (values: ReadonlyArray<number>): string => JSON.stringify([...new Set(values)].map(String))

  return ProofStore.of({
    versions: (tenantId, kind, keys) => {
      const asked = new Set(keys.map(keyOfVersion))
      const values = {
        ...{ tenantId, kind, ids: JSON.stringify(keys.map(({ id }) => id)) },
        versions: texts(keys.map(({ version }) => version))
      }
      return Effect.map(Effect.orDie(versions(values)), (found) =>
        found
          .filter((row) => asked.has(keyOfVersion(row)))
          .map((row) => ({
            version: versionOf(row),
            sealed:
              row.salt === null || row.sealed_at === null
                ? null
                : { number: Number(row.number), salt: row.salt, at: Number(row.sealed_at) }
          }))
      )
    },
    entries: (tenantId, ids, times, limit) =>
      Effect.map(Effect.orDie(entries({ tenantId, ids: JSON.stringify(ids), times: texts(times), limit })), (rows) =>
        rows.map(entryOf)
      ),
    newestEntries: (tenantId, ids, by) =>
      Effect.map(Effect.orDie(newest({ tenantId, ids: JSON.stringify(ids), by })), (rows) => rows.map(entryOf)),
    seals: Effect.fnUntraced(function* (tenantId, numbers) {
      const found = yield* Effect.orDie(seals({ tenantId, numbers: texts(numbers) }))
      if (found.length === 0) return []
      const covered = (yield* Effect.orDie(sql`${entriesOf(tenantId, found)}`.values)).map(entryOf)
      return found.map((row) => {
        const seal = sealColumns.of(row)
        const after = row.after_position === null ? undefined : Number(row.after_position)
        const isIn = ({ position }: { readonly position: number }) =>
          position <= seal.lastPosition && (after === undefined || position > after)
        return { seal, entries: covered.filter(isIn).sort((one, two) => one.position - two.position) }
      })
    }),
    sealsAt: (tenantId, positions) =>
      Effect.map(
        Effect.orDie(sealsAt({ tenantId, positions: texts(positions) })),
        (found) =>
          new Map(
            found
              .filter(({ number }) => number !== null)
              .map(({ number, position }) => [Number(position), Number(number)] as const)
          )
      )
  })
})

export const layer = Layer.effect(ProofStore, make)
