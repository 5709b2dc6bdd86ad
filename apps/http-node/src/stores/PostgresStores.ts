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

/** Connections for notifications: two listen, one sends and polls. */
const watchingConnections = 3

/** The advisory lock of `OneAtATime`. Migrations have another lock. */
const turnLock = 7_263_042

/** Names the database without user and password. */
export const nameOf = (url: Redacted.Redacted): string => {
  const { hostname, pathname, port } = new URL(Redacted.value(url))
  return `${pathname.slice(1)} on ${hostname}${port === "" ? "" : `:${port}`}`
}

/** Converts a database error to one sentence. */
const refusal = (url: Redacted.Redacted) => (error: SqlError.SqlError) =>
  new StartRefused({
    message: `DATABASE_URL must name a usable Postgres database, but ${nameOf(url)} failed: ${detailOf(error)}.`
  })

/**
 * Whether no connection to the database was available. A connection that breaks later may have sent a COMMIT, so its
 * outcome is unknown and counts as an internal error.
 */
export const isOutage = (failure: unknown): boolean =>
  SqlError.isSqlError(failure) && failure.reason._tag === "ConnectionError" && failure.reason.operation === "connect"

/** A client, after a first successful query. */
const makeClient = Effect.fnUntraced(
  function* ({ connections, url }: Database) {
    const made = yield* Layer.build(PostgresClient.layer({ url, connections }))
    yield* Context.get(made, SqlClient.SqlClient)`SELECT 1`
    return made
  },
  (making, { url }) => Effect.mapError(making, refusal(url))
)

/** The database of the settings. Callers check that it is set. */
const named = Settings.use(({ database }) => Effect.fromOption(database)).pipe(Effect.orDie)

/** The client for requests. */
export const client = Layer.effectContext(Effect.flatMap(named, makeClient))

/** The client for notifications, which must not wait for requests. */
const watching = Layer.effectContext(
  Effect.flatMap(named, ({ url }) => makeClient({ url, connections: watchingConnections }))
)

const epoch = Layer.unwrap(
  Effect.gen(function* () {
    const heard = yield* hear(yield* PgClient, AccessEpoch.channel)
    return AccessEpoch.layerShared(heard)
  })
)

/** Holds an advisory lock while the effect runs. Postgres frees the lock if the connection is lost. */
const turns = Layer.effect(
  OneAtATime,
  Effect.map(
    SqlClient.SqlClient,
    (sql) =>
      <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        // The lock has its own scope, so resources of the effect outlive the lock.
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

/** The store in the database of the settings, which other servers can share. */
export const layer = Layer.merge(
  refusing(StoreSql.layerShared).pipe(Layer.provide([client, Layer.provide(epoch, watching)])),
  Layer.provide(turns, watching)
)

/** The rate limiter that all servers of the database share. */
export const rateLimiter = Layer.unwrap(
  Settings.use(({ rateLimits }) => Effect.succeed(RateLimiterPostgres.layer(rateLimits)))
).pipe(Layer.provide(client))

/** Notifications between all servers and workers of the database. */
export const notifications = Layer.provide(NotificationsPostgres.layer, watching)
