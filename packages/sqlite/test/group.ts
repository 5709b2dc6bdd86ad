import { DatabaseSync } from "node:sqlite"
import { SqliteClient } from "@wcs/sqlite/SqliteClient"
import { SqliteConnection } from "@wcs/sqlite/SqliteConnection"
import { Deferred, Effect, Result, type Scope } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { filename, open } from "./temporary.ts"

/** Intercepts every statement that is run for its effect: BEGIN, SAVEPOINT, RELEASE, ROLLBACK, COMMIT. */
export type Interceptor = (
  statement: string,
  run: () => { readonly changes: number | bigint }
) => {
  readonly changes: number | bigint
}

/** Installs an interceptor until the scope closes. */
export const intercepting = (interceptor: Interceptor): Effect.Effect<void, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const { run } = SqliteConnection.prototype
      SqliteConnection.prototype.run = function (sql, params) {
        return interceptor(sql, () => run.call(this, sql, params))
      }
      return run
    }),
    (run) =>
      Effect.sync(() => {
        SqliteConnection.prototype.run = run
      })
  ).pipe(Effect.asVoid)

/** An open database with the table `t`, and the events of its groups. */
export interface Table {
  readonly sql: SqliteClient["Service"]
  readonly file: string
  /** COMMITs and the tests' own entries, in order. */
  readonly log: Array<string>
  /** The committed rows, as another program sees them. */
  readonly committed: () => ReadonlyArray<string>
}

/** A dangling `parent` makes the COMMIT fail. */
const schema = `CREATE TABLE t (
  id TEXT PRIMARY KEY, parent TEXT REFERENCES t (id) DEFERRABLE INITIALLY DEFERRED
) STRICT`

/** Opens a database in a file of its own until the scope closes. */
export const table = Effect.fnUntraced(function* (
  options: { readonly groupMax?: number; readonly interceptor?: Interceptor } = {}
) {
  const { groupMax, interceptor = (_statement, run) => run() } = options
  const file = yield* filename
  const log: Array<string> = []
  const context = yield* open(file, groupMax === undefined ? {} : { groupMax })
  const sql = yield* Effect.provide(SqliteClient, context)
  yield* sql.unsafe(schema)
  const other = yield* Effect.acquireRelease(
    Effect.sync(() => new DatabaseSync(file, { readOnly: true })),
    (database) => Effect.sync(() => database.close())
  )
  const ids = other.prepare("SELECT id FROM t ORDER BY id")
  yield* intercepting((statement, run) => {
    const done = interceptor(statement, run)
    if (statement === "COMMIT") log.push("COMMIT")
    return done
  })
  return { sql, file, log, committed: () => ids.all().map(({ id }) => String(id)) } satisfies Table
})

export const insert = (sql: SqlClient.SqlClient, id: string) => sql`INSERT INTO t (id) VALUES (${id})`

/** A synchronous transaction that writes one row. */
export const insertSync = (sql: SqliteClient["Service"], id: string) =>
  sql.transactionSync(({ changes }) => Result.succeed(changes(insert(sql, id))))

/** Each way to write rows in one transaction. */
export const ways: ReadonlyArray<
  readonly [
    way: string,
    write: (sql: SqliteClient["Service"], ids: ReadonlyArray<string>) => Effect.Effect<unknown, SqlError.SqlError>
  ]
> = [
  ["a transaction", (sql, ids) => sql.withTransaction(Effect.forEach(ids, (id) => insert(sql, id)))],
  [
    "a synchronous transaction",
    (sql, ids) => sql.transactionSync(({ changes }) => Result.succeed(ids.map((id) => changes(insert(sql, id)))))
  ],
  [
    "a statement outside transactions",
    (sql, ids) => sql`INSERT INTO t (id) SELECT value FROM json_each(${JSON.stringify(ids)})`
  ]
]

/** Makes SQLite roll back the whole transaction, as a full disk does. */
export const lose = (sql: SqlClient.SqlClient) => sql`INSERT OR ROLLBACK INTO t (id) VALUES ('twice'), ('twice')`

/** A member that holds the connection: nothing commits until it is released. */
export const holding = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  leaving: Effect.Effect<unknown, unknown> = Effect.void
) {
  const isHeld = yield* Deferred.make<void>()
  const letGo = yield* Deferred.make<void>()
  const fiber = yield* started(
    sql.withTransaction(
      Effect.gen(function* () {
        yield* Deferred.succeed(isHeld, undefined)
        yield* Deferred.await(letGo)
        yield* leaving
      })
    )
  )
  yield* Deferred.await(isHeld)
  return { fiber, letGo: Deferred.succeed(letGo, undefined) }
})

/** Forks an effect and runs it immediately as far as possible. */
export const started = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.forkChild(effect, { startImmediately: true })

/** Lets the event loop turn this often: more than an unblocked group needs to commit. */
export const turns = (count = 50) =>
  Effect.promise(async () => {
    for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
  })
