import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, describe, it } from "@effect/vitest"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { Worker } from "@wcs/domain/people/Worker"
import * as AccessEpoch from "@wcs/store-sql/access/AccessEpoch"
import { migrate, migrations } from "@wcs/store-sql/engine/Migrations"
import * as StoreSql from "@wcs/store-sql/StoreSql"
import { created, put, workerFields } from "@wcs/store-suite/Fixtures"
import { freshDatabase } from "@wcs/store-suite/postgres/FreshDatabase"
import { Effect, Fiber, Layer, Option, Redacted, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { named, withLater } from "./later.ts"
import { postgresSchema } from "./postgresSchema.ts"

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

// Some of these tests wait for a time limit of Postgres, so they run side by side.
describe.concurrent("migrations on Postgres", () => {
  it.live("are applied once by servers that start concurrently", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      yield* Effect.all(
        Array.from({ length: 4 }, () => Effect.provide(migrate(withLater), open(url))),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(yield* Effect.provide(applied, open(url)), all)
    })
  )

  it.live("leave nothing of a failed one, and keep earlier ones", () =>
    Effect.gen(function* () {
      yield* Effect.gen(function* () {
        yield* migrate(migrations)
        const before = yield* postgresSchema
        const error = yield* Effect.flip(
          migrate([...migrations, named("later", "CREATE TABLE extra (id TEXT)", "CREATE TABLE worker (id TEXT)")])
        )
        assert.strictEqual(error.reason._tag, "MigrationFailed")
        assert.include(error.message, `Migration ${migrations.length + 1} (later) could not be applied`)
        assert.include(error.message, 'relation "worker" already exists')
        assert.deepStrictEqual(yield* postgresSchema, before)
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

  it.live("of a newer program let running servers of the older one read and write", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const older = yield* Layer.build(
        Layer.fresh(StoreSql.layerShared.pipe(Layer.provide(AccessEpoch.layer), Layer.provide(open(url))))
      )
      const workers = [1, 2].map((n) => created(`wkr_000000000000000${n}`, workerFields()))
      const [before, after] = workers.map((worker) => put(Worker, "tnt_1", worker))
      yield* Effect.provide(before ?? Effect.void, older)
      yield* Effect.provide(migrate(withLater), open(url))
      yield* Effect.provide(after ?? Effect.void, older)
      const found = yield* Effect.forEach(workers, ({ id }) =>
        ResourceStore.use((store) => store.find(Worker, "tnt_1", id))
      ).pipe(Effect.provide(older))
      assert.deepStrictEqual(found, workers.map(Option.some))
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
})
