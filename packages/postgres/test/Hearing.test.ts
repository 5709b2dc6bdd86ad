import { assert, it } from "@effect/vitest"
import { hear } from "@wcs/postgres/Hearing"
import * as PostgresClient from "@wcs/postgres/PostgresClient"
import { freshDatabase } from "@wcs/store-suite/postgres/FreshDatabase"
import { Effect, Fiber, Layer } from "effect"

const client = Layer.unwrap(Effect.map(freshDatabase, (url) => PostgresClient.layer({ url, connections: 3 })))

const channel = "heard_test"

it.live("receives the notifications of its channel, several at once as one, and no others", () =>
  Effect.gen(function* () {
    const sql = yield* PostgresClient.PostgresClient
    const heard = yield* hear(sql, channel)
    yield* heard // listening began
    const waiting = yield* Effect.forkChild(heard)
    yield* sql`SELECT pg_notify('another', '')`
    yield* Effect.yieldNow
    assert.isUndefined(waiting.pollUnsafe())
    yield* sql`SELECT pg_notify(${channel}, '')`
    yield* Fiber.join(waiting)
  }).pipe(Effect.scoped, Effect.provide(client))
)

it.live("reconnects after its connection ends, and wakes once for notifications in between", () =>
  Effect.gen(function* () {
    const sql = yield* PostgresClient.PostgresClient
    const heard = yield* hear(sql, channel)
    yield* heard
    const ended = yield* sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND query LIKE 'LISTEN%' AND pid <> pg_backend_pid()`
    assert.lengthOf(ended, 1)
    yield* heard // listening began again
    yield* sql`SELECT pg_notify(${channel}, '')`
    yield* heard
  }).pipe(Effect.scoped, Effect.provide(client))
)
