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

const freshName = () => `wcs_test_${randomUUID().replaceAll("-", "")}`

/** Runs statements as the superuser, outside of the databases of tests. */
const administer = (...statements: ReadonlyArray<string>) =>
  Effect.flatMap(engineUrl, (url) => PgClient.makeClient({ url: Redacted.make(url) })).pipe(
    Effect.flatMap((sql) => Effect.forEach(statements, (statement) => sql.unsafe(statement))),
    Effect.scoped,
    Effect.orDie,
    Effect.provide(Reactivity.layer)
  )

/**
 * The URL of an empty database that exists until the scope closes. `options` of CREATE DATABASE and the default
 * `settings` of its sessions are those of the server if they are not given.
 */
export const databaseWith = Effect.fnUntraced(function* (
  options: string,
  settings: Readonly<Record<string, string>> = {}
) {
  const name = freshName()
  const defaults = Object.entries(settings).map(([key, value]) => `ALTER DATABASE ${name} SET ${key} = ${value}`)
  yield* Effect.acquireRelease(administer(`CREATE DATABASE ${name} ${options}`, ...defaults), () =>
    administer(`DROP DATABASE ${name} WITH (FORCE)`)
  )
  const own = new URL(yield* engineUrl)
  own.pathname = `/${name}`
  return Redacted.make(own.href)
})

/**
 * A role that exists until the scope closes, with the `options` of CREATE ROLE and `settings` of its sessions. Create
 * it before the databases that it owns. `as` gives the URL of a database for the role.
 */
export const roleWith = Effect.fnUntraced(function* (options: string, settings: Readonly<Record<string, string>> = {}) {
  const name = freshName()
  const defaults = Object.entries(settings).map(([key, value]) => `ALTER ROLE ${name} SET ${key} = ${value}`)
  yield* Effect.acquireRelease(administer(`CREATE ROLE ${name} LOGIN PASSWORD '${name}' ${options}`, ...defaults), () =>
    administer(`DROP ROLE ${name}`)
  )
  const as = (url: Redacted.Redacted) => {
    const own = new URL(Redacted.value(url))
    own.username = name
    own.password = name
    return Redacted.make(own.href)
  }
  return { name, as }
})

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
