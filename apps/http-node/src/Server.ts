import * as ConsoleBundle from "@wcs/deployment/ConsoleBundle"
import * as Deployment from "@wcs/deployment/Deployment"
import * as DnsProof from "@wcs/deployment/DnsProof"
import * as Registers from "@wcs/deployment/Registers"
import type { Serving } from "@wcs/deployment/Serving"
import * as Settings from "@wcs/deployment/Settings"
import * as Stores from "@wcs/deployment/stores/Stores"
import * as Logging from "@wcs/deployment/telemetry/Logging"
import * as Rules from "@wcs/domain/service/Rules"
import * as OpenIdClient from "@wcs/oidc/OpenIdClient"
import * as SamlProtocol from "@wcs/saml/SamlProtocol"
import { Effect, Layer } from "effect"

/** What a server is made of. `Deployment.layer` wires it with the settings, the keys, the use cases and the sockets. */
export const adapters: Deployment.Adapters = {
  stores: Stores.layer,
  rules: Rules.layer,
  register: Registers.layer,
  domainProof: DnsProof.layer,
  openIdConnect: OpenIdClient.layer,
  saml: SamlProtocol.layer,
  console: ConsoleBundle.layer
}

const server = Deployment.layer(adapters).pipe(Layer.provideMerge(Logging.layer), Layer.provideMerge(Settings.layer))

/** Serves until a signal. Then accepts nothing more and finishes the requests in flight. */
export const main = <E>(announce: Effect.Effect<void, E, Serving | Settings.Settings>) =>
  announce.pipe(
    Effect.andThen(Effect.logInfo("serving")),
    Effect.andThen(Effect.never),
    Effect.onInterrupt(() => Effect.logInfo("stopping; finishing requests in flight")),
    Effect.provide(server)
  )
