import { assert, describe, it } from "@effect/vitest"
import * as SqliteClient from "@wcs/sqlite/SqliteClient"
import { migrate } from "@wcs/store-sql/engine/Migrations"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { recording } from "../recording.ts"
import { client, filename } from "../temporary.ts"
import { isStepEnd, killedBefore, killPoints, rounds } from "./killing.ts"
import { withLater } from "./later.ts"

/** The schema of the file, and its applied migrations. */
const schema = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const objects = yield* sql<{ readonly name: string; readonly sql: string }>`
    SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite%' ORDER BY name`
  return objects.map((object) => `${object.name}: ${object.sql}`)
})

/** The schema of a store after this many migrations; empty without any. */
const schemaAfter = (count: number) =>
  count === 0
    ? Effect.succeed([])
    : Effect.andThen(migrate(withLater.slice(0, count)), schema).pipe(Effect.provide(Layer.fresh(client)))

describe("kill -9 in the middle of the migrations", () => {
  it.effect(
    "leaves each migration complete or absent, and the next start continues",
    () =>
      Effect.gen(function* () {
        const { ran } = yield* recording(migrate(withLater)).pipe(Effect.provide(Layer.fresh(client)))
        for (const point of killPoints(ran, rounds)) {
          const file = yield* filename
          const open = Layer.fresh(SqliteClient.layer({ filename: file }))
          assert.deepStrictEqual(yield* killedBefore(file, point), { said: "reached", signal: "SIGKILL" })
          const done = ran.slice(0, point).filter(isStepEnd).length
          const left = yield* Effect.provide(schema, open)
          assert.deepStrictEqual(left, yield* schemaAfter(done), `killed before statement ${point}`)
          yield* Effect.provide(migrate(withLater), open)
          assert.deepStrictEqual(yield* Effect.provide(schema, open), yield* schemaAfter(withLater.length))
        }
      }),
    60_000 + rounds * 5_000
  )
})
