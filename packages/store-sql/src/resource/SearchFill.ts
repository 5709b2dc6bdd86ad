import { Credential } from "@wcs/domain/holding/Credential"
import { Applicant } from "@wcs/domain/people/Applicant"
import { Worker } from "@wcs/domain/people/Worker"
import { type Column, columnValue, type Resource, wordsOf } from "@wcs/domain/resource/Resource"
import { ComplianceCheck } from "@wcs/domain/screening/ComplianceCheck"
import { ScreeningPackage } from "@wcs/domain/screening/ScreeningPackage"
import { cardKey } from "@wcs/domain/shared/CardNumber"
import { isObject, type JsonObject } from "@wcs/domain/shared/Json"
import { wordsOfUser } from "@wcs/domain/user/User"
import { Webhook } from "@wcs/domain/webhook/Webhook"
import { Effect, Result } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { account } from "../access/AccessRows.ts"
import { retrying } from "../engine/Atomic.ts"
import type { Row } from "../engine/Columns.ts"
import { detailOf, dialectOf } from "../engine/Dialect.ts"
import { StoreError } from "../engine/StoreError.ts"
import { isUnsearched, wordsSource } from "../migrations/SearchTables.ts"
import { wordsIn, wordsText } from "./SearchRows.ts"

/** Rows per transaction. */
const batchSize = 500

/** A row whose words are missing or out of date. */
interface Unsearched {
  readonly tenant_id: string
  readonly id: string
  readonly words: string | null
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
  const isComputed = ({ born, card }: Column) => card === true || born !== undefined
  const others = Object.entries(resource.columns).flatMap(([name, column]) => (isComputed(column) ? [name] : []))
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

interface PersonRow extends Unsearched, Row {
  readonly first_name: string
  readonly surname: string
}

const ofUsers: Filled<PersonRow> = {
  table: "account",
  kind: "user",
  selected: `r.first_name, r.surname, ${account.selected("r")}`,
  wordsOf: (row) =>
    row["account_kind"] === "user"
      ? wordsOfUser({ account: account.of(row), firstName: row.first_name, surname: row.surname })
      : [],
  others: [],
  othersOf: () => ({})
}

/** The rows of one transaction: their number, and the key of the last one. */
interface Batch {
  readonly count: number
  readonly last: readonly [tenantId: string, key: string | number] | undefined
}

/** The only tenant of the rows of a transaction on a distributed Postgres: that of the first row of a FROM in order. */
const onlyTenant = Effect.fnUntraced(function* (ordered: Statement.Fragment) {
  const sql = yield* SqlClient.SqlClient
  if (!dialectOf(sql).isDistributed) {
    return { isLast: true, condition: () => sql``, value: sql`value ->> 'tenant'` }
  }
  const [first] = yield* sql<{ readonly tenant_id: string }>`SELECT r.tenant_id ${ordered} LIMIT 1`
  const tenantId = first?.tenant_id ?? ""
  return {
    /** Whether no rows mean that there are none of later tenants either. A write may just have filled the found row. */
    isLast: first === undefined,
    condition: (prefix: string) => sql` AND ${sql.literal(prefix)}tenant_id = ${tenantId}`,
    value: sql`CAST(${tenantId} AS TEXT)`
  }
})

/** Computes the words of the next rows that need it, in one transaction. */
const fillNext = Effect.fnUntraced(function* <Row extends Unsearched>(filled: Filled<Row>, after: Batch | undefined) {
  const sql = yield* SqlClient.SqlClient
  const dialect = dialectOf(sql)
  const table = sql.literal(filled.table)
  yield* dialect.lockMigrations
  const isAfter =
    after?.last === undefined ? sql`` : sql` AND (r.tenant_id, r.id) > (${after.last[0]}, ${after.last[1]})`
  const source = sql`FROM ${table} AS r${dialect.indexedBy(`${filled.table}_unsearched`)}
    WHERE ${sql.literal(isUnsearched(filled.table, "r."))}${isAfter}`
  const only = yield* onlyTenant(sql`${source} ORDER BY r.tenant_id, r.id`)
  const rows = yield* sql<Row>`SELECT r.tenant_id, r.id, r.words, ${sql.literal(filled.selected)}
    ${source}${only.condition("r.")}
    ORDER BY r.tenant_id, r.id LIMIT ${batchSize}${dialect.forUpdate}`
  const end = rows.at(-1)
  if (end === undefined) return only.isLast ? undefined : { count: 0, last: after?.last }
  const changed = rows.map((row) => {
    const words = filled.wordsOf(row)
    const gone = wordsIn(row.words ?? "").filter((word) => !words.includes(word))
    return { tenant: row.tenant_id, id: row.id, list: words, gone, words: wordsText(words), ...filled.othersOf(row) }
  })
  const set = [
    ...["words", ...filled.others].map((column) => `${column} = value ->> '${column}'`),
    `words_of = ${wordsSource(filled.table, "r.")}`
  ]
  yield* sql`UPDATE ${table} AS r SET ${sql.literal(set.join(", "))} FROM ${dialect.objects(JSON.stringify(changed))}
    WHERE r.tenant_id = ${only.value} AND r.id = value ->> 'id'`
  const gone = changed.flatMap(({ gone, id, tenant }) => gone.map((word) => ({ tenant, id, word })))
  if (gone.length > 0) {
    yield* sql`DELETE FROM search_word WHERE kind = ${filled.kind}${only.condition("")} AND (tenant_id, word, id) IN
      (SELECT value ->> 'tenant', value ->> 'word', value ->> 'id' FROM ${dialect.objects(JSON.stringify(gone))})`
  }
  const entries = changed.flatMap(({ id, list, tenant }) => list.map((word) => ({ tenant, id, word })))
  yield* sql`INSERT INTO search_word (tenant_id, kind, word, id)
    SELECT ${only.value}, CAST(${filled.kind} AS TEXT), value ->> 'word', value ->> 'id'
    FROM ${dialect.objects(JSON.stringify(entries))} WHERE true ON CONFLICT DO NOTHING`
  return { count: rows.length, last: [end.tenant_id, end.id] } satisfies Batch
})

/** Computes the compared form of the next scans without any. */
const fillNextScans = Effect.fnUntraced(function* (after: Batch | undefined) {
  const sql = yield* SqlClient.SqlClient
  const dialect = dialectOf(sql)
  yield* dialect.lockMigrations
  const isAfter =
    after?.last === undefined ? sql`` : sql` AND (r.tenant_id, r.position) > (${after.last[0]}, ${after.last[1]})`
  const source = sql`FROM scan AS r${dialect.indexedBy("scan_unsearched")} WHERE r.card IS NULL${isAfter}`
  const only = yield* onlyTenant(sql`${source} ORDER BY r.tenant_id, r.position`)
  const rows = yield* sql<{ readonly tenant_id: string; readonly position: unknown; readonly identifier: string }>`
    SELECT r.tenant_id, r.position, r.identifier ${source}${only.condition("r.")} ORDER BY r.tenant_id, r.position LIMIT ${batchSize}${dialect.forUpdate}`
  const end = rows.at(-1)
  if (end === undefined) return only.isLast ? undefined : { count: 0, last: after?.last }
  const changed = rows.map((row) => ({
    tenant: row.tenant_id,
    position: Number(row.position),
    card: cardKey(row.identifier)
  }))
  yield* sql`UPDATE scan AS r SET card = value ->> 'card' FROM ${dialect.objects(JSON.stringify(changed))}
    WHERE r.tenant_id = ${only.value} AND r.position = CAST(value ->> 'position' AS BIGINT)`
  return { count: rows.length, last: [end.tenant_id, Number(end.position)] } satisfies Batch
})

/** Fills a table batch by batch, each in a transaction that runs again after a lost race with a server's write. */
const fillAll = Effect.fnUntraced(function* <E, R>(
  table: string,
  fill: (after: Batch | undefined) => Effect.Effect<Batch | undefined, E, R>
) {
  const sql = yield* SqlClient.SqlClient
  const next = (after: Batch | undefined) => retrying(sql.withTransaction(fill(after)))
  let total = 0
  for (let batch = yield* next(undefined); batch !== undefined; batch = yield* next(batch)) total += batch.count
  if (total > 0) yield* Effect.logInfo(`The search words of ${total} rows of the table ${table} were computed`)
})

/**
 * Computes the words of rows that versions before the words have written, before the migration or after it. Each batch is a transaction, so a killed start continues. Concurrent starts take turns.
 */
export const fillSearchWords: Effect.Effect<void, StoreError, SqlClient.SqlClient> = Effect.gen(function* () {
  for (const resource of [Worker, Applicant, Credential, Webhook, ScreeningPackage, ComplianceCheck]) {
    yield* fillAll(resource.type, (after) => fillNext(ofResource(resource), after))
  }
  yield* fillAll("account", (after) => fillNext(ofUsers, after))
  yield* fillAll("scan", fillNextScans)
}).pipe(Effect.mapError((error) => new StoreError({ reason: { _tag: "Unreadable", detail: detailOf(error) } })))
