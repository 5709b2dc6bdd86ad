import { PgClient } from "@effect/sql-pg/PgClient"
import { hear } from "@wcs/postgres/Hearing"
import * as NotificationsPostgres from "@wcs/postgres/NotificationsPostgres"
import * as PostgresClient from "@wcs/postgres/PostgresClient"
import * as AccessEpoch from "@wcs/store-sql/access/AccessEpoch"
import { detailOf } from "@wcs/store-sql/engine/Dialect"
import * as RateLimiterPostgres from "@wcs/store-sql/engine/RateLimiterPostgres"
import * as StoreSql from "@wcs/store-sql/StoreSql"
import { Context, Effect, Layer, Redacted, Scope } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { Settings } from "../Settings.ts"
import { refusing, StartRefused } from "../StartRefused.ts"
import type { Database } from "../settings/Store.ts"
import { OneAtATime } from "./OneAtATime.ts"

/** Connections that no request waits for: two hear what other servers tell, one tells them and looks what they wrote. */
const watchingConnections = 3

/** Names the lock of what one server at a time does to a database; that of the migrations is another. */
const turnLock = 7_263_042

/** The database in words that show neither user nor password. */
const nameOf = (url: Redacted.Redacted): string => {
  const { hostname, pathname, port } = new URL(Redacted.value(url))
  return `${pathname.slice(1)} on ${hostname}${port === "" ? "" : `:${port}`}`
}

/** Why the database cannot be used, in one sentence. */
const refusal = (url: Redacted.Redacted) => (error: SqlError.SqlError) =>
  new StartRefused({
    message: `DATABASE_URL must name a Postgres that can be used, and ${nameOf(url)} cannot: ${detailOf(error)}.`
  })

/**
 * Whether no connection to the database could be had. A connection that breaks later may have carried a COMMIT: that is a
 * failure, after which nobody knows.
 */
export const isOutage = (failure: unknown): boolean =>
  SqlError.isSqlError(failure) && failure.reason._tag === "ConnectionError" && failure.reason.operation === "connect"

/** A client whose database answers. */
const makeClient = Effect.fnUntraced(
  function* ({ connections, url }: Database) {
    const made = yield* Layer.build(PostgresClient.layer({ url, connections }))
    yield* Context.get(made, SqlClient.SqlClient)`SELECT 1`
    return made
  },
  (making, { url }) => Effect.mapError(making, refusal(url))
)

/** Whoever asks for what is in a database has looked whether the settings name one. */
const named = Settings.use(({ database }) => Effect.fromOption(database)).pipe(Effect.orDie)

/** For requests; the same for all that is provided together. */
const client = Layer.effectContext(Effect.flatMap(named, makeClient))

/** For what must not wait for requests. */
const watching = Layer.effectContext(
  Effect.flatMap(named, ({ url }) => makeClient({ url, connections: watchingConnections }))
)

const epoch = Layer.unwrap(
  Effect.gen(function* () {
    const heard = yield* hear(yield* PgClient, AccessEpoch.channel)
    return AccessEpoch.layerShared(heard)
  })
)

/** Holds a lock of the database while the effect runs. Where the connection is lost, Postgres frees it. */
const turns = Layer.effect(
  OneAtATime,
  Effect.map(
    SqlClient.SqlClient,
    (sql) =>
      <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        // In a scope of its own: what the effect acquires lives on.
        Effect.scopedWith((turn) =>
          Effect.gen(function* () {
            const connection = yield* Effect.orDie(Scope.provide(sql.reserve, turn))
            const run = (what: string) =>
              Effect.orDie(connection.executeRaw(`SELECT pg_advisory_${what}(CAST($1 AS BIGINT))`, [turnLock]))
            yield* Scope.addFinalizer(turn, Effect.ignoreCause(run("unlock")))
            yield* run("lock")
            return yield* effect
          })
        )
  )
)

/** The store in the database that the settings name, which other servers may have too. */
export const layer = Layer.merge(
  refusing(StoreSql.layerShared).pipe(Layer.provide([client, Layer.provide(epoch, watching)])),
  Layer.provide(turns, watching)
)

/** The limits that all servers of the database keep together. */
export const rateLimiter = Layer.unwrap(
  Settings.use(({ rateLimits }) => Effect.succeed(RateLimiterPostgres.layer(rateLimits)))
).pipe(Layer.provide(client))

/** Word between all servers and workers of the database. */
export const notifications = Layer.provide(NotificationsPostgres.layer, watching)
