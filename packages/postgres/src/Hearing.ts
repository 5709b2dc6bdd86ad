import type * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Queue, Schedule, type Scope } from "effect"

/** How long it takes until a broken connection is tried again. */
const again = Schedule.spaced("500 millis")

/** What is done about what is heard. */
export interface Hearer {
  /** Listening has begun, for the first time or again: what was told before went unheard. */
  readonly begun: Effect.Effect<unknown>
  readonly told: (what: string) => Effect.Effect<unknown>
}

/**
 * Listens for what is told on a channel by `NOTIFY`, for as long as the scope lives, on a connection of its own. One that
 * breaks is made anew.
 */
export const listen = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  channel: string,
  { begun, told }: Hearer
): Effect.fn.Return<void, never, Scope.Scope> {
  let isBroken = false
  const listening = Effect.scoped(
    Effect.gen(function* () {
      const notifications = yield* sql.listen(channel)
      isBroken = false
      yield* begun
      while (true) yield* told((yield* Queue.take(notifications)).payload)
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
})

/**
 * Listens likewise, for whom it is enough to know that something was told. The answer waits until that was so since the
 * last wait, however often; and goes on once whenever listening has begun.
 */
export const hear = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  channel: string
): Effect.fn.Return<Effect.Effect<void>, never, Scope.Scope> {
  const heard = yield* Effect.acquireRelease(Queue.sliding<void>(1), Queue.shutdown)
  const offer = Queue.offer(heard, undefined)
  yield* listen(sql, channel, { begun: offer, told: () => offer })
  return Queue.take(heard)
})
