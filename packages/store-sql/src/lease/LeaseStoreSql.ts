import { type LeaseKind, LeaseStore } from "@wcs/domain/lease/LeaseStore"
import { rebalance, type WorkerLeases } from "@wcs/domain/lease/Rebalance"
import { Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { makeAtomically } from "../engine/Atomic.ts"
import { insertAll, keepInsert } from "../engine/Batch.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { changes, rows, type Script } from "../engine/Script.ts"

interface LeaseRow {
  readonly kind: string
  readonly partition: unknown
  readonly held_by: string
  readonly held_until: unknown
}

interface HolderRow {
  readonly id: string
  readonly live_until: unknown
}

/** The lease of a command that pauses all workers of the database (`cells/Pause.ts`): meanwhile they take no leases. */
export const pauseKind = "pause"

type Beat = Parameters<LeaseStore["Service"]["beat"]>[1]

const makeBeat = (sql: SqlClient.SqlClient) => {
  const dialect = dialectOf(sql)
  const assignments = sql.literal("held_by = excluded.held_by, held_until = excluded.held_until")
  const columns = { kind: "TEXT", partition: "BIGINT", held_by: "TEXT", held_until: "BIGINT" } as const
  const renew = keepInsert(
    sql,
    columns,
    (batch) => sql`${insertAll(sql, "lease", columns, batch)}
      ON CONFLICT (kind, partition) DO UPDATE SET ${assignments}`
  )

  return function* (kind: LeaseKind, { leaseMillis, ...heartbeat }: Beat): Script<Result.Result<WorkerLeases>> {
    const { now, predecessors, worker } = heartbeat
    const lock = dialect.lockTenant("lease", kind)
    if (lock !== undefined) yield* rows(lock)
    const stored = yield* rows(sql<LeaseRow>`SELECT l.kind, l.partition, l.held_by, l.held_until FROM lease AS l
      WHERE l.kind = ${kind} OR l.kind = ${pauseKind} ORDER BY l.partition`)
    const leases = stored.filter((row) => row.kind === kind)
    const pausedUntil = stored.find((row) => row.kind === pauseKind && Number(row.held_until) > now)?.held_until
    const isLeaving = heartbeat.isLeaving || pausedUntil !== undefined
    const workers = yield* rows(sql<HolderRow>`SELECT w.id, w.live_until FROM lease_holder AS w WHERE w.kind = ${kind}`)
    const share = rebalance(
      {
        leases: leases.map((row) => ({
          partition: Number(row.partition),
          heldBy: row.held_by,
          heldUntil: Number(row.held_until)
        })),
        workers: workers.map((row) => ({ id: row.id, liveUntil: Number(row.live_until) }))
      },
      { ...heartbeat, isLeaving }
    )
    const until = now + leaseMillis
    const replaced = [worker, ...predecessors]
    yield* changes(sql`DELETE FROM lease_holder WHERE kind = ${kind}
      AND (live_until <= ${now} OR ${sql.in("id", replaced)})`)
    if (!isLeaving) yield* changes(sql`INSERT INTO lease_holder ${sql.insert({ kind, id: worker, live_until: until })}`)
    if (share.released.length > 0) {
      yield* changes(sql`DELETE FROM lease WHERE kind = ${kind} AND ${sql.in("partition", share.released)}`)
    }
    yield* renew(share.leased.map((partition) => ({ kind, partition, held_by: worker, held_until: until })))
    if (pausedUntil === undefined) return Result.succeed(share)
    const nextExpiryAt = Math.min(Number(pausedUntil), share.nextExpiryAt ?? Number.POSITIVE_INFINITY)
    return Result.succeed({ ...share, nextExpiryAt })
  }
}

export const make = Effect.gen(function* () {
  const atomically = yield* makeAtomically
  const beat = makeBeat(yield* SqlClient.SqlClient)
  return LeaseStore.of({ beat: (kind, heartbeat) => atomically(() => beat(kind, heartbeat)) })
})

/** Leases that several processes share. */
export const layer = Layer.effect(LeaseStore, make)
