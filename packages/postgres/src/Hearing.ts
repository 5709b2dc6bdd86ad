import { Effect, Queue, Schedule, type Scope } from "effect"
import type { PostgresClient } from "./PostgresClient.ts"

/** The delay before a broken connection is retried. */
const again = Schedule.spaced("500 millis")

/** Callbacks of a listener. */
export interface Hearer {
  /** Listening began, for the first time or again. Earlier notifications were lost. */
  readonly begun: Effect.Effect<unknown>
  readonly notified: (what: string) => Effect.Effect<unknown>
}

/** Listens for `NOTIFY` on a channel while the scope lives, on a connection of its own. Reconnects after a failure. */
export const listen = Effect.fnUntraced(function* (
  sql: Pick<PostgresClient["Service"], "listen">,
  channel: string,
  { begun, notified }: Hearer
): Effect.fn.Return<void, never, Scope.Scope> {
  let isBroken = false
  const listening = Effect.scoped(
    Effect.gen(function* () {
      const notifications = yield* sql.listen(channel)
      isBroken = false
      yield* begun
      while (true) yield* notified((yield* Queue.take(notifications)).payload)
    })
  )
  const warn = Effect.suspend(() => {
    if (isBroken) return Effect.void
    isBroken = true
    return Effect.logWarning(`the database is unreachable: no notifications on ${channel} until it is back`)
  })
  yield* listening.pipe(
    Effect.tapError(() => warn),
    Effect.retry(again),
    Effect.forkScoped
  )
})

/**
 * Like `listen`, without payloads. The returned effect waits until something was notified since the last wait, or until
 * listening began again.
 */
export const hear = Effect.fnUntraced(function* (
  sql: Pick<PostgresClient["Service"], "listen">,
  channel: string
): Effect.fn.Return<Effect.Effect<void>, never, Scope.Scope> {
  const heard = yield* Effect.acquireRelease(Queue.sliding<void>(1), Queue.shutdown)
  const offer = Queue.offer(heard, undefined)
  yield* listen(sql, channel, { begun: offer, notified: () => offer })
  return Queue.take(heard)
})
