import type * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Queue, Schedule, type Scope } from "effect"

/** How long it takes until a broken connection is tried again. */
const again = Schedule.spaced("500 millis")

/**
 * Hears what is told on a channel by `NOTIFY`, for as long as the scope lives, on a connection of its own. The answer
 * waits until something was told since the last wait, however often; and goes on once whenever listening has begun, for
 * what was told before went unheard. A connection that breaks is made anew.
 */
export const hear = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  channel: string
): Effect.fn.Return<Effect.Effect<void>, never, Scope.Scope> {
  const told = yield* Effect.acquireRelease(Queue.sliding<void>(1), Queue.shutdown)
  let isBroken = false
  const listening = Effect.scoped(
    Effect.gen(function* () {
      const notices = yield* sql.listen(channel)
      isBroken = false
      while (true) {
        yield* Queue.offer(told, undefined)
        yield* Queue.take(notices)
      }
    })
  )
  const complain = Effect.suspend(() => {
    if (isBroken) return Effect.void
    isBroken = true
    return Effect.logWarning(`nothing is heard on ${channel} until the database can be reached again`)
  })
  yield* listening.pipe(
    Effect.tapError(() => complain),
    Effect.retry(again),
    Effect.forkScoped
  )
  return Queue.take(told)
})
