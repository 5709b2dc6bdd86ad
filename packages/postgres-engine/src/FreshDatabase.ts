import { randomUUID } from "node:crypto"
import { connect } from "node:net"
import { text } from "node:stream/consumers"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { inject } from "vitest"

/** The URL of the run's Postgres. Without one the caller fails, so that no test is skipped silently. */
const engineUrl = Effect.promise(() => text(connect(inject("postgresSocket")))).pipe(
  Effect.flatMap((url) => (url === "" ? Effect.die(new Error("there is no Postgres to test on")) : Effect.succeed(url)))
)

/** The URL of an empty database that exists until the scope closes. */
export const freshDatabase = Effect.gen(function* () {
  const url = new URL(yield* engineUrl)
  const name = `wcs_test_${randomUUID().replaceAll("-", "")}`
  const run = (statement: string) =>
    PgClient.makeClient({ url: Redacted.make(url.href) }).pipe(
      Effect.flatMap((sql) => sql.unsafe(statement)),
      Effect.scoped,
      Effect.orDie
    )
  yield* Effect.acquireRelease(run(`CREATE DATABASE ${name}`), () => run(`DROP DATABASE ${name} WITH (FORCE)`))
  const own = new URL(url)
  own.pathname = `/${name}`
  return Redacted.make(own.href)
}).pipe(Effect.provide(Reactivity.layer))
