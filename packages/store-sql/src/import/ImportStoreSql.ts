import { accountIdOf } from "@wcs/domain/access/Account"
import type { AuditEntry } from "@wcs/domain/audit/AuditEntry"
import type { Import } from "@wcs/domain/import/Import"
import { ImportStore, type Work } from "@wcs/domain/import/ImportStore"
import { defaultTimeZone } from "@wcs/domain/shared/CalendarDay"
import { Effect, Layer, Option, Result } from "effect"
import { SqlClient } from "effect/sql"
import { account } from "../access/AccessRows.ts"
import { makeRecordsWriter } from "../audit/RecordsWriter.ts"
import { LostRace, makeAtomically } from "../engine/Atomic.ts"
import type { Row } from "../engine/Columns.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { changes, rows, type Script } from "../engine/Script.ts"
import { keepTenants } from "../engine/StoredTenants.ts"
import { makeTimelinePage, type TimelineTable } from "../engine/TimelineTable.ts"
import { makeCandidates } from "./Candidates.ts"
import { type DocumentRow, importOf } from "./ImportDocument.ts"
import { makeAppend, makeMark, makeReadRows, rowsOf } from "./ImportRows.ts"

interface WorkRow extends DocumentRow, Row {
  readonly tenant_id: string
  readonly time_zone: string | null
  /** Null if there is no such account. */
  readonly account_id: string | null
}

const valuesOf = (it: Import) => ({
  version: it.version,
  status: it.status as string,
  account_id: accountIdOf(it.actor.account),
  updated_at: it.updatedAt,
  document: JSON.stringify(it)
})

const table: TimelineTable<"status", DocumentRow, Import> = {
  name: "import",
  selected: "r.id, r.document",
  index: "import_of_tenant",
  only: "r.status <> 'DELETED'",
  fields: { status: { column: "status", index: "import_of_status" } },
  decode: importOf
}

const workOf = (row: WorkRow, timeZone: string | null): Work => ({
  it: importOf(row),
  timeZone: timeZone ?? defaultTimeZone,
  account: row.account_id === null ? undefined : account.of(row)
})

const makeWrites = (sql: SqlClient.SqlClient) => {
  const dialect = dialectOf(sql)
  const records = makeRecordsWriter(sql)
  const append = makeAppend(sql)
  const mark = makeMark(sql)

  /** Keeps others from changing the number and the status of the tenant's imports by a call. */
  function* lock(tenantId: string): Script<void> {
    const locked = dialect.lockTenant("import", tenantId)
    if (locked !== undefined) yield* rows(locked)
  }

  /** Another import of the tenant that changes workers. */
  function* findBusy(tenantId: string, importId: string): Script<string | undefined> {
    const [busy] = yield* rows(sql<{ readonly id: string }>`SELECT r.id FROM import AS r
      WHERE r.tenant_id = ${tenantId} AND r.id <> ${importId} AND r.status IN ('RUNNING', 'UNDOING') LIMIT 1`)
    return busy?.id
  }

  function* find(tenantId: string, importId: string): Script<Option.Option<Import>> {
    const [row] = yield* rows(sql<DocumentRow>`SELECT r.id, r.document FROM import AS r
      WHERE r.tenant_id = ${tenantId} AND r.id = ${importId} AND r.status <> 'DELETED'${dialect.forUpdate}`)
    return Option.map(Option.fromUndefinedOr(row), importOf)
  }

  /** Writes an import over the version before it. Returns whether that was the stored one. */
  function* write(it: Import): Script<boolean> {
    const changed = yield* changes(sql`UPDATE import SET ${sql.update(valuesOf(it))}
      WHERE tenant_id = ${it.tenantId} AND id = ${it.id} AND version = ${it.version - 1} AND status <> 'DELETED'`)
    return changed === 1
  }

  const audited = (tenantId: string, audit: AuditEntry | null) => records.audit(tenantId, audit === null ? [] : [audit])

  return {
    append: function* (...given: Parameters<typeof append>): Script<Result.Result<void>> {
      yield* append(...given)
      return Result.void
    },

    begin: function* <E>(
      it: Import,
      audit: AuditEntry,
      decide: (others: number) => Result.Result<void, E>
    ): Script<Result.Result<void, E>> {
      yield* lock(it.tenantId)
      const [counted] = yield* rows(sql<{ readonly others: unknown }>`SELECT count(*) AS others FROM import AS r
        WHERE r.tenant_id = ${it.tenantId} AND r.status <> 'DELETED'`)
      const decided = decide(Number(counted?.others))
      if (Result.isFailure(decided)) return decided
      yield* changes(sql`INSERT INTO import ${sql.insert({ tenant_id: it.tenantId, id: it.id, ...valuesOf(it) })}`)
      yield* audited(it.tenantId, audit)
      return Result.void
    },

    change: function* <E>(
      tenantId: string,
      importId: string,
      decide: Parameters<ImportStore["Service"]["change"]>[2]
    ): Script<Result.Result<Import, E | LostRace>> {
      yield* lock(tenantId)
      const found = yield* find(tenantId, importId)
      const decided = decide(found, yield* findBusy(tenantId, importId)) as Result.Result<
        { readonly next: Import; readonly audit: AuditEntry | null },
        E
      >
      if (Result.isFailure(decided)) return Result.fail(decided.failure)
      const { audit, next } = decided.success
      if (Option.isSome(found) && found.value.version === next.version) return Result.succeed(next)
      if (!(yield* write(next))) return Result.fail(new LostRace())
      yield* audited(tenantId, audit)
      return Result.succeed(next)
    },

    remove: function* <E>(
      tenantId: string,
      importId: string,
      decide: (found: Option.Option<Import>) => Result.Result<AuditEntry | null, E>
    ): Script<Result.Result<void, E>> {
      const [known] = yield* rows(sql<{ readonly status: string }>`SELECT r.status FROM import AS r
        WHERE r.tenant_id = ${tenantId} AND r.id = ${importId}${dialect.forUpdate}`)
      if (known?.status === "DELETED") return Result.void
      const decided = decide(yield* find(tenantId, importId))
      if (Result.isFailure(decided)) return Result.fail(decided.failure)
      yield* changes(sql`UPDATE import SET status = 'DELETED', updated_at = 0, document = '{}'
        WHERE tenant_id = ${tenantId} AND id = ${importId} AND status <> 'DELETED'`)
      yield* audited(tenantId, decided.success)
      return Result.void
    },

    advance: function* (
      next: Import,
      marks: Parameters<ImportStore["Service"]["advance"]>[1]
    ): Script<Result.Result<boolean>> {
      if (!(yield* write(next))) return Result.succeed(false)
      yield* mark(next.tenantId, next.id, marks)
      return Result.succeed(true)
    },

    forget: function* (before: number, uploadsBefore: number, limit: number): Script<Result.Result<boolean>> {
      const [old] = yield* rows(sql<{ readonly tenant_id: string; readonly id: string }>`
        SELECT i.tenant_id, i.id FROM import AS i${dialect.indexedBy("import_by_updated_at")}
        WHERE i.updated_at < ${before} ORDER BY i.updated_at LIMIT 1`)
      const [lost] = yield* rows(sql<{ readonly tenant_id: string; readonly id: string }>`
        SELECT i.tenant_id, i.id FROM import AS i${dialect.indexedBy("import_uploading")}
        WHERE i.status = 'UPLOADING' AND i.updated_at < ${uploadsBefore} ORDER BY i.updated_at LIMIT 1`)
      const found = old ?? lost
      if (found === undefined) return Result.succeed(false)
      const { id, tenant_id: tenantId } = found
      // Hidden first, so that nobody sees an import without some of its rows.
      yield* changes(sql`UPDATE import SET status = 'DELETED', updated_at = 0, document = '{}'
        WHERE tenant_id = ${tenantId} AND id = ${id}`)
      const deleted = yield* changes(sql`DELETE FROM import_row WHERE tenant_id = ${tenantId} AND import_id = ${id}
        AND line IN (SELECT r.line FROM import_row AS r
          WHERE r.tenant_id = ${tenantId} AND r.import_id = ${id} ORDER BY r.line LIMIT ${limit})`)
      if (deleted < limit) yield* changes(sql`DELETE FROM import WHERE tenant_id = ${tenantId} AND id = ${id}`)
      return Result.succeed(true)
    }
  }
}

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const dialect = dialectOf(sql)
  const atomically = yield* makeAtomically
  const page = yield* makeTimelinePage(table)
  const writes = makeWrites(sql)
  const readRows = makeReadRows(sql)
  const candidates = makeCandidates(sql)
  const tenants = keepTenants(sql)
  /** The time zone of an import's tenant. On a distributed Postgres it is read apart. */
  const zone = dialect.isDistributed
    ? { column: sql.literal("CAST(NULL AS TEXT)"), join: sql.literal("") }
    : { column: sql.literal("t.time_zone"), join: sql.literal("JOIN tenant AS t ON t.id = i.tenant_id") }

  const withZones = Effect.fnUntraced(function* (found: ReadonlyArray<WorkRow>) {
    if (!dialect.isDistributed || found.length === 0) return found.map((row) => workOf(row, row.time_zone))
    const stored = yield* tenants({ ids: JSON.stringify([...new Set(found.map(({ tenant_id }) => tenant_id))]) })
    const zones = new Map(stored.map(({ id, time_zone }) => [id, time_zone]))
    return found.map((row) => workOf(row, zones.get(row.tenant_id) ?? null))
  })

  const firstBy = Effect.fnUntraced(function* (
    column: "id_key" | "name_key",
    tenantId: string,
    importId: string,
    keys: ReadonlyArray<string>,
    upTo: number
  ) {
    if (keys.length === 0) return new Map<string, number>()
    const key = sql.literal(`r.${column}`)
    const found = yield* sql<{ readonly key: string; readonly line: unknown }>`SELECT ${key} AS key, MIN(r.line) AS line
      FROM import_row AS r${dialect.indexedBy(`import_row_of_${column}`)}
      WHERE r.tenant_id = ${tenantId} AND r.import_id = ${importId} AND ${key} <> ''
      AND ${dialect.isAmong(`r.${column}`, JSON.stringify(keys))} AND r.line <= ${upTo} GROUP BY ${key}`
    return new Map(found.map((row) => [row.key, Number(row.line)]))
  })

  return ImportStore.of({
    begin: (it, audit, decide) => atomically(() => writes.begin(it, audit, decide)),
    append: (tenantId, importId, some) => atomically(() => writes.append(tenantId, importId, some)),
    find: Effect.fn("ImportStore.find")((tenantId, importId) =>
      sql<DocumentRow>`SELECT r.id, r.document FROM import AS r
        WHERE r.tenant_id = ${tenantId} AND r.id = ${importId} AND r.status <> 'DELETED'`.pipe(
        Effect.orDie,
        Effect.map(([row]) => Option.map(Option.fromUndefinedOr(row), importOf))
      )
    ),
    list: Effect.fn("ImportStore.list")((tenantId, selection) => Effect.orDie(page(tenantId, selection))),
    rows: Effect.fn("ImportStore.rows")((tenantId, importId, asked) =>
      Effect.map(Effect.orDie(readRows(tenantId, importId, asked)), rowsOf)
    ),
    change: (tenantId, importId, decide) => atomically(() => writes.change(tenantId, importId, decide)),
    remove: (tenantId, importId, decide) => atomically(() => writes.remove(tenantId, importId, decide)),
    working: Effect.fn("ImportStore.working")((limit) =>
      sql<WorkRow>`SELECT i.id, i.tenant_id, i.document, ${zone.column} AS time_zone, ${sql.literal(account.selected("a"))}
        FROM import AS i${dialect.indexedBy("import_working")} ${zone.join}
        LEFT JOIN account AS a ON a.tenant_id = i.tenant_id AND a.id = i.account_id
        WHERE i.status IN ('CHECKING', 'RUNNING', 'UNDOING') ORDER BY i.position LIMIT ${limit}`.pipe(
        Effect.flatMap(withZones),
        Effect.orDie
      )
    ),
    firstRows: Effect.fn("ImportStore.firstRows")((tenantId, importId, { ids, names }, upTo) =>
      Effect.orDie(
        Effect.all({
          byId: firstBy("id_key", tenantId, importId, ids, upTo),
          byName: firstBy("name_key", tenantId, importId, names, upTo)
        })
      )
    ),
    candidates: Effect.fn("ImportStore.candidates")((tenantId, sought) => Effect.orDie(candidates(tenantId, sought))),
    advance: (next, marks) => atomically(() => writes.advance(next, marks)),
    forget: (before, uploadsBefore, limit) => atomically(() => writes.forget(before, uploadsBefore, limit))
  })
})

export const layer = Layer.effect(ImportStore, make)
