import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { deliveryDue, Notifications, settled, verificationDue } from "@wcs/domain/shared/Notifications"
import * as NotificationsPostgres from "@wcs/postgres/NotificationsPostgres"
import * as PostgresClient from "@wcs/postgres/PostgresClient"
import { freshDatabase } from "@wcs/store-suite/postgres/FreshDatabase"
import { Context, Effect, Fiber, Latch, Layer, type Redacted } from "effect"
import { Reactivity } from "effect/reactivity"

/** The notifications of one process. */
const instance = (url: Redacted.Redacted) =>
  Effect.map(
    Layer.build(
      Layer.fresh(NotificationsPostgres.layer.pipe(Layer.provide(PostgresClient.layer({ url, connections: 3 }))))
    ),
    (context) => Context.get(context, Notifications)
  )

/** Listens from now on. The inner effect completes at the next notification. */
const listening = ({ listen }: Notifications["Service"], topic: string) =>
  Effect.suspend(() => {
    const latch = Latch.makeUnsafe(false)
    return Effect.as(listen(topic, latch), latch.await)
  })

/** Notifies until heard, because listening may not have begun. */
const notifiedUntilHeard = (notifier: Notifications["Service"], topic: string, heard: Effect.Effect<void>) =>
  Effect.raceFirst(heard, Effect.forever(Effect.andThen(notifier.notify(topic), Effect.sleep("10 millis"))))

it.live("delivers a notification to other processes and to its own, by topic", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const [one, other] = [yield* instance(url), yield* instance(url)]
    const strange = yield* Effect.forkChild(yield* listening(other, verificationDue))
    const here = yield* listening(one, deliveryDue)
    yield* notifiedUntilHeard(one, deliveryDue, yield* listening(other, deliveryDue))
    yield* here
    assert.isUndefined(strange.pollUnsafe())
  })
)

it.live("loses none of many topics notified at once", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const [one, other] = [yield* instance(url), yield* instance(url)]
    yield* notifiedUntilHeard(one, deliveryDue, yield* listening(other, deliveryDue))
    const topics = Array.from({ length: 500 }, (_, n) => settled(`ver_${n} "\\ \u{1f600}`))
    const waits = yield* Effect.forEach(topics, (topic) => Effect.flatMap(listening(other, topic), Effect.forkChild))
    yield* Effect.forEach(topics, one.notify)
    for (const wait of waits) yield* Fiber.join(wait)
  })
)

it.live("notifies without waiting or failing while the database is unavailable, and delivers again afterwards", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const [one, other] = [yield* instance(url), yield* instance(url)]
    yield* notifiedUntilHeard(one, deliveryDue, yield* listening(other, deliveryDue))
    const sql = yield* PgClient.makeClient({ url })
    const notified = yield* listening(one, verificationDue)
    yield* sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'wcs'`
    yield* one.notify(verificationDue)
    yield* notified // within the process no database is needed
    yield* notifiedUntilHeard(one, deliveryDue, yield* listening(other, deliveryDue))
  }).pipe(Effect.provide(Reactivity.layer))
)
