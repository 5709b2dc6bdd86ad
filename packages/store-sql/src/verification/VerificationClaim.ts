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

/** SQLite puts no more than 500 SELECTs together. */
const queuesPerStatement = 100

interface QueueRow {
  readonly queue: string
  readonly due_at: unknown
  readonly held: unknown
}

interface CandidateRow {
  readonly tenant_id: string
  readonly credential_id: string
  readonly queue: string
  readonly due_at: unknown
}

interface ClaimedRow {
  readonly tenant_id: string
  readonly credential_id: string
  readonly attempts: unknown
}

/** A queue as the column of a run names it. */
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
  held_by: "TEXT",
  held_until: "BIGINT",
  due_by: "BIGINT"
} as const

const makeStatements = (sql: SqlClient.SqlClient) => {
  const dialect = dialectOf(sql)
  const [waiting, claimed] = [
    dialect.indexedBy("verification_run_waiting"),
    dialect.indexedBy("verification_run_claimed")
  ]

  return {
    /** Every queue that something is due in some time: one step through the index for each, however long they are. */
    queues: keep<{ now: Instant }, QueueRow>(
      sql,
      (at) => sql`WITH RECURSIVE f (queue) AS (
          SELECT min(r.queue) FROM verification_run AS r${waiting} WHERE r.due_at IS NOT NULL
          UNION ALL
          SELECT (SELECT min(r.queue) FROM verification_run AS r${waiting}
            WHERE r.due_at IS NOT NULL AND r.queue > f.queue) FROM f WHERE f.queue IS NOT NULL
        )
        SELECT f.queue, (
          SELECT min(r.due_at) FROM verification_run AS r${waiting} WHERE r.queue = f.queue AND r.due_at IS NOT NULL
        ) AS due_at, (
          SELECT count(*) FROM verification_run AS r${claimed}
          WHERE r.queue = f.queue AND r.lease IS NOT NULL AND r.due_at > ${at("now")}
        ) AS held
        FROM f WHERE f.queue IS NOT NULL`
    ),
    /** The first of a queue; of several they are put one after the other, so that each is a step through the index. */
    firstOf: (queue: string, count: number) =>
      sql`SELECT f.tenant_id, f.credential_id, f.queue, f.due_at FROM (
        SELECT x.tenant_id, x.credential_id, x.queue, x.due_at FROM verification_run AS x${waiting}
        WHERE x.queue = ${queue} AND x.due_at IS NOT NULL ORDER BY x.due_at LIMIT ${count}
      ) AS f`,
    /** Takes those of them that nobody else takes or has taken meanwhile. */
    take: keepForBatches(
      sql,
      dialect,
      runColumns,
      ({ rows: batch }) => sql`WITH n AS MATERIALIZED (${batch}), f AS MATERIALIZED (
          SELECT r.tenant_id, r.credential_id, n.held_by, n.held_until FROM n CROSS JOIN verification_run AS r
          WHERE r.tenant_id = n.tenant AND r.credential_id = n.credential AND r.due_at <= n.due_by
          ${dialect.forUpdateOfFree}
        )
        UPDATE verification_run SET attempts = attempts + 1, lease = f.held_by, due_at = f.held_until FROM f
        WHERE verification_run.tenant_id = f.tenant_id AND verification_run.credential_id = f.credential_id
        RETURNING verification_run.tenant_id, verification_run.credential_id, verification_run.attempts`
    ),
    credentials: keepForBatches(
      sql,
      dialect,
      { tenant: "TEXT", credential: "TEXT" },
      ({ rows: batch }) => sql`WITH n AS MATERIALIZED (${batch})
        SELECT r.tenant_id, ${sql.literal(tableOf(Credential).selected)}
        FROM n CROSS JOIN credential AS r WHERE r.tenant_id = n.tenant AND r.id = n.credential`
    )
  }
}

/** The tenant and the kind of credential that a queue stands for: neither has a space in it. */
const partsOf = (queue: string): Pick<RunQueue, "tenantId" | "credentialType"> => {
  const [tenantId = "", credentialType = ""] = queue.split(" ")
  return { tenantId, credentialType }
}

/** The queues as they are when runs of those that were read of them are taken. */
const afterTaking = (
  queues: ReadonlyArray<NamedQueue>,
  read: ReadonlyMap<string, ReadonlyArray<Candidate>>,
  runs: ReadonlyArray<DueRun>,
  heldUntil: Instant
): ReadonlyArray<NamedQueue> => {
  const taken = new Set(runs.map(({ credentialId, tenantId }) => keyOf(tenantId, credentialId)))
  return queues.map((queue) => {
    const own = read.get(queue.name)
    if (own === undefined) return queue
    const times = own.map(({ credentialId, dueAt, tenantId }) =>
      taken.has(keyOf(tenantId, credentialId)) ? heldUntil : dueAt
    )
    return { ...queue, dueAt: Math.min(...times) }
  })
}

/** Takes what is due in turns: what is there, whose turn it is, what of that is due, and then all of it at once. */
export const makeClaim = (sql: SqlClient.SqlClient) => {
  const { credentials, firstOf, queues, take } = makeStatements(sql)

  function* queuesAt(now: Instant): Script<ReadonlyArray<NamedQueue>> {
    return (yield* rows(queues({ now }))).map(({ due_at, held, queue }) => ({
      ...partsOf(queue),
      name: queue,
      dueAt: Number(due_at),
      held: Number(held)
    }))
  }

  /** Of each queue as many as can be taken and one more, which tells when it is due next. */
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
        dueAt: Number(row.due_at)
      }))
      .sort((one, two) => one.dueAt - two.dueAt)
  }

  function* taken(
    wanted: ReadonlyArray<Candidate>,
    now: Instant,
    lease: string,
    heldUntil: Instant
  ): Script<ReadonlyArray<DueRun>> {
    const [first, ...others] = wanted.map(({ credentialId, tenantId }) => ({
      tenant: tenantId,
      credential: credentialId,
      held_by: lease,
      held_until: heldUntil,
      due_by: now
    }))
    if (first === undefined) return []
    const claimed = (yield* rows(take([first, ...others]))) as ReadonlyArray<ClaimedRow>
    const attempts = new Map(claimed.map((row) => [keyOf(row.tenant_id, row.credential_id), Number(row.attempts)]))
    const read = (yield* rows(credentials([first, ...others]))) as ReadonlyArray<ResourceRow>
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
    const heldUntil = now + leaseMillis
    const runs = yield* taken(wanted, now, lease, heldUntil)
    const left = placesAfter(
      places,
      runs.map(({ credentialType }) => credentialType)
    )
    return Result.succeed({ runs, nextDueAt: nextDueAt(afterTaking(before, read, runs, heldUntil), left) })
  }
}
