import * as RateLimiterMemory from "@wcs/domain/access/RateLimiterMemory"
import * as Notifications from "@wcs/domain/shared/Notifications"
import { IsOutage } from "@wcs/http/request/Outage"
import type { StartRefused } from "@wcs/node-server/StartRefused"
import type { Stores } from "@wcs/store-sql/StoreSql"
import { Effect, Layer, Option } from "effect"
import { Settings } from "../Settings.ts"
import type { DataDirectory } from "./DataDirectory.ts"
import * as SqliteStores from "./SqliteStores.ts"

export type StoresLayer = Layer.Layer<Stores, StartRefused, DataDirectory | Settings>

/** Imported only when a database is used, to keep the start fast. */
const ofDatabase = Effect.promise(() => import("./PostgresStores.ts"))

/** The store of the settings: Postgres, or SQLite in the data directory. */
export const layer: StoresLayer = Layer.unwrap(
  Settings.use(({ database }) =>
    Option.isSome(database)
      ? Effect.map(ofDatabase, ({ layer }): StoresLayer => layer)
      : Effect.succeed<StoresLayer>(SqliteStores.layer)
  )
)

/** The rate limiter: in this process, or shared through the database. */
export const rateLimiter = Layer.unwrap(
  Settings.use(({ database, rateLimits }) =>
    Option.isSome(database)
      ? Effect.map(ofDatabase, ({ rateLimiter }) => rateLimiter)
      : Effect.succeed(RateLimiterMemory.layer(rateLimits))
  )
)

/** Notifications: within this process, or between all processes that share the database. */
export const notifications = Layer.unwrap(
  Settings.use(({ database }) =>
    Option.isSome(database)
      ? Effect.map(ofDatabase, ({ notifications }) => notifications)
      : Effect.succeed(Notifications.layer)
  )
)

/** Detects an unavailable database. */
export const outages = Layer.unwrap(
  Settings.use(({ database }) =>
    Option.isSome(database)
      ? Effect.map(ofDatabase, ({ isOutage }) => Layer.succeed(IsOutage, isOutage))
      : Effect.succeed(Layer.empty)
  )
)
