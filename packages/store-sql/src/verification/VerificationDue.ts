import { Credential } from "@wcs/domain/holding/Credential"
import { defaultTimeZone } from "@wcs/domain/shared/CalendarDay"
import type { Instant } from "@wcs/domain/shared/Instant"
import type { DueRun, VerificationStore } from "@wcs/domain/verification/VerificationStore"
import { inTurn, type RunQueue } from "@wcs/domain/verification/VerificationTurns"
import { Array as Arr, type Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { inStatements, keepForBatches } from "../engine/Batch.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { keep } from "../engine/Query.ts"
import { rows, type Script } from "../engine/Script.ts"
import { keepTenants } from "../engine/StoredTenants.ts"
import { storedOf } from "../resource/ResourceRows.ts"
import { type ResourceRow, tableOf } from "../resource/ResourceTable.ts"

/** SQLite allows at most 500 SELECTs in a compound. */
const queuesPerStatement = 100

interface QueueRow {
  readonly queue: string
  readonly due_at: unknown
  readonly next_at: unknown
}

interface DueRow {
  readonly tenant_id: string
  readonly credential_id: string
  readonly queue: string
  readonly due_at: unknown
  readonly attempts: unknown
  readonly traceparent: string | null
  /** Null if the tenant is not stored; absent on a distributed Postgres. */
  readonly time_zone?: string | null
}

/** A run without its credential. */
type Candidate = Omit<DueRun, "credential">

type ReadDue = VerificationStore["Service"]["readDue"]

const keyOf = (tenantId: string, credentialId: string): string => `${tenantId} ${credentialId}`

/** The tenant and the credential type of a queue. Neither contains a space. */
const partsOf = (queue: string): RunQueue => {
  const [tenantId = "", credentialType = ""] = queue.split(" ")
  return { tenantId, credentialType }
}

/** The runs of this worker, as JSON: those in its partitions, and those in flight, which it does not take again. */
interface Scope {
  readonly partitions: string
  readonly inFlight: string
}

const makeStatements = (sql: SqlClient.SqlClient) => {
  const dialect = dialectOf(sql)
  const waiting = dialect.indexedBy("verification_run_waiting")

  /** Whether a run can be taken, at any time. */
  const isFree = ({ inFlight, partitions }: Record<keyof Scope, Parameters<typeof dialect.texts>[0]>) =>
    sql`r.partition IN (SELECT CAST(value AS BIGINT) FROM ${dialect.texts(partitions)})
      AND r.credential_id NOT IN (SELECT value FROM ${dialect.texts(inFlight)})`

  const timeZone = sql`, (SELECT t.time_zone FROM tenant AS t WHERE t.id = f.tenant_id) AS time_zone`

  /** The tenant of a queue is a part of its name. Postgres would choose the primary key by it. */
  const isOf = (tenantId: string) => (dialect.isDistributed ? sql`r.tenant_id = ${tenantId} AND ` : sql``)

  return {
    /**
     * The first due time of each queue, and its first due time after now. Reads one index entry per queue, and those of
     * earlier runs of other workers. The length of the queue does not matter.
     */
    queues: keep<{ now: Instant } & Scope, QueueRow>(sql, (at) => {
      const firstDue = (when: Statement.Fragment) =>
        sql`(SELECT r.due_at FROM verification_run AS r${waiting} WHERE r.queue = f.queue AND r.due_at ${when}
          AND ${isFree({ partitions: at("partitions"), inFlight: at("inFlight") })} ORDER BY r.due_at LIMIT 1)`
      if (dialect.isDistributed) {
        // An index of `citus.sql` has the runs of a node in the order of their due times.
        const free = isFree({ partitions: at("partitions"), inFlight: at("inFlight") })
        return sql`SELECT r.queue, min(r.due_at) AS due_at, NULL AS next_at FROM verification_run AS r
            WHERE r.due_at <= ${at("now")} AND ${free} GROUP BY r.queue
          UNION ALL SELECT '', NULL, min(r.due_at) FROM verification_run AS r WHERE r.due_at > ${at("now")} AND ${free}`
      }
      return sql`WITH RECURSIVE f (queue) AS (
          SELECT min(r.queue) FROM verification_run AS r${waiting} WHERE r.due_at IS NOT NULL
          UNION ALL
          SELECT (SELECT min(r.queue) FROM verification_run AS r${waiting}
            WHERE r.due_at IS NOT NULL AND r.queue > f.queue) FROM f WHERE f.queue IS NOT NULL
        )
        SELECT f.queue, ${firstDue(sql`<= ${at("now")}`)} AS due_at, ${firstDue(sql`> ${at("now")}`)} AS next_at
        FROM f WHERE f.queue IS NOT NULL`
    }),
    /** The first due runs of a queue. Several queues are combined with UNION ALL, so that each uses the index. */
    firstOf: (queue: string, now: Instant, scope: Scope, count: number) =>
      sql`SELECT f.*${dialect.isDistributed ? sql`` : timeZone} FROM (
        SELECT r.tenant_id, r.credential_id, r.queue, r.due_at, r.attempts, r.traceparent FROM verification_run AS r${waiting}
        WHERE ${isOf(partsOf(queue).tenantId)}r.queue = ${queue} AND r.due_at <= ${now} AND ${isFree(scope)} ORDER BY r.due_at LIMIT ${count}
      ) AS f`,
    timeZones: keepTenants(sql),
    credentials: keepForBatches(
      sql,
      dialect,
      { tenant: "TEXT", credential: "TEXT" },
      ({ rows: batch, fieldOf }) => sql<ResourceRow>`WITH n AS MATERIALIZED (${batch})
        SELECT r.tenant_id, ${sql.literal(tableOf(Credential).selected)}
        FROM n CROSS JOIN credential AS r WHERE r.tenant_id = ${fieldOf("tenant")} AND r.id = n.credential`
    )
  }
}

/** Reads due runs in turns: reads the queues, chooses among them, and reads their due runs. */
export const makeReadDue = (sql: SqlClient.SqlClient) => {
  const { credentials, firstOf, queues, timeZones } = makeStatements(sql)

  /** The time zones of tenants. On a distributed Postgres their table is on another node than the runs. */
  function* timeZonesOf(found: ReadonlyArray<DueRow>): Script<ReadonlyMap<string, string>> {
    if (!dialectOf(sql).isDistributed) return new Map()
    const ids = [...new Set(found.map(({ tenant_id }) => tenant_id))]
    return new Map((yield* rows(timeZones({ ids: JSON.stringify(ids) }))).map(({ id, time_zone }) => [id, time_zone]))
  }

  /** The first due runs of each queue, as many as can be taken. */
  function* candidatesOf(
    chosen: ReadonlyArray<{ readonly queue: string }>,
    { limits: { perType, total }, now }: Parameters<ReadDue>[0],
    scope: Scope
  ): Script<ReadonlyArray<Candidate>> {
    const found: Array<DueRow> = []
    for (const queues of inStatements(dialectOf(sql), chosen, ({ queue }) => partsOf(queue).tenantId)) {
      const each = Arr.map(queues, ({ queue }) => firstOf(queue, now, scope, Math.min(total, perType)))
      for (const some of Arr.chunksOf(each, queuesPerStatement)) {
        found.push(...(yield* rows(sql<DueRow>`${sql.join(" UNION ALL ", false)(some)}`)))
      }
    }
    const zones = yield* timeZonesOf(found)
    return found.map((row) => ({
      tenantId: row.tenant_id,
      credentialId: row.credential_id,
      credentialType: partsOf(row.queue).credentialType,
      dueAt: Number(row.due_at),
      attempt: Number(row.attempts) + 1,
      timeZone: row.time_zone ?? zones.get(row.tenant_id) ?? defaultTimeZone,
      traceparent: row.traceparent
    }))
  }

  function* withCredentials(taken: ReadonlyArray<Candidate>): Script<ReadonlyArray<DueRun>> {
    const wanted = taken.map(({ credentialId, tenantId }) => ({ tenant: tenantId, credential: credentialId }))
    const read: Array<ResourceRow> = []
    for (const batch of inStatements(dialectOf(sql), wanted, ({ tenant }) => tenant)) {
      read.push(...(yield* rows(credentials(batch))))
    }
    const byKey = new Map(read.map((row) => [keyOf(String(row["tenant_id"]), row.id), row]))
    return taken.map((run) => {
      const row = byKey.get(keyOf(run.tenantId, run.credentialId))
      return { ...run, credential: storedOf(Credential)(row === undefined ? [] : [row]) }
    })
  }

  return function* (request: Parameters<ReadDue>[0]): Script<Effect.Success<ReturnType<ReadDue>>> {
    const { inFlight, limits, now, partitions } = request
    const scope = {
      partitions: JSON.stringify(partitions),
      inFlight: JSON.stringify(inFlight.map(({ credentialId }) => credentialId))
    }
    const all = yield* rows(queues({ now, ...scope }))
    const due = all.flatMap(({ due_at, queue }) =>
      due_at === null ? [] : [{ ...partsOf(queue), queue, dueAt: Number(due_at) }]
    )
    const candidates = yield* candidatesOf(inTurn(due, limits, inFlight), request, scope)
    const later = all.flatMap(({ next_at }) => (next_at === null ? [] : [Number(next_at)]))
    return {
      runs: yield* withCredentials(inTurn(candidates, limits, inFlight)),
      nextDueAt: later.length === 0 ? null : Math.min(...later)
    }
  }
}
