import { assert, it } from "@effect/vitest"
import { sharesSessions } from "@wcs/postgres/PoolerMode"
import * as PostgresClient from "@wcs/postgres/PostgresClient"
import { databaseWith, freshDatabase, pooled } from "@wcs/store-suite/postgres/FreshDatabase"
import { Context, Effect, Layer, type Redacted, References, Tracer } from "effect"
import { SqlClient } from "effect/sql"

const clientOf = (url: Redacted.Redacted) =>
  Effect.map(Layer.build(Layer.fresh(PostgresClient.layer({ url, connections: 3 }))), (context) =>
    Context.get(context, SqlClient.SqlClient)
  )

/** Other defaults than those of Postgres. */
const others = {
  default_transaction_isolation: "'serializable'",
  statement_timeout: "'1h'",
  idle_in_transaction_session_timeout: "'1h'",
  idle_session_timeout: "'1h'",
  lock_timeout: "1",
  synchronous_commit: "off",
  timezone: "'Pacific/Auckland'",
  datestyle: "'SQL, DMY'",
  intervalstyle: "'sql_standard'",
  bytea_output: "'escape'",
  jit: "on"
}

const ours = {
  default_transaction_isolation: "read committed",
  statement_timeout: "30s",
  idle_in_transaction_session_timeout: "30s",
  idle_session_timeout: "0",
  lock_timeout: "0",
  synchronous_commit: "on",
  timezone: "UTC",
  datestyle: "ISO, MDY",
  intervalstyle: "postgres",
  bytea_output: "hex",
  jit: "off"
}

const settingsOf = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ readonly name: string; readonly value: string }>`
      SELECT name, current_setting(name) AS value FROM json_object_keys(CAST(${JSON.stringify(ours)} AS JSON)) AS name`,
    (rows) => Object.fromEntries(rows.map(({ name, value }) => [name, value]))
  )

it.live("gives every session its settings, whatever the database has, alone and in a transaction", () =>
  Effect.gen(function* () {
    const url = yield* databaseWith("", others)
    const sql = yield* clientOf(url)
    assert.deepStrictEqual(yield* settingsOf(sql), ours)
    const together = Effect.all([settingsOf(sql), sql.withTransaction(settingsOf(sql))], { concurrency: "unbounded" })
    assert.deepStrictEqual(yield* together, [ours, ours])
  })
)

it.live("keeps a value of synchronous_commit that loses nothing in a crash of the server", () =>
  Effect.gen(function* () {
    const sql = yield* clientOf(yield* databaseWith("", { synchronous_commit: "remote_apply" }))
    assert.strictEqual((yield* settingsOf(sql))["synchronous_commit"], "remote_apply")
  })
)

/** A function that fails twice as if another transaction had come first. A sequence counts also what is rolled back. */
const losesTwice = (sql: SqlClient.SqlClient, state: string) =>
  Effect.andThen(
    sql`CREATE SEQUENCE attempt`,
    sql.unsafe(`CREATE FUNCTION loses_twice() RETURNS BIGINT LANGUAGE plpgsql AS $$ BEGIN
      IF nextval('attempt') < 3 THEN RAISE SQLSTATE '${state}'; END IF; RETURN currval('attempt'); END $$`)
  )

for (const [conflict, state] of [
  ["a deadlock", "40P01"],
  ["a serialization failure", "40001"]
] as const) {
  it.live(`runs a statement again after ${conflict}, unless a transaction must run again as a whole`, () =>
    Effect.gen(function* () {
      const sql = yield* clientOf(yield* freshDatabase)
      yield* losesTwice(sql, state)
      const lost = yield* Effect.flip(sql.withTransaction(sql`SELECT loses_twice()`))
      assert.include(["DeadlockError", "SerializationError"], lost.reason._tag)
      assert.deepStrictEqual(yield* sql`SELECT CAST(loses_twice() AS TEXT) AS attempt`, [{ attempt: "3" }])
    })
  )
}

it.live("recognizes a pooler that shares sessions, and no other", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    assert.isFalse(yield* sharesSessions(url))
    assert.isFalse(yield* sharesSessions(yield* pooled(url, "session")))
    assert.isTrue(yield* sharesSessions(yield* pooled(url, "transaction")))
  })
)

/** The names of all spans of an effect. */
const spansOf = <A, E, R>(effect: Effect.Effect<A, E, R>) => {
  const names: Array<string> = []
  const tracer = Tracer.make({
    span: (options) => {
      names.push(options.name)
      return Tracer.nativeTracer.span(options)
    }
  })
  return Effect.map(Effect.withTracer(effect, tracer), (value) => ({ value, names }))
}

it.live("reads without a span if nothing is traced, and again after a deadlock", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const context = yield* Layer.build(Layer.fresh(PostgresClient.layer({ url, connections: 3 })))
    const sql = Context.get(context, PostgresClient.PostgresClient)
    yield* losesTwice(sql, "40P01")
    const untraced = Effect.provideService(References.TracerEnabled, false)
    const alone = yield* spansOf(untraced(sql.read("SELECT CAST(loses_twice() AS TEXT), $1", ["text"])))
    assert.deepStrictEqual(alone, { value: [["3", "text"]], names: [] })
    const traced = yield* spansOf(sql.read("SELECT CAST(loses_twice() AS TEXT)", []))
    assert.deepStrictEqual(traced, { value: [["4"]], names: ["postgresql"] })

    const inTransaction = Effect.andThen(sql`SET LOCAL timezone = 'Asia/Tokyo'`, sql.read("SHOW timezone", []))
    assert.deepStrictEqual(yield* untraced(sql.withTransaction(inTransaction)), [["Asia/Tokyo"]])
  })
)
