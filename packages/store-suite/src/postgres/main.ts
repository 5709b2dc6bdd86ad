import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { startEngine } from "./Engine.ts"

// A Postgres for a process without these modules, with further databases of the given names. Prints its URL in one line.
// Ends when its stdin closes, or by a signal.
const { stop, url } = await startEngine()
await PgClient.makeClient({ url: Redacted.make(url) }).pipe(
  Effect.flatMap((sql) => Effect.forEach(process.argv.slice(2), (name) => sql.unsafe(`CREATE DATABASE ${name}`))),
  Effect.scoped,
  Effect.provide(Reactivity.layer),
  Effect.runPromise
)
const asked = Promise.race([
  new Promise((resolve) => process.stdin.once("close", resolve).resume()),
  ...(["SIGTERM", "SIGINT", "SIGHUP"] as const).map((signal) => new Promise((resolve) => process.once(signal, resolve)))
])
console.log(url)
await asked
await stop()
process.exit()
