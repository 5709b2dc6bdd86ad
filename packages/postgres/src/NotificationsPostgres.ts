import { PgClient } from "@effect/sql-pg/PgClient"
import * as Notifications from "@wcs/domain/shared/Notifications"
import { Effect, Layer, Queue } from "effect"
import { listen } from "./Hearing.ts"

/** The channel that all topics go by. */
const channel = "wcs_notices"

/** Topics that wait to be told at once; word that is more than that is lost, as word may be. */
const waitingMax = 10_000

/**
 * Word between all processes of a database, by NOTIFY and LISTEN. Who tells waits for nothing: this process hears it at
 * once, the others from a statement that takes along whatever was told while the last one was under way. NOTIFY is no
 * part of the transactions that it speaks of: Postgres commits those that tell one after the other.
 */
export const make = Effect.gen(function* () {
  const sql = yield* PgClient
  const within = yield* Notifications.make
  const waiting = new Set<string>()
  const due = yield* Effect.acquireRelease(Queue.sliding<void>(1), Queue.shutdown)

  const send = Effect.gen(function* () {
    yield* Queue.take(due)
    const topics = JSON.stringify([...waiting])
    waiting.clear()
    yield* Effect.ignore(
      sql`SELECT pg_notify(${channel}, topic) FROM jsonb_array_elements_text(CAST(CAST(${topics} AS TEXT) AS JSONB)) AS topic`
    )
  })
  yield* Effect.forkScoped(Effect.forever(send))
  yield* listen(sql, channel, { begun: Effect.void, told: within.notify })

  return Notifications.Notifications.of({
    listen: within.listen,
    notify: (topic) =>
      Effect.andThen(
        within.notify(topic),
        Effect.suspend(() => {
          if (waiting.size < waitingMax) waiting.add(topic)
          return Queue.offer(due, undefined)
        })
      )
  })
})

/** The client is for those who wait for nobody: one of its connections listens. */
export const layer: Layer.Layer<Notifications.Notifications, never, PgClient> = Layer.effect(
  Notifications.Notifications,
  make
)
