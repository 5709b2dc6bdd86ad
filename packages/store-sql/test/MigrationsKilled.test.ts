import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import * as SqliteClient from "@wcs/sqlite/SqliteClient"
import { migrate, migrations } from "@wcs/store-sql/Migrations"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { recording } from "./recording.ts"
import { client, filename } from "./temporary.ts"

const program = fileURLToPath(new URL("./migrator.ts", import.meta.url))

/** How many of the points are tried: few in `npm test`, all of them in `npm run faults`. */
const rounds = Number(process.env["WCS_FAULT_ROUNDS"] ?? 3)

/** Runs the migrations in a process that is killed before a statement; answers what it said and what ended it. */
const killedBefore = (file: string, statement: number) =>
  Effect.promise(
    () =>
      new Promise<{ readonly said: string; readonly signal: string | null }>((resolve) => {
        const child = spawn(process.execPath, [program, file, String(statement)], {
          stdio: ["ignore", "pipe", "inherit"]
        })
        let said = ""
        child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
          said += chunk
        })
        child.once("close", (_code, signal) => resolve({ said, signal }))
      })
  )

/** Everything that the file has of a schema, and what it says of its migrations. */
const schema = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const objects = yield* sql<{ readonly name: string; readonly sql: string }>`
    SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite%' ORDER BY name`
  return objects.map((object) => `${object.name}: ${object.sql}`)
})

/** So many numbers below the limit, as far apart as can be, the first and the last among them. */
const spread = (limit: number, count: number): ReadonlyArray<number> =>
  count >= limit
    ? Array.from({ length: limit }, (_, n) => n)
    : Array.from({ length: count }, (_, n) => Math.round((n * (limit - 1)) / Math.max(1, count - 1)))

/** The schema of a store that has so many of the migrations; nothing at all where it has none. */
const schemaAfter = (count: number) =>
  count === 0
    ? Effect.succeed([])
    : Effect.andThen(migrate(migrations.slice(0, count)), schema).pipe(Effect.provide(Layer.fresh(client)))

describe("kill -9 in the middle of the migrations", () => {
  it.effect(
    "leaves each migration whole or not there, and the next start goes on from it",
    () =>
      Effect.gen(function* () {
        const { ran } = yield* recording(migrate(migrations)).pipe(Effect.provide(Layer.fresh(client)))
        for (const point of spread(ran.length, rounds)) {
          const file = yield* filename
          const open = Layer.fresh(SqliteClient.layer({ filename: file }))
          assert.deepStrictEqual(yield* killedBefore(file, point), { said: "reached", signal: "SIGKILL" })
          const done = ran.slice(0, point).filter(({ text }) => text.startsWith("INSERT INTO migration")).length
          const left = yield* Effect.provide(schema, open)
          assert.deepStrictEqual(left, yield* schemaAfter(done), `killed before statement ${point}`)
          yield* Effect.provide(migrate(migrations), open)
          assert.deepStrictEqual(yield* Effect.provide(schema, open), yield* schemaAfter(migrations.length))
        }
      }),
    60_000 + rounds * 5_000
  )
})
