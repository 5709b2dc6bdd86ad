import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, describe, it } from "@effect/vitest"
import { freshDatabase } from "@wcs/postgres-engine/FreshDatabase"
import { migrate, migrations } from "@wcs/store-sql/engine/Migrations"
import { Deferred, Effect, Fiber, Layer, Redacted, Schedule } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { recording } from "../recording.ts"
import { isStepEnd, killedBefore, killPoints, rounds } from "./killing.ts"
import { named, withLater } from "./later.ts"

const open = (url: Redacted.Redacted) => Layer.fresh(PgClient.layer({ url }))

const all = withLater.map(({ name }) => name)

/** The names of the applied migrations; none if their table does not exist. */
const applied = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [there] = yield* sql<{ readonly found: unknown }>`SELECT to_regclass('migration') AS found`
  if (there === undefined || there.found === null) return []
  const rows = yield* sql<{ readonly name: string }>`SELECT name FROM migration ORDER BY id`
  return rows.map(({ name }) => name)
})

/** The schema of the database, as Postgres describes it. */
const schema = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const lines = yield* sql<{ readonly line: string }>`
    SELECT line COLLATE "C" AS line FROM (
      SELECT concat_ws(' ', table_name, column_name, data_type, collation_name, is_nullable, column_default) AS line
        FROM information_schema.columns WHERE table_schema = 'public'
      UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
    ) AS described ORDER BY 1`
  return lines.map(({ line }) => line)
})

/** The schema after this many migrations, on an empty database of its own. */
const schemaAfter = Effect.fnUntraced(function* (count: number) {
  if (count === 0) return []
  return yield* Effect.provide(Effect.andThen(migrate(withLater.slice(0, count)), schema), open(yield* freshDatabase))
}, Effect.scoped)

const statementsOfAll = Effect.fnUntraced(function* () {
  const { ran } = yield* Effect.provide(recording(migrate(withLater)), open(yield* freshDatabase))
  return ran
}, Effect.scoped)

describe("migrations on Postgres", () => {
  it.live("are applied once by servers that start concurrently", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      yield* Effect.all(
        Array.from({ length: 6 }, () => Effect.provide(migrate(withLater), open(url))),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(yield* Effect.provide(applied, open(url)), all)
    })
  )

  it.live("leave nothing of a failed one, and keep earlier ones", () =>
    Effect.gen(function* () {
      yield* Effect.gen(function* () {
        yield* migrate(migrations)
        const before = yield* schema
        const error = yield* Effect.flip(
          migrate([...migrations, named("later", "CREATE TABLE extra (id TEXT)", "CREATE TABLE worker (id TEXT)")])
        )
        assert.strictEqual(error.reason._tag, "MigrationFailed")
        assert.include(error.message, `Migration ${migrations.length + 1} (later) could not be applied`)
        assert.include(error.message, 'relation "worker" already exists')
        assert.deepStrictEqual(yield* schema, before)
      }).pipe(Effect.provide(open(yield* freshDatabase)))
    })
  )

  it.live("of a table that is being read block others for some seconds only, and are applied afterwards", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      yield* Effect.provide(migrate(migrations), open(url))
      const waiting = Effect.map(
        SqlClient.SqlClient.use((sql) => sql`SELECT 1 FROM pg_locks WHERE NOT granted`),
        (found) => found.length > 0
      )
      const become = (wanted: boolean) =>
        Effect.repeat(waiting, { until: (is) => is === wanted, schedule: Schedule.spaced("20 millis") })
      const reader = SqlClient.SqlClient.use((sql) =>
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`SELECT count(*) FROM worker`
            const migrating = yield* Effect.forkDetach(
              Effect.provide(
                migrate([...migrations, named("later", "ALTER TABLE worker ADD COLUMN extra TEXT")]),
                open(url)
              )
            )
            yield* become(true)
            yield* become(false)
            return migrating
          })
        )
      )
      yield* Fiber.join(yield* Effect.provide(reader, open(url)))
      assert.deepStrictEqual(yield* Effect.provide(applied, open(url)), all)
    })
  )

  it.live("are not subject to the time limits of requests", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      yield* Effect.provide(migrate(migrations), open(url))
      const limit = SqlClient.SqlClient.use((sql) =>
        sql.unsafe(`ALTER DATABASE ${new URL(Redacted.value(url)).pathname.slice(1)} SET statement_timeout = '200ms'`)
      )
      yield* Effect.provide(limit, open(url))
      yield* Effect.provide(migrate([...migrations, named("later", "SELECT pg_sleep(0.3)")]), open(url))
      assert.deepStrictEqual(yield* Effect.provide(applied, open(url)), all)
    })
  )

  it.live("of a newer program stay unchanged, and the error says to run that one", () =>
    Effect.gen(function* () {
      yield* Effect.gen(function* () {
        yield* migrate([...migrations, named("later")])
        const error = yield* Effect.flip(migrate(migrations))
        assert.strictEqual(error.reason._tag, "Newer")
      }).pipe(Effect.provide(open(yield* freshDatabase)))
    })
  )

  it.live("continue after an interruption", () =>
    Effect.gen(function* () {
      const ran = yield* statementsOfAll()
      for (const stop of killPoints(ran, 3)) {
        yield* Effect.gen(function* () {
          const reached = yield* Deferred.make<void>()
          let count = 0
          const stopThere: Statement.Transformer = (statement) =>
            count++ === stop
              ? Effect.andThen(Deferred.succeed(reached, undefined), Effect.never)
              : Effect.succeed(statement)
          const started = yield* Effect.forkChild(
            migrate(withLater).pipe(Effect.provideService(Statement.CurrentTransformer, stopThere))
          )
          yield* Deferred.await(reached)
          yield* Fiber.interrupt(started)
          const done = ran.slice(0, stop).filter(isStepEnd).length
          assert.deepStrictEqual(yield* applied, all.slice(0, done), `interrupted before statement ${stop}`)
          yield* migrate(withLater)
          assert.deepStrictEqual(yield* applied, all)
        }).pipe(Effect.provide(open(yield* freshDatabase)))
      }
    })
  )

  it.live(
    "are complete or absent after kill -9, and the next start continues",
    () =>
      Effect.gen(function* () {
        const ran = yield* statementsOfAll()
        const whole = yield* schemaAfter(withLater.length)
        for (const point of killPoints(ran, rounds)) {
          const url = yield* freshDatabase
          assert.deepStrictEqual(yield* killedBefore(Redacted.value(url), point), {
            said: "reached",
            signal: "SIGKILL"
          })
          const done = ran.slice(0, point).filter(isStepEnd).length
          const left = yield* Effect.provide(schema, open(url))
          assert.deepStrictEqual(left, yield* schemaAfter(done), `killed before statement ${point}`)
          yield* Effect.provide(migrate(withLater), open(url))
          assert.deepStrictEqual(yield* Effect.provide(schema, open(url)), whole)
        }
      }),
    60_000 + rounds * 5_000
  )
})
