import { copyFileSync, mkdirSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import * as SqliteClient from "@wcs/sqlite/SqliteClient"
import { settingsFault } from "@wcs/sqlite/SqliteConnection"
import { fromCause, type OpenFailure } from "@wcs/sqlite/SqliteOpenError"
import { Effect, Layer } from "effect"
import { filename, open, within } from "./temporary.ts"

/** Opening fails for this reason, with one sentence that names the file. */
const refuses = (file: string, reason: OpenFailure) =>
  Effect.gen(function* () {
    const error = yield* Effect.flip(Effect.scoped(open(file)))
    assert.strictEqual(error._tag, "SqliteOpenError")
    assert.strictEqual(error.reason, reason, error.detail)
    assert.match(error.message, /^\S.* .*: .*\.$/)
    assert.include(error.message, file)
  })

const filled = (file: string) =>
  within(file, (sql) =>
    Effect.gen(function* () {
      yield* sql`CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT`
      for (let id = 0; id < 200; id++) yield* sql`INSERT INTO t VALUES (${id}, ${"x".repeat(1000)})`
    }).pipe(sql.withTransaction)
  )

describe("settings of an opened database", () => {
  it.effect("uses WAL, waits for the disk and enforces foreign keys", () =>
    Effect.gen(function* () {
      const read = yield* within(yield* filename, (sql) =>
        Effect.all([sql`PRAGMA journal_mode`, sql`PRAGMA synchronous`, sql`PRAGMA foreign_keys`])
      )
      assert.deepStrictEqual(
        read.map(([row]) => ({ ...row })),
        [{ journal_mode: "wal" }, { synchronous: 2 }, { foreign_keys: 1 }]
      )
    })
  )

  it("names settings that would lose writes", () => {
    const safe = { journalMode: "wal", synchronous: 2, foreignKeys: 1 }
    assert.isUndefined(settingsFault(safe, false))
    assert.isUndefined(settingsFault({ ...safe, journalMode: "memory" }, true))
    assert.include(settingsFault({ ...safe, journalMode: "delete" }, false), "journal_mode is delete")
    assert.include(settingsFault({ ...safe, synchronous: 1 }, false), "synchronous is 1")
    assert.include(settingsFault({ ...safe, foreignKeys: 0 }, false), "foreign_keys is 0")
  })

  it.effect("keeps nothing of an in-memory database and locks nothing", () =>
    Effect.gen(function* () {
      yield* open(":memory:")
      yield* within(":memory:", (sql) => sql`CREATE TABLE t (id INTEGER) STRICT`)
      const tables = yield* within(":memory:", (sql) => sql`SELECT name FROM sqlite_schema`)
      assert.deepStrictEqual(tables, [])
    })
  )

  it.effect("removes statistics, which would mislead the planner of a store that has grown", () =>
    Effect.gen(function* () {
      const file = yield* filename
      yield* filled(file)
      yield* within(file, (sql) => sql`ANALYZE`)
      const tables = yield* within(file, (sql) => sql`SELECT name FROM sqlite_schema WHERE name = 'sqlite_stat1'`)
      assert.deepStrictEqual(tables, [])
    })
  )
})

describe("refused databases", () => {
  it.effect("a second opening in the same process, by any path", () =>
    Effect.gen(function* () {
      const file = yield* filename
      const link = join(dirname(file), "link.db")
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* open(file)
          symlinkSync(file, link)
          yield* refuses(file, "in use")
          const error = yield* Effect.flip(Effect.scoped(open(link)))
          assert.strictEqual(error.reason, "in use")
        })
      )
      yield* within(link, (sql) => sql`SELECT 1`)
    })
  )

  it.effect("a database that another program writes to", () =>
    Effect.gen(function* () {
      const file = yield* filename
      yield* filled(file)
      const other = new DatabaseSync(file)
      other.exec("BEGIN IMMEDIATE")
      yield* refuses(file, "in use")
      other.close()
      yield* within(file, (sql) => sql`SELECT 1`)
    })
  )

  it.effect("a file that is not a database, which stays unchanged", () =>
    Effect.gen(function* () {
      const file = yield* filename
      writeFileSync(file, "id,name\n".repeat(1000))
      yield* refuses(file, "not a database")
      assert.strictEqual(readFileSync(file, "utf8"), "id,name\n".repeat(1000))
    })
  )

  it.effect("a database truncated after a kill, whose log stays unchanged", () =>
    Effect.gen(function* () {
      const file = yield* filename
      yield* filled(file)
      const left = `${file}.left`
      {
        using database = new DatabaseSync(file)
        database.exec(
          "CREATE TABLE more AS SELECT hex(zeroblob(5000)) AS text FROM json_each('[1, 2, 3, 4, 5, 6, 7, 8]')"
        )
        copyFileSync(file, left)
        copyFileSync(`${file}-wal`, `${left}-wal`)
      }
      truncateSync(left, statSync(left).size - 8192) // so little that SQLite would still checkpoint the log
      const [bytes, log] = [readFileSync(left), readFileSync(`${left}-wal`)]
      yield* refuses(left, "damaged")
      assert.isTrue(readFileSync(left).equals(bytes))
      assert.isTrue(readFileSync(`${left}-wal`).equals(log))
    })
  )

  it.effect("accepts a log that a kill left beside an intact file, and copies it before the first commit", () =>
    Effect.gen(function* () {
      const file = yield* filename
      yield* filled(file)
      const left = `${file}.left`
      {
        using database = new DatabaseSync(file)
        database.exec("UPDATE t SET text = 'later' WHERE id = 1")
        copyFileSync(file, left)
        copyFileSync(`${file}-wal`, `${left}-wal`)
      }
      const texts = yield* within(left, (sql) => {
        assert.strictEqual(statSync(`${left}-wal`).size, 0)
        return sql`SELECT text FROM t WHERE id = 1`
      })
      assert.deepStrictEqual(
        texts.map((row) => ({ ...row })),
        [{ text: "later" }]
      )
    })
  )

  it.effect("a database with an overwritten page, which only a check finds", () =>
    Effect.gen(function* () {
      const file = yield* filename
      yield* filled(file)
      const bytes = readFileSync(file)
      bytes.fill(7, 4096 * 20, 4096 * 21)
      writeFileSync(file, bytes)
      yield* refuses(file, "damaged")
    })
  )

  it.effect("a directory in place of the file, a missing directory, and a directory in place of the lock", () =>
    Effect.gen(function* () {
      const file = yield* filename
      yield* refuses(join(dirname(file), "missing", "store.db"), "not writable")
      mkdirSync(join(dirname(file), "taken.db"))
      yield* refuses(join(dirname(file), "taken.db"), "not writable")
      mkdirSync(`${file}.lock`)
      yield* refuses(file, "not writable")
    })
  )

  it("maps SQLite's codes to reasons", () => {
    const reasonOf = (errcode: number) => fromCause("store.db", Object.assign(new Error("said"), { errcode })).reason
    const readOnlyDirectory = 1544
    const diskFull = 13
    assert.deepStrictEqual([8, readOnlyDirectory, 14, 5, 11, 26, diskFull].map(reasonOf), [
      "not writable",
      "not writable",
      "not writable",
      "in use",
      "damaged",
      "not a database",
      "unusable"
    ])
  })

  it.effect("releases the lock if opening fails later", () =>
    Effect.gen(function* () {
      const file = yield* filename
      yield* filled(file)
      const good = `${file}.good`
      copyFileSync(file, good)
      truncateSync(file, 65_536)
      yield* refuses(file, "damaged")
      copyFileSync(good, file)
      const exit = yield* Effect.exit(Effect.scoped(Layer.build(SqliteClient.layer({ filename: file }))))
      assert.strictEqual(exit._tag, "Success")
    })
  )
})
