import { randomUUID } from "node:crypto"
import { connect } from "node:net"
import { text } from "node:stream/consumers"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { inject } from "vitest"

/** The URL of the run's Postgres. That there is none is a failure of whoever asks, never a reason to test nothing. */
const engineUrl = Effect.promise(() => text(connect(inject("postgresSocket")))).pipe(
  Effect.flatMap((url) => (url === "" ? Effect.die(new Error("there is no Postgres to test on")) : Effect.succeed(url)))
)

/** An empty database for the scope alone, by its URL. */
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
