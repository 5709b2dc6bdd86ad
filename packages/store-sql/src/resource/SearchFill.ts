import { Credential } from "@wcs/domain/credential/Credential"
import { Applicant } from "@wcs/domain/people/Applicant"
import { Worker } from "@wcs/domain/people/Worker"
import { columnValue, type Resource, wordsOf } from "@wcs/domain/resource/Resource"
import { ComplianceCheck } from "@wcs/domain/screening/ComplianceCheck"
import { ScreeningPackage } from "@wcs/domain/screening/ScreeningPackage"
import { cardKey } from "@wcs/domain/shared/CardNumber"
import { isObject, type JsonObject } from "@wcs/domain/shared/Json"
import { wordsOfUser } from "@wcs/domain/user/User"
import { Webhook } from "@wcs/domain/webhook/Webhook"
import { Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import { type AccountRow, accountColumns, accountOf } from "../access/AccessRows.ts"
import { detailOf, dialectOf } from "../engine/Dialect.ts"
import { StoreError } from "../engine/StoreError.ts"
import { wordsText } from "./SearchRows.ts"

/** Rows per transaction. */
const batchSize = 500

/** A row without words. */
interface Unsearched {
  readonly tenant_id: string
  readonly id: string
}

/** How the words of a table are computed from rows `r`. */
interface Filled<Row extends Unsearched> {
  readonly table: string
  readonly kind: string
  /** The columns that `wordsOf` and `othersOf` need, besides tenant and id. */
  readonly selected: string
  readonly wordsOf: (row: Row) => ReadonlyArray<string>
  /** Columns whose form changed together with the words. */
  readonly others: ReadonlyArray<string>
  readonly othersOf: (row: Row) => Readonly<Record<string, string>>
}

interface DocumentRow extends Unsearched {
  readonly document: string
}

/** A damaged document has no fields. */
const fieldsOf = ({ document }: DocumentRow): JsonObject => {
  const parsed = Result.try((): unknown => JSON.parse(document))
  return Result.isSuccess(parsed) && isObject(parsed.success) ? parsed.success : {}
}

const ofResource = (resource: Resource): Filled<DocumentRow> => {
  const others = Object.keys(resource.columns).filter((column) => resource.columns[column]?.card === true)
  return {
    table: resource.type,
    kind: resource.type,
    selected: "r.document",
    wordsOf: (row) => wordsOf(resource, fieldsOf(row)),
    others,
    othersOf: (row) =>
      Object.fromEntries(others.map((column) => [column, columnValue(resource, column, fieldsOf(row))]))
  }
}

interface PersonRow extends Unsearched, AccountRow {
  readonly first_name: string
  readonly surname: string
}

const ofUsers: Filled<PersonRow> = {
  table: "account",
  kind: "user",
  selected: `r.first_name, r.surname, ${accountColumns.replaceAll("a.", "r.")}`,
  wordsOf: (row) =>
    row.account_kind === "user"
      ? wordsOfUser({ account: accountOf(row), firstName: row.first_name, surname: row.surname })
      : [],
  others: [],
  othersOf: () => ({})
}

/** Computes the words of the next rows without any, in one transaction. Returns the number of rows. */
const fillNext = Effect.fnUntraced(function* <Row extends Unsearched>(filled: Filled<Row>) {
  const sql = yield* SqlClient.SqlClient
  const dialect = dialectOf(sql)
  const table = sql.literal(filled.table)
  yield* dialect.lockMigrations
  const rows = yield* sql<Row>`SELECT r.tenant_id, r.id, ${sql.literal(filled.selected)}
    FROM ${table} AS r${dialect.indexedBy(`${filled.table}_unsearched`)}
    WHERE r.words IS NULL ORDER BY r.tenant_id, r.id LIMIT ${batchSize}${dialect.forUpdate}`
  if (rows.length === 0) return 0
  const changed = rows.map((row) => {
    const words = filled.wordsOf(row)
    return { tenant: row.tenant_id, id: row.id, list: words, words: wordsText(words), ...filled.othersOf(row) }
  })
  const set = ["words", ...filled.others].map((column) => `${column} = value ->> '${column}'`)
  yield* sql`UPDATE ${table} AS r SET ${sql.literal(set.join(", "))} FROM ${dialect.objects(JSON.stringify(changed))}
    WHERE r.tenant_id = value ->> 'tenant' AND r.id = value ->> 'id'`
  const entries = changed.flatMap(({ id, list, tenant }) => list.map((word) => ({ tenant, id, word })))
  yield* sql`INSERT INTO search_word (tenant_id, kind, word, id)
    SELECT value ->> 'tenant', CAST(${filled.kind} AS TEXT), value ->> 'word', value ->> 'id'
    FROM ${dialect.objects(JSON.stringify(entries))} WHERE true ON CONFLICT DO NOTHING`
  return rows.length
})

/** Computes the compared form of the next scans without any. Returns their number. */
const fillNextScans = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const dialect = dialectOf(sql)
  yield* dialect.lockMigrations
  const rows = yield* sql<{ readonly tenant_id: string; readonly position: unknown; readonly identifier: string }>`
    SELECT r.tenant_id, r.position, r.identifier FROM scan AS r${dialect.indexedBy("scan_unsearched")}
    WHERE r.card IS NULL ORDER BY r.tenant_id, r.position LIMIT ${batchSize}${dialect.forUpdate}`
  if (rows.length === 0) return 0
  const changed = rows.map((row) => ({
    tenant: row.tenant_id,
    position: Number(row.position),
    card: cardKey(row.identifier)
  }))
  yield* sql`UPDATE scan AS r SET card = value ->> 'card' FROM ${dialect.objects(JSON.stringify(changed))}
    WHERE r.tenant_id = value ->> 'tenant' AND r.position = CAST(value ->> 'position' AS BIGINT)`
  return rows.length
})

/** Fills a table batch by batch, each in a transaction. */
const fillAll = Effect.fnUntraced(function* <E, R>(table: string, next: Effect.Effect<number, E, R>) {
  const sql = yield* SqlClient.SqlClient
  let total = 0
  for (let count = -1; count !== 0; total += Math.max(0, count)) count = yield* sql.withTransaction(next)
  if (total > 0) yield* Effect.logInfo(`The search words of ${total} rows of the table ${table} were computed`)
})

/**
 * Computes the words of rows that have none: those of versions before the words, and those that such a version wrote
 * after the migration. Each batch is a transaction, so a killed start continues. Concurrent starts take turns.
 */
export const fillSearchWords: Effect.Effect<void, StoreError, SqlClient.SqlClient> = Effect.gen(function* () {
  for (const resource of [Worker, Applicant, Credential, Webhook, ScreeningPackage, ComplianceCheck]) {
    yield* fillAll(resource.type, fillNext(ofResource(resource)))
  }
  yield* fillAll("account", fillNext(ofUsers))
  yield* fillAll("scan", fillNextScans)
}).pipe(Effect.mapError((error) => new StoreError({ reason: { _tag: "Unreadable", detail: detailOf(error) } })))
