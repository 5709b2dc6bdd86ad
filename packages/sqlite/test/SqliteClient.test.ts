import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { SqliteClient } from "@wcs/sqlite/SqliteClient"
import { SqliteConnection, statementsMax } from "@wcs/sqlite/SqliteConnection"
import { Deferred, Effect, Fiber, References } from "effect"
import { SqlClient } from "effect/sql"
import { filename, open } from "./temporary.ts"

/** Runs a test on an open database with the table `t (id PRIMARY KEY, name UNIQUE, parent)`. */
const onTable = <A, E>(use: (sql: SqlClient.SqlClient) => Effect.Effect<A, E, SqliteClient>) =>
  Effect.gen(function* () {
    const context = yield* open(yield* filename)
    return yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`CREATE TABLE t (id TEXT PRIMARY KEY, name TEXT UNIQUE, parent TEXT REFERENCES t (id)) STRICT`
      return yield* use(sql)
    }).pipe(Effect.provide(context))
  })

describe("errors", () => {
  it.effect("reports duplicates of primary keys and unique columns as UniqueViolation", () =>
    onTable((sql) =>
      Effect.gen(function* () {
        yield* sql`INSERT INTO t (id, name) VALUES ('a', 'one')`
        const key = yield* Effect.flip(sql`INSERT INTO t (id) VALUES ('a')`)
        const column = yield* Effect.flip(sql`INSERT INTO t (id, name) VALUES ('b', 'one')`)
        assert.strictEqual(key.reason._tag, "UniqueViolation")
        assert.strictEqual(column.reason._tag, "UniqueViolation")
        assert.propertyVal(column.reason, "constraint", "t.name")
      })
    )
  )

  it.effect("does not report other violated constraints as duplicates", () =>
    onTable((sql) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(sql`INSERT INTO t (id, parent) VALUES ('a', 'nobody')`)
        assert.strictEqual(error.reason._tag, "ConstraintError")
      })
    )
  )

  it.effect("does not take an object as named parameters", () =>
    onTable((sql) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(sql.unsafe("SELECT id FROM t WHERE id = ?", [{ id: "a" }]))
        assert.include(error.message, "a parameter is a object")
      })
    )
  )
})

describe("prepared statements", () => {
  it("are cached up to a limit, and return objects or arrays independent of earlier runs", () => {
    using database = new DatabaseSync(":memory:")
    const connection = new SqliteConnection(database)
    assert.deepStrictEqual(connection.values("SELECT ? AS a", ["x"]), [["x"]])
    assert.deepStrictEqual(
      connection.rows("SELECT ? AS a", ["y"]).map((row) => ({ ...row })),
      [{ a: "y" }]
    )
    assert.deepStrictEqual(connection.values("SELECT ? AS a", ["z"]), [["z"]])
    assert.strictEqual(connection.kept, 1)
    for (let n = 0; n < statementsMax + 50; n++) connection.rows(`SELECT ${n}`)
    assert.strictEqual(connection.kept, statementsMax)
  })

  it("are reset after a run that failed midway", () => {
    using database = new DatabaseSync(":memory:")
    const connection = new SqliteConnection(database)
    connection.exec("CREATE TABLE t (id INTEGER PRIMARY KEY) STRICT")
    const sql = "INSERT INTO t SELECT value FROM json_each(?)"
    assert.throws(() => connection.run(sql, ["[1, 2, 1]"]))
    assert.strictEqual(connection.run(sql, ["[1, 2, 3]"]).changes, 3)
  })

  it("see a table's new columns after it was altered", () => {
    using database = new DatabaseSync(":memory:")
    const connection = new SqliteConnection(database)
    connection.exec("CREATE TABLE t (id INTEGER PRIMARY KEY) STRICT")
    assert.deepStrictEqual(connection.rows("SELECT * FROM t"), [])
    connection.exec("ALTER TABLE t ADD COLUMN name TEXT NOT NULL DEFAULT 'none'")
    connection.exec("INSERT INTO t (id) VALUES (1)")
    assert.deepStrictEqual(
      connection.rows("SELECT * FROM t").map((row) => ({ ...row })),
      [{ id: 1, name: "none" }]
    )
  })
})

describe("readSync", () => {
  const read = SqliteClient.use(({ readSync }) => readSync("SELECT id, name FROM t WHERE id <> ? ORDER BY id", ["z"]))

  for (const isTraced of [false, true]) {
    const tracing = Effect.provideService(References.TracerEnabled, isTraced)

    it.effect(`returns rows as arrays, ${isTraced ? "with" : "without"} a tracer`, () =>
      onTable((sql) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* read, [])
          yield* sql`INSERT INTO t (id, name) VALUES ('a', 'one'), ('b', NULL), ('z', 'last')`
          const rows = yield* read
          assert.deepStrictEqual(
            rows.map((row) => [...row]),
            [
              ["a", "one"],
              ["b", null]
            ]
          )
          const error = yield* Effect.flip(SqliteClient.use(({ readSync }) => readSync("SELECT no FROM t", [])))
          assert.include(error.message, "no such column")
        })
      ).pipe(tracing)
    )

    it.effect(`sees the writes of its own transaction only, ${isTraced ? "with" : "without"} a tracer`, () =>
      onTable((sql) =>
        Effect.gen(function* () {
          const inside = yield* Deferred.make<void>()
          const leave = yield* Deferred.make<void>()
          const held = yield* Effect.forkChild(
            sql.withTransaction(
              Effect.gen(function* () {
                yield* sql`INSERT INTO t (id) VALUES ('a')`
                yield* Deferred.succeed(inside, undefined)
                yield* Deferred.await(leave)
                return (yield* read).length
              })
            )
          )
          yield* Deferred.await(inside)
          assert.deepStrictEqual(yield* read, [])
          yield* Deferred.succeed(leave, undefined)
          assert.strictEqual(yield* Fiber.join(held), 1)
        })
      ).pipe(tracing)
    )
  }
})

describe("readUpTo", () => {
  const read = (most: number) =>
    SqliteClient.use(({ readUpTo }) => readUpTo("SELECT id, name FROM t WHERE id <> ? ORDER BY id", ["z"], most))

  it.effect("stops after the row with which the texts exceed the limit, and leaves no read open", () =>
    onTable((sql) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* read(0), [])
        yield* sql`INSERT INTO t (id, name) VALUES ('a', 'one'), ('b', NULL), ('c', 'three'), ('z', 'last')`
        const idsUpTo = (most: number) => Effect.map(read(most), (rows) => rows.map(({ id }) => id))
        assert.deepStrictEqual(yield* idsUpTo(3), ["a"])
        assert.deepStrictEqual(yield* idsUpTo(4), ["a", "b"])
        assert.deepStrictEqual(yield* idsUpTo(5), ["a", "b", "c"])
        assert.deepStrictEqual(yield* idsUpTo(3), ["a"])
        // A statement that is not reset would go on reading the old snapshot.
        yield* sql`UPDATE t SET id = 'd' WHERE id = 'a'`
        assert.deepStrictEqual(yield* idsUpTo(0), ["b"])
        assert.deepStrictEqual(yield* idsUpTo(1_000), ["b", "c", "d"])
        const error = yield* Effect.flip(SqliteClient.use(({ readUpTo }) => readUpTo("SELECT no FROM t", [], 1)))
        assert.include(error.message, "no such column")
      })
    ).pipe(Effect.provideService(References.TracerEnabled, false))
  )

  it.effect("returns all rows of its own transaction", () =>
    onTable((sql) =>
      sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`INSERT INTO t (id, name) VALUES ('a', 'one'), ('b', 'two')`
          assert.lengthOf(yield* read(1), 2)
        })
      )
    )
  )
})
