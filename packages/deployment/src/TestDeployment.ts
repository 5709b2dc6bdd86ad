import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Rules from "@wcs/domain/service/Rules"
import * as OpenIdClient from "@wcs/oidc/OpenIdClient"
import * as SamlProtocol from "@wcs/saml/SamlProtocol"
import { Clock, ConfigProvider, Effect, Layer, Redacted } from "effect"
import * as ConsoleBundle from "./ConsoleBundle.ts"
import * as Deployment from "./Deployment.ts"
import * as DnsProof from "./DnsProof.ts"
import * as Registers from "./Registers.ts"
import * as Settings from "./Settings.ts"
import * as Stores from "./stores/Stores.ts"

/** The adapters of a server, which a test can replace one by one. */
export const adapters: Deployment.Adapters = {
  stores: Stores.layer,
  rules: Rules.layer,
  register: Registers.layer,
  domainProof: DnsProof.layer,
  openIdConnect: OpenIdClient.layer,
  saml: SamlProtocol.layer,
  console: ConsoleBundle.layer
}

/** Settings from these variables only. */
export const settingsOf = (variables: Readonly<Record<string, string>>) =>
  Layer.provide(Settings.layer, ConfigProvider.layer(ConfigProvider.fromUnknown(variables)))

/** A directory that is removed with the scope. */
const temporaryDirectory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "wcs-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** How a test's server differs from that of production. */
export interface Differences extends Partial<Deployment.Adapters> {
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
