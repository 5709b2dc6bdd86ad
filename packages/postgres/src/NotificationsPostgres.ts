import * as Notifications from "@wcs/domain/shared/Notifications"
import { Effect, Layer, Queue } from "effect"
import { listen } from "./Hearing.ts"
import { PostgresClient } from "./PostgresClient.ts"

/** The channel of all topics. */
export const channel = "wcs_notices"

/** The maximum number of topics that wait to be sent. Further ones are lost, which `Notifications` allows. */
const waitingMax = 10_000

/**
 * Notifications between all processes of a database, by NOTIFY and LISTEN. `notify` does not wait. It notifies this
 * process directly. One statement notifies the others of all topics that were collected meanwhile. NOTIFY stays outside
 * the writing transactions, because Postgres serializes the commits of transactions that notify.
 */
export const make = Effect.gen(function* () {
  const sql = yield* PostgresClient
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
  yield* listen(sql, channel, { begun: Effect.void, notified: within.notify })

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

/** Needs a client that nothing else uses, because one connection of the client listens. */
export const layer: Layer.Layer<Notifications.Notifications, never, PostgresClient> = Layer.effect(
  Notifications.Notifications,
  make
)
