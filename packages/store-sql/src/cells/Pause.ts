import { leaseKinds } from "@wcs/domain/lease/LeaseStore"
import { Clock, Effect, Schedule } from "effect"
import type { SqlClient } from "effect/sql"
import { dialectOf } from "../engine/Dialect.ts"
import { pauseKind } from "../lease/LeaseStoreSql.ts"

/** How long workers stay paused without a renewal, in milliseconds. */
const pauseMillis = 120_000

const renewMillis = 10_000

/** Lets workers send their heartbeats now. */
const notify = (sql: SqlClient.SqlClient, { channel, topic }: Notice) => sql`SELECT pg_notify(${channel}, ${topic})`

/** How workers are notified of changed leases. */
export interface Notice {
  readonly channel: string
  readonly topic: string
}

/** Begins the pause in turn with the heartbeats, so that each one either sees it or has ended. */
const take = (sql: SqlClient.SqlClient, owner: string) =>
  Effect.gen(function* () {
    for (const kind of leaseKinds) yield* dialectOf(sql).lockTenant("lease", kind) ?? Effect.void
    const until = (yield* Clock.currentTimeMillis) + pauseMillis
    yield* sql`INSERT INTO lease ${sql.insert({ kind: pauseKind, partition: 0, held_by: owner, held_until: until })}
      ON CONFLICT (kind, partition) DO UPDATE SET held_by = excluded.held_by, held_until = excluded.held_until`
  }).pipe(sql.withTransaction)

const renew = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, owner: string) {
  const until = (yield* Clock.currentTimeMillis) + pauseMillis
  yield* sql`UPDATE lease SET held_until = ${until} WHERE kind = ${pauseKind} AND held_by = ${owner}`
})

/**
 * Pauses all workers of a database until the scope closes: they take no leases, and release their own when their work in
 * flight is done. If the process dies, the pause ends after two minutes.
 */
export const begin = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, owner: string, notice: Notice) {
  yield* Effect.addFinalizer(() =>
    Effect.ignore(
      Effect.andThen(sql`DELETE FROM lease WHERE kind = ${pauseKind} AND held_by = ${owner}`, notify(sql, notice))
    )
  )
  yield* take(sql, owner)
  yield* Effect.ignore(renew(sql, owner)).pipe(Effect.repeat(Schedule.spaced(renewMillis)), Effect.forkScoped)
  yield* notify(sql, notice)
})

/** The number of leases that workers still have. Leases of a dead worker expire. */
export const leasesLeft = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const now = yield* Clock.currentTimeMillis
  const [row] = yield* sql<{ readonly count: unknown }>`SELECT count(*) AS count FROM lease AS l
    WHERE l.kind <> ${pauseKind} AND l.held_until > ${now}`
  return Number(row?.count ?? 0)
})
