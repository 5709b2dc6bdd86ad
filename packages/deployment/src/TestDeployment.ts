import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Clock, ConfigProvider, Effect, Layer, Redacted } from "effect"
import { type Adapters, adapters } from "./Adapters.ts"
import * as Deployment from "./Deployment.ts"
import * as Settings from "./Settings.ts"

/** Settings from these variables only. */
export const settingsOf = (variables: Readonly<Record<string, string>>) =>
  Layer.provide(Settings.layer, ConfigProvider.layer(ConfigProvider.fromUnknown(variables)))

/** A directory that is removed with the scope. */
const temporaryDirectory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "wcs-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** How a test's server differs from that of production. */
export interface Differences extends Partial<Adapters> {
  /** Default: the clock of the runtime. */
  readonly clock?: Clock.Clock
  /** The URL of a Postgres database. Default: SQLite in the data directory. */
  readonly engine?: Redacted.Redacted | undefined
  /** Variables beside those of a server on loopback with free ports and a data directory of its own. */
  readonly settings?: Readonly<Record<string, string>>
}

/**
 * A server of production in this process, for the lifetime of the layer.
 * @public for the tests of all packages
 */
export const layerTest = ({ clock, engine, settings, ...replaced }: Differences = {}) =>
  Layer.unwrap(
    Effect.map(temporaryDirectory, (directory) =>
      Deployment.layer({ ...adapters, ...replaced }).pipe(
        Layer.provideMerge(
          settingsOf({
            WCS_DATA: join(directory, "data"),
            WCS_HOST: "127.0.0.1",
            WCS_PORT: "0",
            WCS_ADMIN_PORT: "0",
            ...(engine === undefined ? {} : { DATABASE_URL: Redacted.value(engine) }),
            ...settings
          })
        ),
        Layer.provide(clock === undefined ? Layer.empty : Layer.succeed(Clock.Clock, clock))
      )
    )
  )
