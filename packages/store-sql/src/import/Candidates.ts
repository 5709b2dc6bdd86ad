import type { Candidate } from "@wcs/domain/import/ImportRow"
import type { Sought } from "@wcs/domain/import/ImportStore"
import { at } from "@wcs/domain/shared/Json"
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { dialectOf } from "../engine/Dialect.ts"
import { jsonOf } from "../engine/StoredJson.ts"

interface Row {
  readonly id: string
  readonly external_id: string
  readonly source_system: string
  readonly display_name: string
  readonly document: string
}

const candidateOf = (row: Row, isMerged: boolean): Candidate => {
  const birthDate = at(jsonOf(row.document, `the document of ${row.id}`), ["identity", "birthDate"])
  return {
    id: row.id,
    externalId: row.external_id,
    sourceSystem: row.source_system,
    name: row.display_name,
    birthDate: typeof birthDate === "string" ? birthDate : undefined,
    isMerged
  }
}

/**
 * Finds workers by external id or display name, a few of each value, and those that continue merged ones with the external
 * id.
 */
export const makeCandidates = (sql: SqlClient.SqlClient) => {
  const dialect = dialectOf(sql)

  const find = (tenantId: string, column: "external_id" | "display_name", within: string, most: number) => {
    const index = dialect.indexedBy(`worker_by_${column}`)
    return (texts: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError> =>
      texts.length === 0
        ? Effect.succeed([])
        : sql<Row>`SELECT c.id, c.external_id, c.source_system, c.display_name, c.document FROM (
            SELECT r.id, r.external_id, r.source_system, r.display_name, r.document,
              ROW_NUMBER() OVER (PARTITION BY ${sql.literal(within)} ORDER BY r.id) AS nth
            FROM worker AS r${index}
            WHERE r.tenant_id = ${tenantId} AND ${dialect.isAmong(`r.${column}`, JSON.stringify(texts))}
            AND r.deleted_at IS NULL
          ) AS c WHERE c.nth <= ${most}`
  }

  const merged = (tenantId: string, texts: ReadonlyArray<string>) =>
    texts.length === 0
      ? Effect.succeed([])
      : sql<Row>`WITH RECURSIVE person (external_id, source_system, id) AS (
            SELECT r.external_id, r.source_system, m.worker_id
            FROM worker AS r${dialect.indexedBy("worker_by_external_id")}, worker_merge AS m
            WHERE r.tenant_id = ${tenantId} AND ${dialect.isAmong("r.external_id", JSON.stringify(texts))}
            AND r.deleted_at IS NOT NULL AND m.tenant_id = ${tenantId} AND m.from_id = r.id AND m.status = 'MERGED'
            UNION SELECT p.external_id, p.source_system, m.worker_id FROM person AS p, worker_merge AS m
            WHERE m.tenant_id = ${tenantId} AND m.from_id = p.id AND m.status = 'MERGED'
          ) SELECT p.id, p.external_id, p.source_system, r.display_name, r.document FROM person AS p, worker AS r
            WHERE r.tenant_id = ${tenantId} AND r.id = p.id AND r.deleted_at IS NULL ORDER BY p.id`

  return Effect.fnUntraced(function* (tenantId: string, { externalIds, names }: Sought) {
    const byId = yield* find(tenantId, "external_id", "r.external_id, r.source_system", 2)(externalIds)
    const byName = yield* find(tenantId, "display_name", "r.display_name", 10)(names)
    const present = [...new Map([...byId, ...byName].map((row) => [row.id, row])).values()]
    const continued = yield* merged(tenantId, externalIds)
    return [...present.map((row) => candidateOf(row, false)), ...continued.map((row) => candidateOf(row, true))]
  })
}
