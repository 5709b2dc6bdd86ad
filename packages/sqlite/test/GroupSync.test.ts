import { assert, it, layer, type Vitest } from "@effect/vitest"
import type { SyncConnection } from "@wcs/sqlite/SyncConnection"
import { Effect, Exit, Fiber, Layer, Option, References, Result, Scheduler, Tracer } from "effect"
import { holding, insert, insertSync, started, table, turns } from "./group.ts"

const transactions = (it: Vitest.MethodsNonLive) => {
  it.effect("share one COMMIT with each other and with asynchronous transactions, and see earlier writes", () =>
    Effect.gen(function* () {
      const { committed, log, sql } = yield* table()
      const counted = sql.transactionSync(({ rows }) => Result.succeed(rows(sql`SELECT id FROM t`).length))
      const told = yield* Effect.all(
        [insertSync(sql, "a"), sql.withTransaction(insert(sql, "b")), insertSync(sql, "c"), counted],
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual([told[0], told[2], told[3]], [1, 1, 3])
      assert.deepStrictEqual(log, ["COMMIT"])
      assert.deepStrictEqual(committed(), ["a", "b", "c"])
    })
  )

  it.effect("do not join a transaction that takes the connection just as they begin", () =>
    Effect.gen(function* () {
      const { committed, sql } = yield* table()
      const ids = ["a", "b", "c", "d", "e", "f", "g", "h"]
      for (const [index, id] of ids.entries()) {
        const began = yield* started(Effect.andThen(Effect.void, insertSync(sql, id))).pipe(
          Effect.provideService(Scheduler.MaxOpsBeforeYield, 3 + index) // yields one step later each time
        )
        const refusal = Effect.andThen(turns(), Effect.fail("no"))
        const refused = yield* started(sql.withTransaction(Effect.andThen(insert(sql, "refused"), refusal)))
        yield* Fiber.join(began)
        assert.deepStrictEqual(yield* Fiber.await(refused), Exit.fail("no"))
      }
      assert.deepStrictEqual(committed(), ids)
    })
  )

  it.effect("cannot use their connection after their end", () =>
    Effect.gen(function* () {
      const { committed, sql } = yield* table()
      const kept: Array<SyncConnection> = []
      yield* sql.transactionSync((connection) => Result.succeed(kept.push(connection)))
      for (const { changes, rows } of kept) {
        assert.throws(() => changes(insert(sql, "late")), /the transaction has ended/)
        assert.throws(() => rows(sql`SELECT 1`), /the transaction has ended/)
      }
      assert.lengthOf(kept, 1)
      assert.deepStrictEqual(committed(), [])
    })
  )
}

for (const [name, isTraced] of [
  ["synchronous transactions", false],
  ["synchronous transactions with a tracer", true]
] as const) {
  layer(Layer.succeed(References.TracerEnabled, isTraced))(name, transactions)
}

/** The spans of an effect, without their ids and times. */
const spansOf = Effect.fnUntraced(function* (effect: Effect.Effect<unknown, unknown>) {
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  yield* Effect.exit(Effect.withTracer(effect, tracer))
  return spans.map(({ attributes, events, kind, name, parent, status }) => ({
    name,
    kind,
    parent: Option.getOrUndefined(
      Option.map(parent, ({ spanId }) => spans.findIndex((span) => span.spanId === spanId))
    ),
    attributes: [...attributes].sort(),
    events: events.map(([event]) => event),
    end: status._tag === "Ended" ? status.exit._tag : status._tag
  }))
})

it.effect("a synchronous transaction has the spans of an asynchronous one", () =>
  Effect.gen(function* () {
    for (const isFree of [true, false]) {
      const { sql } = yield* table()
      const read = sql`SELECT id FROM t`
      const write = insert(sql, "a")
      for (const [async, sync] of [
        [
          sql.withTransaction(Effect.all([read, write.raw, Effect.fail("undone")])),
          sql.transactionSync(({ changes, rows }) => Result.fail([rows(read), changes(write)]))
        ],
        [
          sql.withTransaction(Effect.all([sql`DELETE FROM t`.raw, write.raw])),
          sql.transactionSync(({ changes }) => Result.succeed([changes(sql`DELETE FROM t`), changes(write)]))
        ],
        [
          sql.withTransaction(Effect.all([read, write.raw])),
          sql.transactionSync(({ changes, rows }) => Result.succeed([rows(read), changes(write)]))
        ]
      ] as const) {
        const holder = isFree ? undefined : yield* holding(sql)
        const traced = yield* started(spansOf(async))
        if (holder !== undefined) yield* holder.letGo
        const expected = yield* Fiber.join(traced)
        const other = isFree ? undefined : yield* holding(sql)
        const found = yield* started(spansOf(sync))
        if (other !== undefined) yield* other.letGo
        assert.deepStrictEqual(yield* Fiber.join(found), expected)
        assert.lengthOf(expected, 3)
      }
    }
  })
)
