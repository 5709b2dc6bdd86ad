import type { AuditEntry } from "@wcs/domain/audit/AuditEntry"
import {
  DuplicateStore,
  type Group,
  type GroupKey,
  groupMax,
  type Pair,
  type Place,
  type Reason
} from "@wcs/domain/merge/DuplicateStore"
import { Effect, Layer, Result } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { AccessEpoch } from "../access/AccessEpoch.ts"
import { makeRecordsWriter } from "../audit/RecordsWriter.ts"
import { makeAtomically } from "../engine/Atomic.ts"
import { ReadLimits } from "../engine/BoundedReads.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { changes, rows, type Script } from "../engine/Script.ts"

/** Rows with equal keys: their table, their columns, and the index that has them in order. */
interface Alike {
  readonly table: "worker" | "credential"
  readonly columns: ReadonlyArray<string>
  readonly index: string
  /** The column with the worker. */
  readonly worker: string
}

const alike: Readonly<Record<Reason, Alike>> = {
  EXTERNAL_ID: { table: "worker", columns: ["external_id"], index: "worker_same_external_id", worker: "id" },
  NAME: { table: "worker", columns: ["name_key"], index: "worker_same_name", worker: "id" },
  CARD: {
    table: "credential",
    columns: ["credential_type", "identifier"],
    index: "credential_same_card",
    worker: "worker_id"
  }
}

/** Index entries cost about a tenth of rows with their documents, so a statement may read more of them. */
const entriesPerRow = 10

/** The most cards of one number whose owners are read. */
const cardsMax = 50

/** The condition of the index: rows with a key that are not deleted. */
const isKeyed = ({ columns }: Alike): string => `r.deleted_at IS NULL AND r.${columns.at(-1)} <> ''`

interface KeyRow {
  readonly key_0: string
  readonly key_1?: string
  /** The number of rows of the key in the chunk. */
  readonly size: unknown
  /** The number of all rows of the chunk. */
  readonly seen: unknown
}

const keyOf = ({ columns }: Alike, row: KeyRow): GroupKey => [row.key_0, row.key_1 ?? ""].slice(0, columns.length)

/** Finds keys of several rows. */
const makeKeys = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const dialect = dialectOf(sql)
  const examined = entriesPerRow * (yield* ReadLimits).examined

  /** The keys of several rows among the next index entries, and the last key of these. */
  const chunk = (like: Alike, tenantId: string, from: Place | undefined) => {
    const { columns, index, table } = like
    const named = columns.map((column, n) => `r.${column} AS key_${n}`).join(", ")
    const keys = columns.map((_, n) => `key_${n}`).join(", ")
    const order = [...columns, "id"].map((column) => `r.${column}`).join(", ")
    const beyond =
      from === undefined
        ? sql``
        : sql` AND (${sql.literal(columns.map((column) => `r.${column}`).join(", "))})
          ${sql.literal(from.isIncluded ? ">=" : ">")} (${sql.csv(from.key.map((value) => sql`${value}`))})`
    return sql<KeyRow>`WITH entry AS MATERIALIZED (
        SELECT ${sql.literal(named)} FROM ${sql.literal(table)} AS r${dialect.indexedBy(index)}
        WHERE r.tenant_id = ${tenantId} AND ${sql.literal(isKeyed(like))}${beyond}
        ORDER BY ${sql.literal(order)} LIMIT ${examined})
      SELECT ${sql.literal(keys)}, size, (SELECT count(*) FROM entry) AS seen FROM (
        SELECT ${sql.literal(keys)}, count(*) AS size, row_number() OVER (ORDER BY ${sql.literal(
          columns.map((_, n) => `key_${n} DESC`).join(", ")
        )}) AS place FROM entry GROUP BY ${sql.literal(keys)}) AS grouped
      WHERE size > 1 OR place = 1 ORDER BY ${sql.literal(keys)}`
  }

  return Effect.fnUntraced(function* (
    like: Alike,
    tenantId: string,
    from: Place | undefined,
    limit: number
  ): Effect.fn.Return<ReadonlyArray<GroupKey>, SqlError.SqlError> {
    const found: Array<GroupKey> = []
    for (let place = from; ; ) {
      const read = yield* chunk(like, tenantId, place)
      const last = read.at(-1)
      if (last === undefined) return found
      const isEnd = Number(last.seen) < examined
      const isOneKey = Number(last.size) === examined
      for (const row of read) {
        // The last key of a full chunk can have more rows. The next chunk begins with it, unless it fills a chunk.
        if (Number(row.size) > 1 && (row !== last || isEnd || isOneKey)) found.push(keyOf(like, row))
        if (found.length === limit) return found
      }
      if (isEnd) return found
      place = { key: keyOf(like, last), isIncluded: !isOneKey }
      yield* Effect.yieldNow
    }
  })
})

/** Reads the workers of keys. */
const makeMembers = (sql: SqlClient.SqlClient) => {
  const dialect = dialectOf(sql)
  return Effect.fnUntraced(function* (
    like: Alike,
    tenantId: string,
    keys: ReadonlyArray<GroupKey>
  ): Effect.fn.Return<ReadonlyArray<Group>, SqlError.SqlError> {
    if (keys.length === 0) return []
    const { columns, index, table, worker } = like
    const selects = keys.map((key, n) => {
      const equal = columns.map((column, at) => sql`r.${sql.literal(column)} = ${key[at] ?? ""}`)
      return sql`SELECT * FROM (SELECT ${sql.literal(String(n))} AS nth, r.${sql.literal(worker)} AS worker_id
        FROM ${sql.literal(table)} AS r${dialect.indexedBy(index)} WHERE r.tenant_id = ${tenantId}
        AND ${sql.and(equal)} AND ${sql.literal(isKeyed(like))}
        ORDER BY r.id LIMIT ${table === "worker" ? groupMax : cardsMax}) AS member`
    })
    const found = yield* sql<{ readonly nth: unknown; readonly worker_id: string }>`
      ${sql.join(" UNION ALL ", false)(selects)}`
    const byKey = Map.groupBy(found, ({ nth }) => Number(nth))
    return keys.map((key, n) => {
      const owners = (byKey.get(n) ?? []).map((row) => row.worker_id).filter((id) => id !== "")
      return { key, workers: [...new Set(owners)].sort().slice(0, groupMax) }
    })
  })
}

interface PairRow {
  readonly worker_id: string
  readonly other_id: string
}

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const dialect = dialectOf(sql)
  const atomically = yield* makeAtomically
  const keys = yield* makeKeys
  const members = makeMembers(sql)
  const records = makeRecordsWriter(sql)

  function* dismiss<E>(
    tenantId: string,
    pair: Pair,
    decide: Parameters<DuplicateStore["Service"]["dismiss"]>[2]
  ): Script<Result.Result<void, E>> {
    const there = yield* rows(sql<{ readonly id: string }>`SELECT r.id FROM worker AS r
      WHERE r.tenant_id = ${tenantId} AND ${sql.in("r.id", pair)} AND r.deleted_at IS NULL
      ORDER BY r.id${dialect.forShare}`)
    const known = yield* rows(sql`SELECT 1 AS known FROM distinct_worker AS d
      WHERE d.tenant_id = ${tenantId} AND d.worker_id = ${pair[0]} AND d.other_id = ${pair[1]}`)
    const isThere = (id: string) => there.some((row) => row.id === id)
    const decided = decide({
      present: [isThere(pair[0]), isThere(pair[1])],
      isDismissed: known.length > 0
    }) as Result.Result<AuditEntry | null, E>
    if (Result.isFailure(decided)) return Result.fail(decided.failure)
    if (decided.success === null) return Result.void
    const row = { tenant_id: tenantId, worker_id: pair[0], other_id: pair[1] }
    const written = yield* changes(sql`INSERT INTO distinct_worker ${sql.insert(row)}
      ON CONFLICT (tenant_id, worker_id, other_id) DO NOTHING`)
    if (written > 0) yield* records.audit(tenantId, [decided.success])
    return Result.void
  }

  return DuplicateStore.of({
    groups: Effect.fn("DuplicateStore.groups")((tenantId, reason, from, limit) =>
      Effect.orDie(
        Effect.flatMap(keys(alike[reason], tenantId, from, limit), (found) => members(alike[reason], tenantId, found))
      )
    ),
    dismissed: Effect.fn("DuplicateStore.dismissed")((tenantId, workers) =>
      workers.length === 0
        ? Effect.succeed([])
        : sql<PairRow>`SELECT d.worker_id, d.other_id FROM distinct_worker AS d WHERE d.tenant_id = ${tenantId}
            AND ${sql.in("d.worker_id", workers)} AND ${sql.in("d.other_id", workers)}`.pipe(
            Effect.orDie,
            Effect.map((found) => found.map(({ other_id, worker_id }): Pair => [worker_id, other_id]))
          )
    ),
    dismiss: (tenantId, pair, decide) => atomically(() => dismiss(tenantId, pair, decide))
  })
})

export const layer: Layer.Layer<DuplicateStore, never, SqlClient.SqlClient | AccessEpoch> = Layer.effect(
  DuplicateStore,
  make
)
