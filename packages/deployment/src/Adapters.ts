import * as Rules from "@wcs/domain/service/Rules"
import type { Ids } from "@wcs/domain/shared/Id"
import type { DomainProof } from "@wcs/domain/single-sign-on/DomainProof"
import type { OpenIdConnect } from "@wcs/domain/single-sign-on/OpenIdConnect"
import type { Saml } from "@wcs/domain/single-sign-on/Saml"
import type { Register } from "@wcs/domain/verification/Register"
import type { TenantGateways } from "@wcs/domain/verification/TenantGateways"
import type { ConsoleAssets } from "@wcs/http/ConsoleRoutes"
import type { StartRefused } from "@wcs/node-server/StartRefused"
import * as OpenIdClient from "@wcs/oidc/OpenIdClient"
import type { ProviderFetch } from "@wcs/oidc/ProviderFetch"
import * as SourceGateways from "@wcs/register/SourceGateways"
import * as SamlProtocol from "@wcs/saml/SamlProtocol"
import type { Layer } from "effect"
import * as ConsoleBundle from "./ConsoleBundle.ts"
import * as DnsProof from "./DnsProof.ts"
import * as Registers from "./Registers.ts"
import type { Settings } from "./Settings.ts"
import * as Stores from "./stores/Stores.ts"

/** The parts of a deployment that a program chooses, and that tests replace one by one. */
export interface Adapters {
  readonly stores: Stores.StoresLayer
  /** The rules of the specification. */
  readonly rules: typeof Rules.layer
  /** The register for tenants without verification sources. */
  readonly register: Layer.Layer<Register, StartRefused, Settings>
  readonly tenantGateways: Layer.Layer<TenantGateways, never, SourceGateways.GatewayFetch>
  /** DNS lookups for the proof of domains. */
  readonly domainProof: Layer.Layer<DomainProof>
  readonly openIdConnect: Layer.Layer<OpenIdConnect, never, ProviderFetch>
  readonly saml: Layer.Layer<Saml, never, Ids>
  readonly console: Layer.Layer<ConsoleAssets>
}

/** What a server is made of. `Deployment.layer` wires it with the settings, the keys, the use cases and the sockets. */
export const adapters: Adapters = {
  stores: Stores.layer,
  rules: Rules.layer,
  register: Registers.layer,
  tenantGateways: SourceGateways.layer,
  domainProof: DnsProof.layer,
  openIdConnect: OpenIdClient.layer,
  saml: SamlProtocol.layer,
  console: ConsoleBundle.layer
}
