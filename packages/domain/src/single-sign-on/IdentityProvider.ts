import { Schema } from "effect"
import type { Resource } from "../resource/Resource.ts"
import { line } from "../shared/Text.ts"
import { WellKnownUrl } from "./IdentityProviderUrl.ts"

/** The protocols of single sign-on (§5.2, items 2 and 9). */
export const providerKinds = ["saml", "oidc"] as const
export const ProviderKind = Schema.Literals(providerKinds)
export type ProviderKind = typeof ProviderKind.Type

/** Identity providers of a tenant. */
const providersMax = 20
const domainsMax = 20
/** Certificates of a provider. Each one is tried on a forged response. */
const certificatesMax = 5
/** Characters of a certificate as PEM. */
const certificateMaxLength = 16 * 1024

/** RFC 1035, section 2.3.1, in lower case, with two labels or more. */
const domainForm = /^(?=.{3,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/

/** A domain of e-mail addresses. */
export const Domain = Schema.String.check(Schema.isPattern(domainForm)).annotate({
  form: "a domain name in lower case, such as example.org"
})

const Domains = Schema.Array(Domain).check(
  Schema.isMaxLength(domainsMax, { message: `must have at most ${domainsMax} domains` }),
  Schema.isUnique({ message: "must not name a domain twice" })
)

/** The settings of SAML 2.0. The metadata of the identity provider contains them. */
export const SamlSettings = Schema.Struct({
  entityId: line(1024).annotate({ description: "entityID of the identity provider." }),
  ssoUrl: WellKnownUrl.annotate({ description: "Single sign-on URL for the HTTP-Redirect binding." }),
  certificates: Schema.Array(
    Schema.String.check(Schema.isMaxLength(certificateMaxLength), Schema.isMinLength(1)).annotate({
      form: "an X.509 certificate as PEM or base64"
    })
  )
    .check(
      Schema.isMinLength(1, { message: "must have at least one certificate" }),
      Schema.isMaxLength(certificatesMax, { message: `must have at most ${certificatesMax} certificates` })
    )
    .annotate({ description: "Certificates that can sign responses. Several during a key rotation." })
})
export type SamlSettings = typeof SamlSettings.Type

/** The settings of OpenID Connect. */
export const OidcSettings = Schema.Struct({
  issuer: WellKnownUrl.annotate({
    description: "Issuer URL. The provider publishes its configuration under this URL."
  }),
  clientId: line(255).annotate({ description: "Client id of this service at the provider." }),
  bearerAudience: Schema.optionalKey(
    line(255).annotate({
      description: "Required audience of access tokens of the provider. Without it, the API accepts none of them."
    })
  )
})
export type OidcSettings = typeof OidcSettings.Type

/** The settings that a caller writes. */
const written = {
  name: line(200),
  kind: ProviderKind,
  active: Schema.Boolean.annotate({ description: "Whether people can log in through the provider." }),
  required: Schema.Boolean.annotate({
    description:
      "Whether users of the verified domains must log in through the provider. Super Admins can still use a password."
  }),
  domains: Domains.annotate({ description: "Domains of the e-mail addresses of the users of the provider." }),
  saml: Schema.optionalKey(SamlSettings),
  oidc: Schema.optionalKey(OidcSettings)
}

/** An identity provider as it is stored. */
export const IdentityProviderFields = Schema.Struct({
  ...written,
  /** Domains whose DNS names this provider. Addresses of other domains never log in. */
  verifiedDomains: Domains,
  /** The client secret of OpenID Connect as `Seal` made it; empty without one. */
  sealedClientSecret: Schema.String
})
export type IdentityProviderFields = typeof IdentityProviderFields.Type

/** An identity provider of a tenant, for single sign-on (§5.2, item 9). */
export const IdentityProvider: Resource<IdentityProviderFields> = {
  type: "identityProvider",
  naming: { by: "minting", kind: "identityProvider" },
  collection: "identity-providers",
  fields: IdentityProviderFields,
  computed: [
    ["verifiedDomains"],
    ["sealedClientSecret"],
    ["hasClientSecret"],
    ["certificates"],
    ["domainProofs"],
    ["paths"]
  ],
  // Verified domains and the client secret belong to one provider. Another one has to prove its domains again.
  fixed: [["kind"], ["saml", "entityId"], ["oidc", "issuer"]].map((path) => ({
    path,
    advice: "create another identity provider"
  })),
  defaults: [
    { path: ["active"], value: false },
    { path: ["required"], value: false },
    { path: ["domains"], value: [] },
    { path: ["verifiedDomains"], value: [] },
    { path: ["sealedClientSecret"], value: "" }
  ],
  most: providersMax,
  links: [],
  columns: {
    name: { path: ["name"], folded: true },
    kind: { path: ["kind"] },
    active: { path: ["active"] }
  },
  filters: {
    kind: { by: "equal", column: "kind", among: providerKinds },
    active: { by: "equal", column: "active", among: ["true", "false"] }
  },
  sorts: { name: "name" }
}

/** The domain of an address in the form of `normalizeEmail`. */
export const domainOf = (email: string): string => email.slice(email.lastIndexOf("@") + 1)

/** Whether the provider is proven to vouch for the address. */
export const vouchesFor = ({ verifiedDomains }: Pick<IdentityProviderFields, "verifiedDomains">, email: string) =>
  verifiedDomains.includes(domainOf(email))

/** The DNS name whose TXT records prove a domain. */
export const proofNameOf = (domain: string): string => `_wcs-challenge.${domain}`

/** The TXT record that proves a domain. The id is of one tenant only, so nobody else can use the record. */
export const proofTextOf = (id: string): string => `wcs-domain-verification=${id}`
