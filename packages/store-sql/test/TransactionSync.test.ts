import { assert, layer } from "@effect/vitest"
import { SqliteClient } from "@wcs/sqlite/SqliteClient"
import { SqliteConnection } from "@wcs/sqlite/SqliteConnection"
import { TransactionSync } from "@wcs/store-sql/engine/TransactionSync"
import * as StoreSql from "@wcs/store-sql/StoreSql"
import { subscribe } from "@wcs/store-suite/Fixtures"
import { Effect, Exit, Layer, References, Tracer } from "effect"
import { SqlClient } from "effect/sql"
import { move, prepared, stateOf } from "./moving.ts"
import { client } from "./temporary.ts"

/** Intercepts every statement of a connection. */
const intercepting = (before: (sql: string, connection: SqliteConnection) => void) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const { rows, run } = SqliteConnection.prototype
      SqliteConnection.prototype.rows = function (sql, params) {
        before(sql, this)
        return rows.call(this, sql, params)
      }
      SqliteConnection.prototype.run = function (sql, params) {
        before(sql, this)
        return run.call(this, sql, params)
      }
      return { rows, run }
    }),
    (original) => Effect.sync(() => Object.assign(SqliteConnection.prototype, original))
  )

/** Records the statements of an effect in order. */
const recordedIn =
  (ran: Array<string>) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.scoped(
      Effect.andThen(
        intercepting((sql) => ran.push(sql)),
        effect
      )
    )

let transactions = 0

/** The store, with its synchronous transactions counted. */
const store = StoreSql.layer.pipe(
  Layer.provide(
    Layer.effect(
      TransactionSync,
      SqliteClient.useSync(({ transactionSync }): TransactionSync["Service"] => (body) => {
        transactions++
        return transactionSync(body)
      })
    )
  ),
  Layer.provideMerge(client)
)

/** Collects the spans of statements. */
const tracing = <A, E, R>(effect: Effect.Effect<A, E, R>) => {
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  return Effect.map(Effect.withTracer(effect, tracer), () => spans.filter(({ kind }) => kind === "client"))
}

const moveAll = ({ ids, tenantId, to }: Effect.Success<ReturnType<typeof prepared>>) =>
  move(tenantId, { _tag: "Ids", ids }, to)

layer(store, { excludeTestServices: true })("a synchronous transaction", (it) => {
  it.effect("runs the same statements with a tracer as without, and each has a span", () =>
    Effect.gen(function* () {
      for (const count of [1, 3]) {
        const texts: Array<ReadonlyArray<string>> = []
        for (const isTraced of [false, true]) {
          const scene = yield* prepared(count)
          const ran: Array<string> = []
          transactions = 0
          const spans = yield* moveAll(scene).pipe(
            tracing,
            Effect.tap(() => Effect.sync(() => assert.strictEqual(transactions, 1))),
            recordedIn(ran),
            Effect.provideService(References.TracerEnabled, isTraced)
          )
          texts.push(ran)
          assert.deepStrictEqual(
            spans.map(({ attributes }) => attributes.get("db.query.text")),
            isTraced ? ran.slice(1, -1) : []
          )
          const versions = Array(count).fill(2)
          assert.deepStrictEqual(yield* stateOf(scene.tenantId, scene.ids), { versions, records: [count, count] })
        }
        assert.deepStrictEqual(texts[0], texts[1])
        assert.lengthOf(texts[0] ?? [], 6) // BEGIN, COMMIT, and four statements
      }
    })
  )

  it.effect("writes no events without a subscriber", () =>
    Effect.gen(function* () {
      const scene = yield* prepared(1)
      yield* subscribe(scene.tenantId, "whk_1", [])
      const ran: Array<string> = []
      yield* recordedIn(ran)(moveAll(scene))
      assert.deepStrictEqual(
        ran.filter((sql) => sql.includes("INSERT INTO event")),
        []
      )
      assert.deepStrictEqual((yield* stateOf(scene.tenantId, scene.ids)).records, [1, 0])
    }).pipe(Effect.scoped)
  )

  it.effect("is retried after a lost race: decided again and written once", () =>
    Effect.gen(function* () {
      for (const [count, meddlings, decisions] of [
        [1, 2, 3],
        [3, 1, 2]
      ] as const) {
        const scene = yield* prepared(count)
        let left: number = meddlings
        yield* intercepting((sql, connection) => {
          if (!sql.includes("UPDATE credential SET") || left-- <= 0) return
          connection.exec(`UPDATE credential SET version = version + 1 WHERE id = '${scene.ids[count - 1]}'`)
        })
        assert.lengthOf((yield* moveAll(scene)).decisions, decisions)
        const versions = Array(count).fill(2)
        assert.deepStrictEqual(yield* stateOf(scene.tenantId, scene.ids), { versions, records: [count, count] })
      }
    }).pipe(Effect.scoped)
  )

  it.effect("is tried five times, then dies without a write", () =>
    Effect.gen(function* () {
      const scene = yield* prepared(2)
      let writes = 0
      yield* intercepting((sql, connection) => {
        if (!sql.includes("UPDATE credential SET")) return
        writes++
        connection.exec("UPDATE credential SET version = version + 1")
      })
      assert.isTrue(Exit.hasDies(yield* Effect.exit(moveAll(scene))))
      assert.strictEqual(writes, 5)
      assert.deepStrictEqual(yield* stateOf(scene.tenantId, scene.ids), { versions: [1, 1], records: [0, 0] })
    }).pipe(Effect.scoped)
  )

  it.effect("joins the open transaction, if there is one", () =>
    Effect.gen(function* () {
      const scene = yield* prepared(1)
      const sql = yield* SqlClient.SqlClient
      const undone = Effect.andThen(moveAll(scene), Effect.fail("undone" as const))
      assert.strictEqual(yield* Effect.flip(sql.withTransaction(undone)), "undone")
      assert.deepStrictEqual(yield* stateOf(scene.tenantId, scene.ids), { versions: [1], records: [0, 0] })
    })
  )
})
