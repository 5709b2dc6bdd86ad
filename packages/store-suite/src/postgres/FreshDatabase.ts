import { randomUUID } from "node:crypto"
import { connect } from "node:net"
import { text } from "node:stream/consumers"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { inject } from "vitest"
import { type PoolMode, startPooler } from "./Pooler.ts"

/** The URL of the run's Postgres. Without one the caller fails, so that no test is skipped silently. */
const engineUrl = Effect.promise(() => text(connect(inject("postgresSocket")))).pipe(
  Effect.flatMap((url) => (url === "" ? Effect.die(new Error("there is no Postgres to test on")) : Effect.succeed(url)))
)

/**
 * The URL of an empty database that exists until the scope closes. `options` of CREATE DATABASE and the default
 * `settings` of its sessions are those of the server if they are not given.
 */
export const databaseWith = Effect.fnUntraced(function* (
  options: string,
  settings: Readonly<Record<string, string>> = {}
) {
  const url = new URL(yield* engineUrl)
  const name = `wcs_test_${randomUUID().replaceAll("-", "")}`
  const run = (...statements: ReadonlyArray<string>) =>
    PgClient.makeClient({ url: Redacted.make(url.href) }).pipe(
      Effect.flatMap((sql) => Effect.forEach(statements, (statement) => sql.unsafe(statement))),
      Effect.scoped,
      Effect.orDie
    )
  const defaults = Object.entries(settings).map(([key, value]) => `ALTER DATABASE ${name} SET ${key} = ${value}`)
  yield* Effect.acquireRelease(run(`CREATE DATABASE ${name} ${options}`, ...defaults), () =>
    run(`DROP DATABASE ${name} WITH (FORCE)`)
  )
  const own = new URL(url)
  own.pathname = `/${name}`
  return Redacted.make(own.href)
}, Effect.provide(Reactivity.layer))

/** The URL of an empty database that exists until the scope closes. */
export const freshDatabase = databaseWith("")

/** Returns the URL of a database through a pooler, which runs until the scope closes. */
export const pooled = Effect.fnUntraced(function* (url: Redacted.Redacted, mode: PoolMode) {
  const pooler = yield* Effect.acquireRelease(
    Effect.promise(() => startPooler(Redacted.value(url), mode)),
    ({ close }) => Effect.sync(close)
  )
  return Redacted.make(pooler.through(Redacted.value(url)))
})
