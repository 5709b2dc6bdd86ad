import { refusing, StartRefused } from "@wcs/node-server/StartRefused"
import { hear } from "@wcs/postgres/Hearing"
import * as NotificationsPostgres from "@wcs/postgres/NotificationsPostgres"
import { otherEngine } from "@wcs/postgres/OtherEngine"
import { sharesSessions } from "@wcs/postgres/PoolerMode"
import * as PostgresClient from "@wcs/postgres/PostgresClient"
import * as AccessEpoch from "@wcs/store-sql/access/AccessEpoch"
import { firstCell, namedCells } from "@wcs/store-sql/cells/Directory"
import { isFencedOff } from "@wcs/store-sql/cells/Fence"
import { detailOf } from "@wcs/store-sql/engine/Dialect"
import { DirectRead } from "@wcs/store-sql/engine/DirectRead"
import * as RateLimiterPostgres from "@wcs/store-sql/engine/RateLimiterPostgres"
import * as StoreSql from "@wcs/store-sql/StoreSql"
import { Context, Effect, Layer, Predicate, Redacted, Scope } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { Settings } from "../Settings.ts"
import type { Database } from "../settings/Store.ts"
import * as TrustedAuthorities from "../TrustedAuthorities.ts"
import { OneAtATime } from "./OneAtATime.ts"
import { faults } from "./PostgresFaults.ts"

/** Connections for notifications: two listen, one sends and polls. */
const watchingConnections = 3

/** The advisory lock of `OneAtATime`. Migrations have another lock. */
const turnLock = 7_263_042

/** Names the database without user and password. */
export const nameOf = (url: Redacted.Redacted): string => {
  const { hostname, pathname, port } = new URL(Redacted.value(url))
  return `${pathname.slice(1)} on ${hostname}${port === "" ? "" : `:${port}`}`
}

/** The code of Postgres if the server, the database or the role allows no more connections. */
const tooManyConnections = "53300"

const remedyOf = ({ reason: { cause } }: SqlError.SqlError): string =>
  Predicate.hasProperty(cause, "code") && cause.code === tooManyConnections
    ? ": raise the limit of connections, or lower WCS_DATABASE_CONNECTIONS"
    : ""

/** Converts a database error to one sentence. */
const refusal = (url: Redacted.Redacted) => (error: SqlError.SqlError) =>
  new StartRefused({
    message: `DATABASE_URL must name a usable Postgres database, but ${nameOf(url)} failed: ${detailOf(error)}${remedyOf(error)}.`
  })

/**
 * Whether no connection to the database was available, or the tenant moves to another one. A connection that breaks later
 * may have sent a COMMIT, so its outcome is unknown and counts as an internal error.
 */
export const isOutage = (failure: unknown): boolean =>
  isFencedOff(failure) ||
  (SqlError.isSqlError(failure) && failure.reason._tag === "ConnectionError" && failure.reason.operation === "connect")

/** The database of the settings. Callers check that it is set. */
const named = Settings.use(({ database }) => Effect.fromOption(database)).pipe(Effect.orDie)

/** The database, after it answered. Nothing else connects before, so no session of a shared pooler gets our settings. */
class Reached extends Context.Service<Reached, Database>()("@wcs/deployment/stores/Reached") {}

const reached = Layer.effect(
  Reached,
  Effect.gen(function* () {
    const database = yield* named
    const other = yield* Effect.mapError(otherEngine(database.url), refusal(database.url))
    if (other !== undefined) {
      return yield* new StartRefused({
        message:
          `DATABASE_URL must lead to a Postgres, but ${nameOf(database.url)} is ${other}, which lacks parts of it: ` +
          "use Postgres 14 or later, or a service that runs it; nothing was changed."
      })
    }
    if (!(yield* Effect.mapError(sharesSessions(database.url), refusal(database.url)))) return database
    return yield* new StartRefused({
      message:
        `DATABASE_URL must lead to a server or to a pooler in session mode, but ${nameOf(database.url)} is a pooler in ` +
        "transaction or statement mode: set its pool_mode to session, or name the server; nothing was changed."
    })
  })
).pipe(Layer.provide(TrustedAuthorities.layer))

const clientWith = (connectionsOf: (database: Database) => number) =>
  Layer.unwrap(
    Effect.map(Reached, (database) =>
      PostgresClient.layer({ url: database.url, connections: connectionsOf(database) }).pipe(
        Layer.catchTag("SqlError", (error) => Layer.effectContext(Effect.fail(refusal(database.url)(error))))
      )
    )
  ).pipe(Layer.provide(reached))

/** The client for requests. */
export const client = clientWith(({ connections }) => connections)

/** The client for notifications, which must not wait for requests. */
const watching = clientWith(() => watchingConnections)

/** Fails before anything is written if the database cannot keep a store. */
export const requireSuitable = Effect.gen(function* () {
  const { url } = yield* named
  const [fault] = yield* Effect.mapError(faults(nameOf(url)), refusal(url))
  if (fault !== undefined) return yield* new StartRefused({ message: `${fault} Nothing was changed.` })
})

const epoch = Layer.unwrap(
  Effect.gen(function* () {
    const heard = yield* hear(yield* PostgresClient.PostgresClient, AccessEpoch.channel)
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

const directRead = Layer.effect(
  DirectRead,
  PostgresClient.PostgresClient.useSync(({ read }) => read)
)

/**
 * Fails if tenants are in a database that the settings do not name. Without its accounts, such a tenant would look like a
 * new one, which anybody with the set-up address may claim.
 */
const requireCells = Effect.gen(function* () {
  const { cell, cells } = yield* Settings
  if (cell !== firstCell) return
  const { url } = yield* named
  const found = yield* Effect.mapError(namedCells(yield* SqlClient.SqlClient), refusal(url))
  const missing = found.find((name) => !cells.some((cell) => cell.name === name))
  if (missing === undefined) return
  return yield* new StartRefused({
    message: `WCS_CELLS must name the database ${missing}: the directory in ${nameOf(url)} has tenants there.`
  })
})

/** The store in the database of the settings, which other servers can share. */
export const layer = Layer.effectDiscard(requireCells).pipe(
  Layer.provide(client),
  Layer.provideMerge(
    Layer.merge(
      refusing(StoreSql.layerShared).pipe(
        Layer.provide([Layer.provideMerge(directRead, client), Layer.provide(epoch, watching)])
      ),
      Layer.provide(turns, watching)
    )
  ),
  Layer.provide(Layer.provide(Layer.effectDiscard(requireSuitable), client))
)

/** The rate limiter that all servers of the database share. */
export const rateLimiter = Layer.unwrap(
  Settings.use(({ rateLimits }) => Effect.succeed(RateLimiterPostgres.layer(rateLimits)))
).pipe(Layer.provide(client))

/** Notifications between all servers and workers of the database. */
export const notifications = Layer.provide(NotificationsPostgres.layer, watching)
