import { closeSync, openSync, writeSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as SqliteSnapshot from "@wcs/sqlite/SqliteSnapshot"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { filename, open, within } from "./temporary.ts"

const snapshot = (file: string) =>
  Effect.map(Layer.build(Layer.fresh(SqliteSnapshot.layer(file))), (context) =>
    Context.get(context, SqlClient.SqlClient)
  )

const ids = (sql: SqlClient.SqlClient) =>
  Effect.map(sql<{ readonly id: number }>`SELECT id FROM t ORDER BY id`, (rows) => rows.map(({ id }) => id))

const filled = (file: string) =>
  within(file, (sql) =>
    Effect.andThen(sql`CREATE TABLE t (id INTEGER PRIMARY KEY) STRICT`, sql`INSERT INTO t VALUES (1)`)
  )

describe("a snapshot", () => {
  it.effect("keeps its moment while the owner of the database writes", () =>
    Effect.gen(function* () {
      const file = yield* filename
      yield* filled(file)
      const sql = Context.get(yield* open(file), SqlClient.SqlClient)
      const before = yield* snapshot(file)
      yield* sql`INSERT INTO t VALUES (2)`
      assert.deepStrictEqual(yield* ids(before), [1])
      assert.deepStrictEqual(yield* ids(yield* snapshot(file)), [1, 2])
    })
  )

  it.effect("excludes a transaction that is open", () =>
    Effect.gen(function* () {
      const file = yield* filename
      yield* filled(file)
      const sql = Context.get(yield* open(file), SqlClient.SqlClient)
      const seen = yield* sql.withTransaction(
        Effect.andThen(sql`INSERT INTO t VALUES (2)`, Effect.flatMap(snapshot(file), ids))
      )
      assert.deepStrictEqual(seen, [1])
    })
  )

  it.effect("reads a database that no process has opened, and cannot write", () =>
    Effect.gen(function* () {
      const file = yield* filename
      yield* filled(file)
      const sql = yield* snapshot(file)
      assert.deepStrictEqual(yield* ids(sql), [1])
      const error = yield* Effect.flip(sql`INSERT INTO t VALUES (2)`)
      assert.include(error.message, "readonly")
    })
  )

  it.effect("is refused for a damaged file, and for a missing one", () =>
    Effect.gen(function* () {
      const file = yield* filename
      yield* filled(file)
      const handle = openSync(file, "r+")
      writeSync(handle, Buffer.alloc(64, 0xff), 0, 64, 4096)
      closeSync(handle)
      assert.strictEqual((yield* Effect.flip(snapshot(file))).reason, "damaged")
      assert.strictEqual((yield* Effect.flip(snapshot(`${file}.missing`))).reason, "not writable")
    })
  )
})
