import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, describe, it } from "@effect/vitest"
import * as SqliteClient from "@wcs/sqlite/SqliteClient"
import { migrate } from "@wcs/store-sql/engine/Migrations"
import { freshDatabase } from "@wcs/store-suite/postgres/FreshDatabase"
import { Deferred, Effect, Fiber, Layer, Redacted, type Scope } from "effect"
import { SqlClient, type SqlError, Statement } from "effect/sql"
import { type Ran, recording } from "../recording.ts"
import { filename } from "../temporary.ts"
import { isStepEnd, killedBefore, killPoints, rounds } from "./killing.ts"
import { withLater } from "./later.ts"
import { postgresSchema } from "./postgresSchema.ts"

/** An engine with empty stores to migrate. */
interface Engine {
  /** The path or URL of an empty store. */
  readonly place: Effect.Effect<string, never, Scope.Scope>
  readonly open: (place: string) => Layer.Layer<SqlClient.SqlClient, unknown>
  /** The schema as the engine describes it. */
  readonly schema: Effect.Effect<ReadonlyArray<string>, SqlError.SqlError, SqlClient.SqlClient>
}

const sqlite: Engine = {
  place: filename,
  open: (place) => Layer.fresh(SqliteClient.layer({ filename: place })),
  schema: SqlClient.SqlClient.use((sql) =>
    Effect.map(
      sql<{ readonly line: string }>`SELECT name || ': ' || sql AS line FROM sqlite_schema
        WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite%' ORDER BY name`,
      (rows) => rows.map(({ line }) => line)
    )
  )
}

const postgres: Engine = {
  place: Effect.map(freshDatabase, Redacted.value),
  open: (place) => Layer.fresh(PgClient.layer({ url: Redacted.make(place) })),
  schema: postgresSchema
}

const names = SqlClient.SqlClient.use((sql) => sql<{ readonly name: string }>`SELECT name FROM migration ORDER BY id`)

/** Interrupts the migrations before a statement. */
const interruptedBefore = Effect.fnUntraced(function* (point: number) {
  const reached = yield* Deferred.make<void>()
  let count = 0
  const stopThere: Statement.Transformer = (statement) =>
    count++ === point ? Effect.andThen(Deferred.succeed(reached, undefined), Effect.never) : Effect.succeed(statement)
  const started = yield* Effect.forkChild(
    migrate(withLater).pipe(Effect.provideService(Statement.CurrentTransformer, stopThere))
  )
  yield* Deferred.await(reached)
  yield* Fiber.interrupt(started)
})

/** The statements of all migrations, and the schema after each number of migrations. */
const described = Effect.fnUntraced(function* ({ open, place, schema }: Engine) {
  const { ran } = yield* Effect.provide(recording(migrate(withLater)), open(yield* place))
  const after: Array<ReadonlyArray<string>> = [[]]
  const step = (count: number) => Effect.andThen(migrate(withLater.slice(0, count)), schema)
  const empty = open(yield* place)
  for (let count = 1; count <= withLater.length; count++) after.push(yield* Effect.provide(step(count), empty))
  return { ran, after }
})

type Described = Effect.Success<ReturnType<typeof described>>

/** Stops the migrations at points, each in a store of its own. Then each is complete or absent, and the next start continues. */
const stopped = Effect.fnUntraced(function* (
  engine: Engine,
  { after, ran }: Described,
  points: (ran: ReadonlyArray<Ran>) => ReadonlyArray<number>,
  stop: (
    place: string,
    point: number,
    check: Effect.Effect<void, unknown, SqlClient.SqlClient>
  ) => Effect.Effect<void, unknown>
) {
  const stopAt = Effect.fnUntraced(function* (point: number) {
    const done = ran.slice(0, point).filter(isStepEnd).length
    const check = Effect.gen(function* () {
      assert.deepStrictEqual(yield* engine.schema, after[done], `stopped before statement ${point}`)
      yield* migrate(withLater)
      assert.deepStrictEqual(yield* engine.schema, after.at(-1))
      assert.deepStrictEqual(
        yield* names,
        withLater.map(({ name }) => ({ name }))
      )
    })
    yield* stop(yield* engine.place, point, check)
  }, Effect.scoped)
  yield* Effect.forEach(points(ran), stopAt, { concurrency: 2, discard: true })
})

for (const [name, engine] of [
  ["SQLite", sqlite],
  ["Postgres", postgres]
] as const) {
  describe.concurrent(`threat 36: migrations on ${name} are complete or absent, and the next start continues`, () => {
    const limit = 60_000 + rounds * 5_000
    let once: Promise<Described> | undefined
    const known = Effect.promise(() => {
      once ??= Effect.runPromise(Effect.scoped(described(engine)))
      return once
    })

    it.live(
      "after an interruption",
      () =>
        Effect.flatMap(known, (one) =>
          stopped(
            engine,
            one,
            (ran) => killPoints(ran, rounds),
            (place, point, check) => Effect.provide(Effect.andThen(interruptedBefore(point), check), engine.open(place))
          )
        ),
      limit
    )

    it.live(
      "after kill -9",
      () =>
        Effect.flatMap(known, (one) =>
          stopped(
            engine,
            one,
            (ran) => killPoints(ran, rounds),
            Effect.fnUntraced(function* (place, point, check) {
              assert.deepStrictEqual(yield* killedBefore(place, point), { said: "reached", signal: "SIGKILL" })
              yield* Effect.provide(check, engine.open(place))
            })
          )
        ),
      limit
    )
  })
}
