import { Schema } from "effect"
import type { Resource } from "../resource/Resource.ts"
import { line } from "../shared/Text.ts"
import { WellKnownUrl } from "./IdentityProviderUrl.ts"

/** The protocols of single sign-on (§5.2, items 2 and 9). */
export const providerKinds = ["saml", "oidc"] as const
export const ProviderKind = Schema.Literals(providerKinds)
export type ProviderKind = typeof ProviderKind.Type

/** The maximum number of identity providers of a tenant. */
const providersMax = 20
const domainsMax = 20
/** The maximum number of certificates of a provider. A forged response costs one check per certificate. */
const certificatesMax = 5
/** Maximum length of a PEM certificate in characters. */
const certificateMaxLength = 16 * 1024

/** RFC 1035, section 2.3.1, in lower case, with at least two labels. */
const domainForm = /^(?=.{3,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/u

/** A domain of email addresses. */
export const Domain = Schema.String.check(Schema.isPattern(domainForm)).annotate({
  valueFormat: "a domain name in lower case, such as example.org"
})

const Domains = Schema.Array(Domain).check(
  Schema.isMaxLength(domainsMax, { message: `must have at most ${domainsMax} domains` }),
  Schema.isUnique({ message: "must not repeat a domain" })
)

/** The settings of SAML 2.0, as in the identity provider's metadata. */
export const SamlSettings = Schema.Struct({
  entityId: line(1024).annotateKey({
    description: "`entityID` of the identity provider, from its metadata. It cannot change."
  }),
  ssoUrl: WellKnownUrl.annotateKey({ description: "Single sign-on URL for the HTTP-Redirect binding." }),
  certificates: Schema.Array(
    Schema.String.check(Schema.isMaxLength(certificateMaxLength), Schema.isMinLength(1)).annotate({
      valueFormat: "an X.509 certificate as PEM or base64"
    })
  )
    .check(
      Schema.isMinLength(1, { message: "must have at least one certificate" }),
      Schema.isMaxLength(certificatesMax, { message: `must have at most ${certificatesMax} certificates` })
    )
    .annotate({ description: "Any of these may sign responses. Use several while a key is replaced." })
})
export type SamlSettings = typeof SamlSettings.Type

/** The settings of OpenID Connect. */
export const OidcSettings = Schema.Struct({
  issuer: WellKnownUrl.annotateKey({
    description: "Issuer URL. The provider publishes its configuration below this URL. It cannot change."
  }),
  clientId: line(255).annotateKey({ description: "Client id of this service at the provider." }),
  bearerAudience: Schema.optionalKey(
    line(255).annotateKey({
      description: "Audience of the provider's access tokens that the API accepts. If absent, the API accepts none."
    })
  ),
  trustVerifiedDomains: Schema.optionalKey(
    Schema.Boolean.annotate({
      description:
        "Whether addresses in `verifiedDomains` count as verified if the provider does not send `email_verified`, as " +
        "Microsoft Entra ID does not. Set it only if the provider lets no user choose their own address."
    })
  )
})
export type OidcSettings = typeof OidcSettings.Type

/** The settings that a caller sets. */
const written = {
  name: line(200).annotateKey({ description: "Name for people, shown to users at login. Lists sort by it." }),
  kind: ProviderKind.annotate({
    description:
      "Protocol: SAML 2.0 or OpenID Connect. The settings are in the field `saml` or `oidc`. It cannot change."
  }),
  active: Schema.Boolean.annotate({ description: "Whether users can log in through the provider." }),
  required: Schema.Boolean.annotate({
    description:
      "Whether users of the verified domains must log in through the provider. Super Admins can still use a password."
  }),
  domains: Domains.annotate({
    description: "Email domains of the provider's users. Each must be verified before its users can log in."
  }),
  saml: Schema.optionalKey(SamlSettings).annotateKey({
    description:
      "Settings of SAML, if `kind` is `saml`. Absent otherwise, and before they are known. Active providers need them."
  }),
  oidc: Schema.optionalKey(OidcSettings).annotateKey({
    description:
      "Settings of OpenID Connect, if `kind` is `oidc`. Absent otherwise, and before they are known. Active providers need " +
      "them."
  })
}

/** A stored identity provider. */
export const IdentityProviderFields = Schema.Struct({
  ...written,
  verifiedDomains: Domains.annotateKey({
    description: "Domains with the TXT record of this provider. Users with addresses of other domains cannot log in."
  }),
  /** The client secret of OpenID Connect, encrypted by `Seal`; empty without one. */
  sealedClientSecret: Schema.String
})
export type IdentityProviderFields = typeof IdentityProviderFields.Type

/** An identity provider of a tenant, for single sign-on (§5.2, item 9). */
export const IdentityProvider = {
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
  // Verified domains and the client secret belong to one provider. A new provider must verify its domains again.
  fixed: [["kind"], ["saml", "entityId"], ["oidc", "issuer"]].map((path) => ({
    path,
    advice: "create another identity provider",
    settable: true
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
  told: ["name", "kind", "active", "required", "domains", "verifiedDomains", "saml", "oidc"],
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
} as const satisfies Resource<IdentityProviderFields>

/** Returns the domain of an address that `normalizeEmail` returned. */
export const domainOf = (email: string): string => email.slice(email.lastIndexOf("@") + 1)

/** Returns whether the provider has verified the domain of the address. */
export const vouchesFor = ({ verifiedDomains }: Pick<IdentityProviderFields, "verifiedDomains">, email: string) =>
  verifiedDomains.includes(domainOf(email))

/** Returns the DNS name of the TXT record that verifies a domain. */
export const proofNameOf = (domain: string): string => `_wcs-challenge.${domain}`

/**
 * Returns the text of the TXT record that verifies a domain. The id is unique to the tenant, so no other tenant can use
 * the record.
 */
export const proofTextOf = (id: string): string => `wcs-domain-verification=${id}`
