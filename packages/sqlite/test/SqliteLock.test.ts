import { renameSync, rmSync, writeFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { lockFile } from "@wcs/sqlite/SqliteLock"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { filename, open } from "./temporary.ts"

describe("the lock file", () => {
  const losses: ReadonlyArray<readonly [name: string, lose: (file: string) => void]> = [
    ["is removed", (file) => rmSync(file)],
    [
      "is replaced by another",
      (file) => {
        writeFileSync(`${file}.other`, "")
        renameSync(`${file}.other`, file)
      }
    ]
  ]
  it.effect.each(losses)("when it %s, every read and write fails (threats 7, 35)", ([, lose]) =>
    Effect.gen(function* () {
      const file = yield* filename
      const context = yield* open(file)
      const sql = yield* Effect.provide(SqlClient.SqlClient, context)
      yield* sql`CREATE TABLE t (id INTEGER PRIMARY KEY) STRICT`
      yield* TestClock.adjust("10 seconds")
      yield* sql`INSERT INTO t VALUES (1)`
      lose(lockFile(file))
      yield* TestClock.adjust("1 second")
      const failures = [
        yield* Effect.flip(sql`SELECT id FROM t`),
        yield* Effect.flip(sql`INSERT INTO t VALUES (2)`),
        yield* Effect.flip(sql.withTransaction(sql`INSERT INTO t VALUES (3)`))
      ]
      for (const failure of failures) assert.include(String(failure), "the lock file of")
    })
  )
})
