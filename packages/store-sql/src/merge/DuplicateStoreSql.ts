import type { AuditEntry } from "@wcs/domain/audit/AuditEntry"
import {
  DuplicateStore,
  type Group,
  groupMax,
  type Pair,
  type Place,
  type Reason
} from "@wcs/domain/merge/DuplicateStore"
import { Effect, Layer, Result } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { makeRecordsWriter } from "../audit/RecordsWriter.ts"
import { makeAtomically } from "../engine/Atomic.ts"
import { ReadLimits } from "../engine/BoundedReads.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { changes, rows, type Script } from "../engine/Script.ts"

/** Rows with equal keys. */
interface Alike {
  readonly table: "worker" | "credential"
  readonly column: string
  /** The index that has the rows in the order of their keys. */
  readonly index: string
  /** The order of rows with one key in the index. */
  readonly order: string
}

const alike: Readonly<Record<Reason, Alike>> = {
  EXTERNAL_ID: { table: "worker", column: "external_id", index: "worker_by_external_id", order: "r.id" },
  NAME: { table: "worker", column: "name_key", index: "worker_of_name_key", order: "r.created_at, r.id" },
  CARD: { table: "credential", column: "identifier", index: "credential_of_identifier", order: "r.created_at, r.id" }
}

/** Index entries cost about a tenth of rows with their documents, so a statement may read more of them. */
const entriesPerRow = 10

/** The most cards of one number whose owners are read. */
const cardsMax = 50

/** A key of the index. Rows without a value have the key ''. */
interface Position {
  readonly key: string
  readonly isIncluded: boolean
}

interface KeyRow {
  readonly key: string
}

/**
 * Finds keys that several rows have, deleted rows too. An index has equal keys side by side, so nothing is sorted or kept. On
 * an engine in this process, a statement reads a part of the index.
 */
const makeKeys = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const dialect = dialectOf(sql)
  const examined = entriesPerRow * (yield* ReadLimits).examined

  const entries = ({ column, index, table }: Alike, tenantId: string, { isIncluded, key }: Position) =>
    sql`SELECT r.${sql.literal(column)} AS key FROM ${sql.literal(table)} AS r${dialect.indexedBy(index)}
      WHERE r.tenant_id = ${tenantId} AND r.${sql.literal(column)} ${sql.literal(isIncluded ? ">=" : ">")} ${key}`

  /** The first key behind the entries that a statement reads. */
  const endOf = (like: Alike, tenantId: string, from: Position) =>
    sql<KeyRow>`${entries(like, tenantId, from)} ORDER BY r.${sql.literal(like.column)} LIMIT 1 OFFSET ${examined}`

  const repeated = (like: Alike, tenantId: string, from: Position, end: string | undefined, limit: number) => {
    const column = sql.literal(`r.${like.column}`)
    const isBefore = end === undefined ? sql.literal("") : sql` AND ${column} < ${end}`
    return sql<KeyRow>`${entries(like, tenantId, from)}${isBefore}
      GROUP BY ${column} HAVING count(*) > 1 ORDER BY ${column} LIMIT ${limit}`
  }

  return Effect.fnUntraced(function* (
    like: Alike,
    tenantId: string,
    from: Position,
    limit: number
  ): Effect.fn.Return<ReadonlyArray<string>, SqlError.SqlError> {
    const found: Array<string> = []
    for (let place = from; ; ) {
      const [end] = dialect.blocks ? yield* endOf(like, tenantId, place) : []
      // If all these entries have one key, nothing is before their end.
      const isOneKey = place.isIncluded && end?.key === place.key
      const keys = isOneKey ? [place] : yield* repeated(like, tenantId, place, end?.key, limit - found.length)
      found.push(...keys.map(({ key }) => key))
      if (end === undefined || found.length === limit) return found
      place = { key: end.key, isIncluded: !isOneKey }
      yield* Effect.yieldNow
    }
  })
})

interface MemberRow {
  readonly nth: unknown
  readonly worker_id: string
  readonly kind: string
}

/** Reads the groups of keys. Cards of one number and of different types are different groups. */
const makeGroups = (sql: SqlClient.SqlClient) => {
  const dialect = dialectOf(sql)
  const members = ({ column, index, order, table }: Alike, tenantId: string, key: string, nth: number) => {
    const [worker, kind] = table === "worker" ? ["r.id", "''"] : ["r.worker_id", "r.credential_type"]
    return sql`SELECT * FROM (SELECT ${sql.literal(`${nth} AS nth, ${worker} AS worker_id, ${kind} AS kind`)}
      FROM ${sql.literal(table)} AS r${dialect.indexedBy(index)}
      WHERE r.tenant_id = ${tenantId} AND r.${sql.literal(column)} = ${key}
      AND r.deleted_at IS NULL ORDER BY ${sql.literal(order)}
      LIMIT ${table === "worker" ? groupMax : cardsMax}) AS member`
  }

  return Effect.fnUntraced(function* (
    like: Alike,
    tenantId: string,
    keys: ReadonlyArray<string>
  ): Effect.fn.Return<ReadonlyArray<Group>, SqlError.SqlError> {
    if (keys.length === 0) return []
    const found = yield* sql<MemberRow>`
      ${sql.join(" UNION ALL ", false)(keys.map((key, nth) => members(like, tenantId, key, nth)))}`
    const rowsOf = Map.groupBy(found, ({ nth }) => Number(nth))
    return keys.flatMap((key, nth) => {
      const byKind = [...Map.groupBy(rowsOf.get(nth) ?? [], ({ kind }) => kind)].sort(([a], [b]) => (a < b ? -1 : 1))
      return byKind.map(([kind, some]): Group => {
        const owners = new Set(some.map(({ worker_id }) => worker_id).filter((id) => id !== ""))
        return { key: [key, kind], workers: [...owners].sort().slice(0, groupMax) }
      })
    })
  })
}

/** Whether a group comes behind a place. */
const isBehind = ({ key: [value = "", kind = ""] }: Group, { isIncluded, key: [from = "", fromKind = ""] }: Place) => {
  if (value !== from) return true // the store reads in the order of its index, which is not that of this language
  return kind > fromKind || (isIncluded && kind === fromKind)
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
  const groupsOf = makeGroups(sql)
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
    groups: Effect.fn("DuplicateStore.groups")(function* (tenantId, reason, from, limit) {
      const like = alike[reason]
      // A value can have groups of several kinds. Within a value, its groups are read again.
      const isWithin = from !== undefined && from.key.length > 1
      const values = yield* keys(like, tenantId, { key: from?.key[0] ?? "", isIncluded: isWithin }, limit)
      const found = yield* groupsOf(like, tenantId, values)
      const last = values.at(-1)
      return {
        groups: isWithin ? found.filter((group) => isBehind(group, from)) : found,
        next: values.length < limit || last === undefined ? null : { key: [last], isIncluded: false }
      }
    }, Effect.orDie),
    groupsOf: Effect.fn("DuplicateStore.groupsOf")((tenantId, reason, values) =>
      Effect.orDie(groupsOf(alike[reason], tenantId, values))
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

export const layer = Layer.effect(DuplicateStore, make)
