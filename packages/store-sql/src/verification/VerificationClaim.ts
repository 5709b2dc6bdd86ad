import { Credential } from "@wcs/domain/credential/Credential"
import type { Instant } from "@wcs/domain/shared/Instant"
import type { DueRun, VerificationStore } from "@wcs/domain/verification/VerificationStore"
import {
  inTurn,
  nextDueAt,
  type Places,
  placesAfter,
  type QueueInTurn,
  queuesInTurn,
  type RunQueue
} from "@wcs/domain/verification/VerificationTurns"
import { Array as Arr, type Effect, Result } from "effect"
import type { SqlClient } from "effect/sql"
import { keepForBatches } from "../engine/Batch.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { keep } from "../engine/Query.ts"
import { rows, type Script } from "../engine/Script.ts"
import { storedOf } from "../resource/ResourceRows.ts"
import { type ResourceRow, tableOf } from "../resource/ResourceTable.ts"

/** SQLite allows at most 500 SELECTs in a compound. */
const queuesPerStatement = 100

interface QueueRow {
  readonly queue: string
  readonly claim_at: unknown
  readonly leased: unknown
}

interface CandidateRow {
  readonly tenant_id: string
  readonly credential_id: string
  readonly queue: string
  readonly claim_at: unknown
}

interface ClaimedRow {
  readonly tenant_id: string
  readonly credential_id: string
  readonly attempts: unknown
}

/** A queue with the value of its column. */
interface NamedQueue extends RunQueue {
  readonly name: string
}

interface Candidate {
  readonly queue: string
  readonly tenantId: string
  readonly credentialId: string
  readonly credentialType: string
  readonly dueAt: Instant
}

type Claim = VerificationStore["Service"]["claim"]

const keyOf = (tenantId: string, credentialId: string): string => `${tenantId} ${credentialId}`

const runColumns = {
  tenant: "TEXT",
  credential: "TEXT",
  leased_by: "TEXT",
  leased_until: "BIGINT",
  due_by: "BIGINT"
} as const

const makeStatements = (sql: SqlClient.SqlClient) => {
  const dialect = dialectOf(sql)
  const [waiting, leased] = [
    dialect.indexedBy("verification_run_waiting"),
    dialect.indexedBy("verification_run_leased")
  ]

  return {
    /** All queues with runs that can be claimed, now or later. Reads one index entry per queue, however long it is. */
    queues: keep<{ now: Instant }, QueueRow>(
      sql,
      (at) => sql`WITH RECURSIVE f (queue) AS (
          SELECT min(r.queue) FROM verification_run AS r${waiting} WHERE r.claim_at IS NOT NULL
          UNION ALL
          SELECT (SELECT min(r.queue) FROM verification_run AS r${waiting}
            WHERE r.claim_at IS NOT NULL AND r.queue > f.queue) FROM f WHERE f.queue IS NOT NULL
        )
        SELECT f.queue, (
          SELECT min(r.claim_at) FROM verification_run AS r${waiting} WHERE r.queue = f.queue AND r.claim_at IS NOT NULL
        ) AS claim_at, (
          SELECT count(*) FROM verification_run AS r${leased}
          WHERE r.queue = f.queue AND r.state = 'leased' AND r.claim_at > ${at("now")}
        ) AS leased
        FROM f WHERE f.queue IS NOT NULL`
    ),
    /** The first runs of a queue. Several queues are combined with UNION ALL, so that each uses the index. */
    firstOf: (queue: string, count: number) =>
      sql`SELECT f.tenant_id, f.credential_id, f.queue, f.claim_at FROM (
        SELECT x.tenant_id, x.credential_id, x.queue, x.claim_at FROM verification_run AS x${waiting}
        WHERE x.queue = ${queue} AND x.claim_at IS NOT NULL ORDER BY x.claim_at LIMIT ${count}
      ) AS f`,
    /** Claims those of the runs that no other worker takes or has taken meanwhile. */
    take: keepForBatches(
      sql,
      dialect,
      runColumns,
      ({ rows: batch }) => sql<ClaimedRow>`WITH n AS MATERIALIZED (${batch}), f AS MATERIALIZED (
          SELECT r.tenant_id, r.credential_id, n.leased_by, n.leased_until FROM n CROSS JOIN verification_run AS r
          WHERE r.tenant_id = n.tenant AND r.credential_id = n.credential AND r.claim_at <= n.due_by
          ${dialect.forUpdateOfFree}
        )
        UPDATE verification_run SET state = 'leased', lease = f.leased_by,
          claim_at = f.leased_until, attempts = attempts + 1
        FROM f
        WHERE verification_run.tenant_id = f.tenant_id AND verification_run.credential_id = f.credential_id
        RETURNING verification_run.tenant_id, verification_run.credential_id, verification_run.attempts`
    ),
    credentials: keepForBatches(
      sql,
      dialect,
      { tenant: "TEXT", credential: "TEXT" },
      ({ rows: batch }) => sql<ResourceRow>`WITH n AS MATERIALIZED (${batch})
        SELECT r.tenant_id, ${sql.literal(tableOf(Credential).selected)}
        FROM n CROSS JOIN credential AS r WHERE r.tenant_id = n.tenant AND r.id = n.credential`
    )
  }
}

/** The tenant and the credential type of a queue. Neither contains a space. */
const partsOf = (queue: string): Pick<RunQueue, "tenantId" | "credentialType"> => {
  const [tenantId = "", credentialType = ""] = queue.split(" ")
  return { tenantId, credentialType }
}

/** The queues after these runs were taken. */
const afterTaking = (
  queues: ReadonlyArray<NamedQueue>,
  read: ReadonlyMap<string, ReadonlyArray<Candidate>>,
  runs: ReadonlyArray<DueRun>,
  leasedUntil: Instant
): ReadonlyArray<NamedQueue> => {
  const taken = new Set(runs.map(({ credentialId, tenantId }) => keyOf(tenantId, credentialId)))
  return queues.map((queue) => {
    const own = read.get(queue.name)
    if (own === undefined) return queue
    const times = own.map(({ credentialId, dueAt, tenantId }) =>
      taken.has(keyOf(tenantId, credentialId)) ? leasedUntil : dueAt
    )
    return { ...queue, dueAt: Math.min(...times) }
  })
}

/**
 * Claims due runs in turns: reads the queues, chooses among them, reads their due runs and takes them in one statement.
 */
export const makeClaim = (sql: SqlClient.SqlClient) => {
  const { credentials, firstOf, queues, take } = makeStatements(sql)

  function* queuesAt(now: Instant): Script<ReadonlyArray<NamedQueue>> {
    return (yield* rows(queues({ now }))).map(({ claim_at, leased, queue }) => ({
      ...partsOf(queue),
      name: queue,
      dueAt: Number(claim_at),
      leased: Number(leased)
    }))
  }

  /** The first runs of each queue: as many as can be taken, and one more for `nextDueAt`. */
  function* candidatesOf(
    chosen: ReadonlyArray<QueueInTurn<NamedQueue>>,
    { limit, perType }: Places
  ): Script<ReadonlyArray<Candidate>> {
    const each = chosen.map(({ name }) => firstOf(name, Math.min(limit, perType) + 1))
    const found: Array<CandidateRow> = []
    for (const some of Arr.chunksOf(each, queuesPerStatement)) {
      found.push(...(yield* rows(sql<CandidateRow>`${sql.join(" UNION ALL ", false)(some)}`)))
    }
    return found
      .map((row) => ({
        queue: row.queue,
        tenantId: row.tenant_id,
        credentialId: row.credential_id,
        credentialType: partsOf(row.queue).credentialType,
        dueAt: Number(row.claim_at)
      }))
      .sort((one, two) => one.dueAt - two.dueAt)
  }

  function* taken(
    wanted: ReadonlyArray<Candidate>,
    now: Instant,
    lease: string,
    leasedUntil: Instant
  ): Script<ReadonlyArray<DueRun>> {
    const [first, ...others] = wanted.map(({ credentialId, tenantId }) => ({
      tenant: tenantId,
      credential: credentialId,
      leased_by: lease,
      leased_until: leasedUntil,
      due_by: now
    }))
    if (first === undefined) return []
    const claimed = yield* rows(take([first, ...others]))
    const attempts = new Map(claimed.map((row) => [keyOf(row.tenant_id, row.credential_id), Number(row.attempts)]))
    const read = yield* rows(credentials([first, ...others]))
    const byKey = new Map(read.map((row) => [keyOf(String(row["tenant_id"]), row.id), row]))
    return wanted.flatMap(({ credentialId, credentialType, tenantId }): ReadonlyArray<DueRun> => {
      const key = keyOf(tenantId, credentialId)
      const attempt = attempts.get(key)
      const row = byKey.get(key)
      const credential = storedOf(Credential)(row === undefined ? [] : [row])
      return attempt === undefined ? [] : [{ tenantId, credentialId, credentialType, credential, attempt, lease }]
    })
  }

  return function* ({
    lease,
    leaseMillis,
    now,
    places
  }: Parameters<Claim>[0]): Script<Result.Result<Effect.Success<ReturnType<Claim>>>> {
    const before = yield* queuesAt(now)
    const chosen = queuesInTurn(before, now, places)
    const read = Map.groupBy(yield* candidatesOf(chosen, places), ({ queue }) => queue)
    const wanted = inTurn(
      chosen.map((queue) => ({ queue, due: (read.get(queue.name) ?? []).filter(({ dueAt }) => dueAt <= now) })),
      places
    )
    const leasedUntil = now + leaseMillis
    const runs = yield* taken(wanted, now, lease, leasedUntil)
    const left = placesAfter(
      places,
      runs.map(({ credentialType }) => credentialType)
    )
    return Result.succeed({ runs, nextDueAt: nextDueAt(afterTaking(before, read, runs, leasedUntil), left) })
  }
}
