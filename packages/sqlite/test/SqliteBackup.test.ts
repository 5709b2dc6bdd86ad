import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { SqliteBackup } from "@wcs/sqlite/SqliteBackup"
import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { filename, open, within } from "./temporary.ts"

const opened = Effect.gen(function* () {
  const file = yield* filename
  const context = yield* open(file)
  const sql = Context.get(context, SqlClient.SqlClient)
  yield* sql`CREATE TABLE t (id INTEGER PRIMARY KEY) STRICT`
  yield* sql`INSERT INTO t VALUES (1)`
  return { file, sql, backup: Context.get(context, SqliteBackup).backup, target: join(dirname(file), "copy.db") }
})

const idsIn = (file: string) =>
  within(file, (sql) =>
    Effect.map(sql<{ readonly id: number }>`SELECT id FROM t ORDER BY id`, (rows) => rows.map(({ id }) => id))
  )

describe("a backup", () => {
  it.effect("contains all committed data in one file, which can be opened", () =>
    Effect.gen(function* () {
      const { backup, sql, target } = yield* opened
      yield* backup(target)
      yield* sql`INSERT INTO t VALUES (2)`
      assert.deepStrictEqual(
        ["-wal", "-journal", ".partial"].filter((suffix) => existsSync(target + suffix)),
        []
      )
      assert.deepStrictEqual(yield* idsIn(target), [1])
    })
  )

  it.effect("excludes a transaction that is open", () =>
    Effect.gen(function* () {
      const { backup, sql, target } = yield* opened
      yield* sql.withTransaction(Effect.andThen(sql`INSERT INTO t VALUES (2)`, backup(target)))
      assert.deepStrictEqual(yield* idsIn(target), [1])
    })
  )

  it.effect("does not overwrite a file", () =>
    Effect.gen(function* () {
      const { backup, target } = yield* opened
      writeFileSync(target, "precious")
      const error = yield* Effect.flip(backup(target))
      assert.strictEqual(error.message, `No backup was written to ${target}: the file already exists.`)
      assert.strictEqual(readFileSync(target, "utf8"), "precious")
    })
  )

  it.effect("leaves no file if it fails", () =>
    Effect.gen(function* () {
      const { backup, file } = yield* opened
      const target = join(dirname(file), "missing", "copy.db")
      const error = yield* Effect.flip(backup(target))
      assert.strictEqual(error._tag, "SqliteBackupError")
      assert.isFalse(existsSync(target))
    })
  )

  it.effect("is refused for an in-memory database", () =>
    Effect.gen(function* () {
      const context = yield* open(":memory:")
      const error = yield* Effect.flip(Context.get(context, SqliteBackup).backup("copy.db"))
      assert.include(error.message, "in-memory")
    })
  )
})
