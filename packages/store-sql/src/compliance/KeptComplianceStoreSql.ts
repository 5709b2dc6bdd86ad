import { ComplianceCheck, type ComplianceCheckFields } from "@wcs/domain/screening/ComplianceCheck"
import { rulesVersion } from "@wcs/domain/screening/ComplianceEvaluation"
import { type Cause, type Definitions, type KeptStatus, keptChecks } from "@wcs/domain/screening/KeptCompliance"
import { type Keeping, KeptComplianceStore, type KeptRow } from "@wcs/domain/screening/KeptComplianceStore"
import { defaultTimeZone } from "@wcs/domain/shared/CalendarDay"
import { Effect, Layer, Result } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { makeRecordsWriter } from "../audit/RecordsWriter.ts"
import { makeAtomically } from "../engine/Atomic.ts"
import { type BatchColumns, insertAll, insertInto, keepForBatches } from "../engine/Batch.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { keep } from "../engine/Query.ts"
import { changes, rows, type Script } from "../engine/Script.ts"
import { makeWalk } from "../engine/StoredTenants.ts"
import { type ResourceRow, tableOf } from "../resource/ResourceTable.ts"
import { makeTaskWriter } from "./KeptTasks.ts"

/** The maximum number of marks that one statement reads. */
const marksMax = 1000

const keptColumns = {
  tenant_id: "TEXT",
  worker_id: "TEXT",
  version: "BIGINT",
  rules_version: "BIGINT",
  generation: "BIGINT",
  through: "TEXT",
  document: "TEXT"
} as const satisfies BatchColumns

const failureColumns = { tenant_id: "TEXT", check_id: "TEXT", worker_id: "TEXT" } as const satisfies BatchColumns

const failedIn = ({ checks }: Pick<KeptStatus, "checks">): ReadonlyArray<string> =>
  Object.entries(checks)
    .filter(([, { result }]) => result === "FAIL")
    .map(([id]) => id)
    .sort()

/** Whether other checks fail than before. A status of earlier rules may come from a release that did not store them. */
const failsOthers = ({ row, status }: Keeping): boolean =>
  row.status?.rulesVersion !== rulesVersion || String(failedIn(row.status)) !== String(failedIn(status))

/** The row of a status. The document has what no condition needs. */
const keptRow = (
  tenantId: string,
  { row, status: { generation, rulesVersion: rules, through, ...others } }: Keeping
) => ({
  tenant_id: tenantId,
  worker_id: row.workerId,
  version: row.version + 1,
  rules_version: rules,
  generation,
  through,
  document: JSON.stringify(others)
})

interface ReadRow {
  readonly worker_id: string
  /** Null in the row of a status. */
  readonly position: unknown
  readonly cause: Cause | null
  readonly version: unknown
  readonly rules_version: unknown
  readonly generation: unknown
  readonly through: string
  readonly document: string
}

interface TenantRow {
  readonly id: string
  readonly time_zone: string | null
  readonly first_day: string | null
  readonly first_marked: string | null
  readonly is_outdated: unknown
}

interface DefinitionRow extends ResourceRow {
  readonly generation: unknown
}

// This store writes the documents, and no caller can.
const statusOf = ({ document, generation, rules_version, through }: ReadRow): KeptStatus => ({
  ...(JSON.parse(document) as Omit<KeptStatus, "generation" | "rulesVersion" | "through">),
  rulesVersion: Number(rules_version),
  generation: Number(generation),
  through
})

const makeStatements = (sql: SqlClient.SqlClient) => {
  const dialect = dialectOf(sql)
  const ofWorker = dialect.indexedBy("compliance_mark_of_worker")

  /** The sum of the versions of a tenant's checks. Each change of a check raises its version. */
  const generationOf = (tenant: unknown) =>
    sql`(SELECT CAST(COALESCE(sum(c.version), 0) AS BIGINT) FROM ${sql.literal(ComplianceCheck.type)} AS c WHERE c.tenant_id = ${tenant})`

  const rules = sql.literal(String(rulesVersion))

  /** Statuses of earlier versions of the rules, and of earlier definitions. SQLite reads one range of an index in each. */
  const outdated = (tenant: unknown) => [
    sql`k.rules_version < ${rules}`,
    sql`k.rules_version = ${rules} AND k.generation < ${generationOf(tenant)}`
  ]

  const firstOf = (tenant: Statement.Fragment) =>
    sql`(SELECT min(k.through) FROM compliance AS k WHERE k.tenant_id = ${tenant}) AS first_day,
          (SELECT min(m.worker_id) FROM compliance_mark AS m WHERE m.tenant_id = ${tenant}) AS first_marked,
          EXISTS (SELECT 1 FROM (SELECT k.rules_version, k.generation FROM compliance AS k WHERE k.tenant_id = ${tenant}
            ORDER BY k.rules_version, k.generation LIMIT 1) AS k
            WHERE ${sql.or(outdated(tenant))}) AS is_outdated`

  return {
    definitions: keep<{ tenantId: string }, DefinitionRow>(
      sql,
      (at) => sql`SELECT g.generation, ${sql.literal(tableOf(ComplianceCheck).selected)}
        FROM (SELECT ${generationOf(at("tenantId"))} AS generation) AS g LEFT JOIN (
          SELECT * FROM ${sql.literal(ComplianceCheck.type)} AS c${dialect.indexedBy(`${ComplianceCheck.type}_of_enabled`)}
          WHERE c.tenant_id = ${at("tenantId")} AND c.enabled = 'true' AND c.deleted_at IS NULL
          ORDER BY c.created_at, c.id LIMIT ${keptChecks}
        ) AS r ON true ORDER BY r.created_at, r.id`
    ),

    /** Statuses, then marks. */
    read: keep<{ tenantId: string; workers: string }, ReadRow>(
      sql,
      (at) => sql`SELECT k.worker_id, CAST(NULL AS BIGINT) AS position, NULL AS cause, k.version, k.rules_version,
          k.generation, k.through, k.document
        FROM compliance AS k WHERE k.tenant_id = ${at("tenantId")}
        AND ${dialect.isAmong("k.worker_id", at("workers"))}
        UNION ALL SELECT * FROM (
          SELECT m.worker_id, m.position, m.cause, CAST(NULL AS BIGINT), CAST(NULL AS BIGINT), CAST(NULL AS BIGINT), NULL, NULL
          FROM compliance_mark AS m${ofWorker}
          WHERE m.tenant_id = ${at("tenantId")} AND ${dialect.isAmong("m.worker_id", at("workers"))}
          ORDER BY m.worker_id, m.position LIMIT ${marksMax}
        ) AS marks`
    ),

    /** Orders that indexes have keep Postgres from reading whole tables: few rows match, but it cannot know. */
    uncertain: keep<{ tenantId: string; today: string; limit: number }, { readonly worker_id: string }>(
      sql,
      (at) => sql`SELECT worker_id FROM (
        SELECT * FROM (SELECT DISTINCT m.worker_id FROM compliance_mark AS m${ofWorker}
          WHERE m.tenant_id = ${at("tenantId")} ORDER BY m.worker_id LIMIT ${at("limit")}) AS marked
        UNION SELECT * FROM (SELECT k.worker_id FROM compliance AS k${dialect.indexedBy("compliance_by_through")}
          WHERE k.tenant_id = ${at("tenantId")} AND k.through < ${at("today")}
          ORDER BY k.through LIMIT ${at("limit")}) AS lapsed
        UNION ${sql.join(
          " UNION ",
          false
        )(
          outdated(at("tenantId")).map(
            (
              isOutdated
            ) => sql`SELECT * FROM (SELECT k.worker_id FROM compliance AS k${dialect.indexedBy("compliance_by_generation")}
          WHERE k.tenant_id = ${at("tenantId")} AND ${isOutdated}
          ORDER BY k.rules_version, k.generation LIMIT ${at("limit")}) AS outdated`
          )
        )}
      ) AS found LIMIT ${at("limit")}`
    ),

    /** Finds the tenants, and what is first in each, by one index step each. */
    tenants: keep<{ after: string; limit: number }, TenantRow>(sql, (at) => {
      const next = (after: unknown) => sql`(SELECT min(n.id) FROM (
        SELECT min(k.tenant_id) AS id FROM compliance AS k WHERE k.tenant_id > ${after}
        UNION ALL SELECT min(m.tenant_id) FROM compliance_mark AS m WHERE m.tenant_id > ${after}
      ) AS n)`
      return sql`WITH RECURSIVE f (id) AS (
          SELECT ${next(at("after"))} UNION ALL SELECT ${next(sql.literal("f.id"))} FROM f WHERE f.id IS NOT NULL
        )
        SELECT f.id, (SELECT t.time_zone FROM tenant AS t WHERE t.id = f.id) AS time_zone,
          ${firstOf(sql.literal("f.id"))}
        FROM f WHERE f.id IS NOT NULL LIMIT ${at("limit")}`
    }),

    /** What is first in a tenant. */
    tenant: keep<{ id: string; timeZone: string }, TenantRow>(
      sql,
      (at) => sql`SELECT CAST(${at("id")} AS TEXT) AS id, CAST(${at("timeZone")} AS TEXT) AS time_zone,
        ${firstOf(sql`${at("id")}`)}`
    ),

    keep: keepForBatches(
      sql,
      dialect,
      keptColumns,
      ({ rows: batch, fieldOf }) => sql<{ readonly worker_id: string }>`${insertInto(
        sql,
        "compliance",
        keptColumns,
        sql`(${batch}) AS fresh`,
        sql.literal("true"),
        fieldOf("tenant_id", "fresh")
      )}
        ON CONFLICT (tenant_id, worker_id) DO UPDATE SET version = excluded.version,
          rules_version = excluded.rules_version, generation = excluded.generation,
          through = excluded.through, document = excluded.document
        WHERE compliance.version = excluded.version - 1 RETURNING worker_id`
    ),

    setResult: keep<{ tenantId: string; result: string; workers: string }, object>(
      sql,
      (at) => sql`UPDATE worker SET compliance = ${at("result")}
        WHERE tenant_id = ${at("tenantId")} AND ${dialect.isAmong("id", at("workers"))}`
    ),

    deleteFailures: keep<{ tenantId: string; workers: string }, object>(
      sql,
      (at) => sql`DELETE FROM compliance_failure
        WHERE tenant_id = ${at("tenantId")} AND ${dialect.isAmong("worker_id", at("workers"))}`
    ),

    insertFailures: keepForBatches(sql, dialect, failureColumns, (batch) =>
      insertAll(sql, "compliance_failure", failureColumns, batch)
    ),

    deleteMarks: keep<{ tenantId: string; positions: string }, object>(
      sql,
      (at) => sql`DELETE FROM compliance_mark WHERE tenant_id = ${at("tenantId")}
        AND position IN (SELECT CAST(value AS BIGINT) FROM ${dialect.texts(at("positions"))})`
    )
  }
}

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const atomically = yield* makeAtomically
  const statements = makeStatements(sql)
  const keepTasks = makeTaskWriter(sql)
  const records = makeRecordsWriter(sql)
  const walk = makeWalk(sql)

  const tenantsAfter = (after: string, limit: number) =>
    dialectOf(sql).isDistributed
      ? walk(after, limit, ({ id, time_zone }) => statements.tenant({ id, timeZone: time_zone }))
      : statements.tenants({ after, limit })

  /** Stores the checks that these workers fail. */
  function* keepFailures(tenantId: string, changed: ReadonlyArray<Keeping>): Script<void> {
    if (changed.length === 0) return
    yield* changes(
      statements.deleteFailures({ tenantId, workers: JSON.stringify(changed.map(({ row }) => row.workerId)) })
    )
    const [first, ...others] = changed.flatMap(({ row: { workerId: worker_id }, status }) =>
      failedIn(status).map((check_id) => ({ tenant_id: tenantId, check_id, worker_id }))
    )
    if (first !== undefined) yield* changes(statements.insertFailures([first, ...others]))
  }

  function* keepAll(
    tenantId: string,
    statuses: ReadonlyArray<Keeping>,
    traceparent: string | null
  ): Script<Result.Result<ReadonlySet<string>>> {
    // Rows are locked in the order of their ids, so that concurrent workers cannot deadlock.
    const ordered = statuses.toSorted((one, two) => (one.row.workerId < two.row.workerId ? -1 : 1))
    const [first, ...others] = ordered.map((keeping) => keptRow(tenantId, keeping))
    if (first === undefined) return Result.succeed(new Set())
    const stored = new Set((yield* rows(statements.keep([first, ...others]))).map(({ worker_id }) => worker_id))
    const done = ordered.filter(({ row }) => stored.has(row.workerId))
    const changed = done.filter(({ row, status }) => row.status?.result !== status.result)
    for (const [result, some] of Map.groupBy(changed, ({ status }) => status.result)) {
      const workers = JSON.stringify(some.map(({ row }) => row.workerId))
      yield* changes(statements.setResult({ tenantId, result, workers }))
    }
    yield* keepFailures(tenantId, done.filter(failsOthers))
    yield* keepTasks(tenantId, done)
    const positions = done.flatMap(({ row }) => row.marks)
    if (positions.length > 0) {
      yield* changes(statements.deleteMarks({ tenantId, positions: JSON.stringify(positions.map(String)) }))
    }
    const versions = new Map(done.map(({ row }) => [row.workerId, row.version + 1]))
    const events = done.flatMap((keeping) => keeping.events)
    yield* records.all(tenantId, { audit: [], events }, (worker) => versions.get(worker) ?? 0, traceparent)
    return Result.succeed(stored)
  }

  return KeptComplianceStore.of({
    definitions: (tenantId) =>
      Effect.map(Effect.orDie(statements.definitions({ tenantId })), (found): Definitions => {
        const { decode } = tableOf<ComplianceCheckFields>(ComplianceCheck)
        const checks = found.filter(({ id }) => id !== null).map(decode)
        return { checks, generation: Number(found[0]?.generation ?? 0) }
      }),

    read: Effect.fnUntraced(function* (tenantId, workers) {
      const known = new Map<string, KeptRow>()
      if (workers.length === 0) return known
      const found = yield* Effect.orDie(statements.read({ tenantId, workers: JSON.stringify(workers) }))
      const byWorker = Map.groupBy(found, (row) => row.worker_id)
      const isCut = found.filter(({ position }) => position !== null).length >= marksMax
      for (const workerId of workers) {
        const own = byWorker.get(workerId) ?? []
        const kept = own.find(({ position }) => position === null)
        const marks = own
          .filter(({ position }) => position !== null)
          .toSorted((one, two) => Number(one.position) - Number(two.position))
        known.set(workerId, {
          workerId,
          version: Number(kept?.version ?? 0),
          status: kept && statusOf(kept),
          marks: marks.map(({ position }) => Number(position)),
          isCut,
          cause: marks.at(-1)?.cause ?? undefined
        })
      }
      return known
    }),

    uncertain: (tenantId, today, limit) =>
      Effect.map(Effect.orDie(statements.uncertain({ tenantId, today, limit })), (found) =>
        found.map(({ worker_id }) => worker_id)
      ),

    tenants: (after, limit) =>
      Effect.map(Effect.orDie(tenantsAfter(after ?? "", limit)), (found) =>
        found.map(({ first_day, first_marked, id, is_outdated, time_zone }) => ({
          tenantId: id,
          timeZone: time_zone ?? defaultTimeZone,
          isMarked: first_marked !== null,
          isOutdated: Boolean(is_outdated),
          firstDay: first_day
        }))
      ),

    keep: (tenantId, statuses) => atomically((traceparent) => keepAll(tenantId, statuses, traceparent))
  })
})

export const layer = Layer.effect(KeptComplianceStore, make)
