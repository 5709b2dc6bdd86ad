import { adapters } from "@wcs/deployment/Adapters"
import * as Deployment from "@wcs/deployment/Deployment"
import { Serving } from "@wcs/deployment/Serving"
import { DataDirectory } from "@wcs/deployment/stores/DataDirectory"
import { settingsOf as settingsFrom } from "@wcs/deployment/TestDeployment"
import { Administration } from "@wcs/domain/token/Administration"
import { operator } from "@wcs/domain/token/Operator"
import { refusing, StartRefused } from "@wcs/node-server/StartRefused"
import * as SqliteClient from "@wcs/sqlite/SqliteClient"
import * as StoreSqlite from "@wcs/store-sql/StoreSqlite"
import { Effect, Layer, ManagedRuntime, References } from "effect"
import { databaseOf, poolSize } from "./data/DatabaseUrl.ts"
import type { ServerOptions, Side } from "./Side.ts"

/** A server on Postgres leaves background work to workers, and uses as many connections as its peer. */
const databaseSettings = (directory: string): Readonly<Record<string, string>> => {
  const url = databaseOf(directory)
  return url === null ? {} : { DATABASE_URL: url, WCS_DATABASE_CONNECTIONS: String(poolSize), WCS_WORKER: "apart" }
}

/** The settings of a server in a data directory, behind a proxy on this machine. */
export const settingsOf = (directory: string, environment: Readonly<Record<string, string>> = {}) =>
  settingsFrom({
    WCS_DATA: directory,
    WCS_HOST: "127.0.0.1",
    WCS_PORT: "0",
    WCS_ADMIN_PORT: "0",
    WCS_TLS: "proxy",
    WCS_TRUSTED_PROXIES: "127.0.0.1",
    ...databaseSettings(directory),
    ...environment
  })

/** The embedded store with a limit on group size. */
const storesWith = (groupMax: number) =>
  Layer.unwrap(
    DataDirectory.use(({ storeFile }) =>
      Effect.succeed(
        refusing(StoreSqlite.layer).pipe(
          Layer.provide(SqliteClient.layer({ filename: storeFile, groupMax })),
          Layer.catchTag("SqliteOpenError", ({ message }) =>
            Layer.effectContext(Effect.fail(new StartRefused({ message })))
          )
        )
      )
    )
  )

/** The whole production server, behind a proxy that terminates TLS. */
export const start = async ({ directory, groupMax, limits }: ServerOptions): Promise<Side> => {
  const settings = settingsOf(directory, {
    WCS_RATE_STANDARD: String(limits.standard),
    WCS_RATE_INTENSIVE: String(limits.standard),
    WCS_RATE_UNAUTHENTICATED: String(limits.unauthenticated),
    WCS_RATE_TOKEN_FAILURES: String(limits.unauthenticated),
    WCS_RATE_ADDRESS_FAILURES: String(limits.unauthenticated),
    WCS_RATE_LOGIN_FAILURES: String(limits.unauthenticated)
  })
  const ours = groupMax === undefined ? adapters : { ...adapters, stores: storesWith(groupMax) }
  const runtime = ManagedRuntime.make(
    Deployment.layer(ours).pipe(
      Layer.provide(settings),
      Layer.provide(Layer.succeed(References.MinimumLogLevel, "Warn"))
    )
  )
  const { port } = await runtime.runPromise(Serving)
  return {
    port,
    revoke: (tenantId, tokenId) =>
      runtime.runPromise(
        Effect.gen(function* () {
          const administration = yield* Administration
          yield* administration.revokeToken(tenantId, tokenId, yield* operator)
        })
      ),
    close: () => runtime.dispose()
  }
}
