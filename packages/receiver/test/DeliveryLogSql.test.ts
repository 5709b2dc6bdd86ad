import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { DeliveryLog, retentionSecondsLeast } from "@wcs/receiver/DeliveryLog"
import * as DeliveryLogSql from "@wcs/receiver/DeliveryLogSql"
import { DeliveryId } from "@wcs/receiver/WebhookEvent"
import * as SqliteClient from "@wcs/sqlite/SqliteClient"
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { deliveryLogSuite } from "./DeliveryLogSuite.ts"
import { idOf } from "./sender.ts"

/** The path of a database in a temporary directory, which is deleted with the scope. */
const filename = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "wcs-receiver-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  ),
  (path) => join(path, "receiver.db")
)
// The client polls its lock every second. With a test clock, days would be too many polls.
const ownClock = Layer.succeed(Clock.Clock, Clock.Clock.defaultValue())
const clientOf = (file: string) => Layer.provide(SqliteClient.layer({ filename: file }), ownClock)
const client = Layer.unwrap(Effect.map(filename, clientOf))

deliveryLogSuite("DeliveryLogSql on SQLite", Layer.provide(DeliveryLogSql.layer({ retentionSeconds: 0 }), client))

describe("DeliveryLogSql", () => {
  const id = DeliveryId.make(idOf(1))
  const claim = DeliveryLog.use((log) => Effect.map(log.claim(id, 90), ({ _tag }) => _tag))
  const complete = DeliveryLog.use((log) => log.complete(id))

  it.effect("EVT-12: remembers across a restart", () =>
    Effect.gen(function* () {
      const file = yield* filename
      const log = Layer.fresh(Layer.provide(DeliveryLogSql.layer(), clientOf(file)))
      yield* Effect.andThen(claim, complete).pipe(Effect.provide(log))
      assert.strictEqual(yield* claim.pipe(Effect.provide(log)), "Handled")
    })
  )

  it.effect("shares one table between logs, and nothing with another table", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* DeliveryLogSql.make(), yield* DeliveryLogSql.make()]
      const other = yield* DeliveryLogSql.make({ table: "other_sender" })
      const tags = yield* Effect.forEach([one, two, other], (log) => log.claim(id, 90))
      assert.deepStrictEqual(
        tags.map(({ _tag }) => _tag),
        ["Claimed", "Busy", "Claimed"]
      )
    }).pipe(Effect.provide(client))
  )

  it.effect("deletes the rows of forgotten deliveries", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const log = yield* DeliveryLogSql.make({ retentionSeconds: 0 })
      yield* log.complete(id)
      yield* log.claim(DeliveryId.make(idOf(2)), 0)
      const count = Effect.map(
        sql<{ readonly n: number }>`SELECT count(*) AS n FROM webhook_delivery`,
        ([row]) => row?.n
      )
      yield* TestClock.adjust(retentionSecondsLeast * 1000)
      yield* log.complete(DeliveryId.make(idOf(3)))
      assert.strictEqual(yield* count, 3)
      yield* TestClock.adjust(1)
      yield* log.complete(DeliveryId.make(idOf(4)))
      assert.strictEqual(yield* count, 2)
    }).pipe(Effect.provide(client))
  )
})
