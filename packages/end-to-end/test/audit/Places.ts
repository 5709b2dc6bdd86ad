import { randomBytes } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert } from "@effect/vitest"
import { freshDatabase } from "@wcs/store-suite/postgres/FreshDatabase"
import { Effect, Redacted, Schedule, type Scope } from "effect"
import { done } from "../Calls.ts"
import { cli } from "../InProcess.ts"
import { onDatabase } from "../Machines.ts"
import { type Environment, temporaryDirectory } from "../Process.ts"

/** A deployment, and a way to change its store behind its back. */
export interface Place {
  readonly environment: Environment
  readonly sql: (statement: string) => Effect.Effect<ReadonlyArray<Readonly<Record<string, unknown>>>>
}

export const onSqlite: Effect.Effect<Place, never, Scope.Scope> = Effect.map(temporaryDirectory, (path) => {
  const data = join(path, "data")
  return {
    environment: { WCS_DATA: data },
    sql: (statement) =>
      Effect.sync(() => {
        using database = new DatabaseSync(join(data, "wcs.sqlite"))
        return database.prepare(statement).all()
      })
  }
})

export const onPostgres: Effect.Effect<Place, never, Scope.Scope> = Effect.gen(function* () {
  const [url, path] = [yield* freshDatabase, yield* temporaryDirectory]
  const keyFile = join(path, "master.key")
  writeFileSync(keyFile, randomBytes(32).toString("hex"), { mode: 0o600 })
  const sql: Place["sql"] = (statement) => Effect.map(onDatabase(url, statement), ([rows = []]) => rows)
  const environment = { DATABASE_URL: Redacted.value(url), WCS_MASTER_KEY_FILE: keyFile, WCS_DATA: join(path, "data") }
  return { environment, sql }
})

/** The object that a command prints. */
export type Result = Readonly<Record<string, unknown>>

/** Runs a command and returns its exit code, its JSON object and its error. */
export const run = Effect.fnUntraced(function* ({ environment }: Place, ...args: ReadonlyArray<string>) {
  const { code, stderr, stdout } = yield* cli("", [...args, "--json"], environment)
  const result: Result = stdout === "" ? {} : JSON.parse(stdout)
  return { code, result, message: stderr === "" ? "" : String(JSON.parse(stderr).error.message) }
})

export const rowsOf = (result: Result) => result["tenants"] as ReadonlyArray<Result>

/** Returns the row of a tenant in the result of a verification. */
export const rowOf = (result: Result, id: string): Result =>
  rowsOf(result).find((row) => row["id"] === id) ?? assert.fail(`${id} was not verified`)

/** Waits until every audit entry of a tenant has a seal. */
export const sealed = ({ environment }: Place, tenant: string) =>
  Effect.repeat(done(environment, "audit", "verify"), {
    schedule: Schedule.spaced("100 millis"),
    until: (result) => rowOf(result, tenant)["unsealed"] === 0
  })
