import { assert, describe, it } from "@effect/vitest"
import * as SqliteClient from "@wcs/sqlite/SqliteClient"
import { Deferred, Effect, Fiber, Layer, References } from "effect"
import { SqlClient } from "effect/sql"

let fills = 0
const filled = SqliteClient.layerMemory(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    fills++
    yield* sql`CREATE TABLE t (id TEXT PRIMARY KEY) STRICT`
    yield* sql`CREATE TABLE u (id TEXT NOT NULL REFERENCES t (id)) STRICT`
    yield* sql`INSERT INTO t (id) VALUES ('first')`
  })
)

const insert = (id: string) => SqlClient.SqlClient.use((sql) => sql`INSERT INTO t (id) VALUES (${id})`)
const ids = SqliteClient.SqliteClient.use(({ readSync }) => readSync("SELECT id FROM t ORDER BY id", [])).pipe(
  Effect.map((rows) => rows.map(([id]) => id)),
  Effect.provideService(References.TracerEnabled, false)
)

describe("a database in memory", () => {
  it.effect("is a copy of its own at each build, filled once", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* Layer.build(Layer.fresh(filled)), yield* Layer.build(Layer.fresh(filled))]
      yield* Effect.provide(insert("mine"), one)
      assert.deepStrictEqual(yield* Effect.provide(ids, one), ["first", "mine"])
      assert.deepStrictEqual(yield* Effect.provide(ids, other), ["first"])
      assert.strictEqual(fills, 1)
    })
  )

  it.effect("enforces foreign keys", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const error = yield* Effect.flip(sql`INSERT INTO u (id) VALUES ('none')`)
      assert.include(error.message, "FOREIGN KEY")
    }).pipe(Effect.provide(filled))
  )

  it.effect("reads no row of an open transaction, also not synchronously", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [inside, leave] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const undone = insert("undone").pipe(
        Effect.andThen(Deferred.succeed(inside, undefined)),
        Effect.andThen(Deferred.await(leave)),
        Effect.andThen(Effect.fail("undo"))
      )
      const holder = yield* Effect.forkChild(Effect.exit(sql.withTransaction(undone)))
      yield* Deferred.await(inside)
      const read = yield* Effect.forkChild(ids)
      yield* Effect.yieldNow
      yield* Deferred.succeed(leave, undefined)
      assert.deepStrictEqual(yield* Fiber.join(read), ["first"])
      yield* Fiber.join(holder)
      yield* insert("kept")
      assert.deepStrictEqual(yield* ids, ["first", "kept"])
    }).pipe(Effect.provide(filled))
  )
})
