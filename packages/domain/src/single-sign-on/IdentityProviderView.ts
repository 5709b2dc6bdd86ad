import { Result, Schema } from "effect"
import { type Document, type Stored, toDocument } from "../resource/Resource.ts"
import { time } from "../resource/ShownFields.ts"
import { type Instant, toRfc3339 } from "../shared/Instant.ts"
import {
  IdentityProvider,
  IdentityProviderFields,
  type ProviderKind,
  proofNameOf,
  proofTextOf
} from "./IdentityProvider.ts"
import type { CertificateFacts, Saml } from "./Saml.ts"

/** How long before a certificate's expiry the warnings start. */
export const noticeMillis = 30 * 24 * 60 * 60 * 1000

const validities = ["VALID", "EXPIRES_SOON", "EXPIRED", "NOT_YET_VALID"] as const
export type Validity = (typeof validities)[number]

/** Returns the state of a certificate. Only the key is used, so an expired certificate still verifies. */
export const validityAt = ({ notAfter, notBefore }: CertificateFacts, now: Instant): Validity => {
  if (now > notAfter) return "EXPIRED"
  if (now < notBefore) return "NOT_YET_VALID"
  return now > notAfter - noticeMillis ? "EXPIRES_SOON" : "VALID"
}

const { sealedClientSecret: _, ...shownFields } = IdentityProviderFields.fields

/** An identity provider on the wire, without its client secret. */
export const IdentityProviderView = Schema.Struct({
  ...shownFields,
  hasClientSecret: Schema.Boolean.annotate({
    description: "Whether a client secret of OpenID Connect is stored. The secret itself is never returned."
  }),
  certificates: Schema.Array(
    Schema.Struct({
      fingerprint: Schema.String.annotate({ description: "SHA-256, as hex pairs with colons." }),
      subject: Schema.String.annotate({ description: "Subject in the certificate." }),
      notAfter: time.annotate({ description: "When the certificate expires." }),
      validity: Schema.Literals(validities).annotate({
        description: "State today. EXPIRES_SOON: within 30 days. Expired certificates still verify responses."
      })
    })
  ).annotate({ description: "The SAML certificates with their validity." }),
  domainProofs: Schema.Array(
    Schema.Struct({
      domain: Schema.String.annotate({ description: "One of `domains`." }),
      verified: Schema.Boolean.annotate({ description: "Whether the TXT record was found. See `verify-domains`." }),
      recordName: Schema.String.annotate({ description: "Name of the TXT record that verifies the domain." }),
      recordText: Schema.String.annotate({ description: "Text of that record." })
    })
  ).annotate({ description: "How to verify each domain: the TXT record to publish in its DNS zone." }),
  paths: Schema.Struct({
    login: Schema.String.annotate({
      description: "Starts a login. With ?fresh=true, the user must authenticate again at the provider."
    }),
    test: Schema.String.annotate({ description: "Starts a test login, which shows the reason of a refusal." }),
    back: Schema.String.annotate({
      description: "The return URL: assertion consumer service (SAML) or redirect URI (OpenID Connect)."
    }),
    metadata: Schema.optionalKey(
      Schema.String.annotate({ description: "SAML metadata of this service. Absent for OpenID Connect." })
    )
  }).annotate({ description: "Paths of this provider at the tenant's host, set by the server." })
})
export type IdentityProviderView = typeof IdentityProviderView.Type

const loginPathsOf = (kind: ProviderKind, id: string) => ({
  login: `/${kind}/${id}/login`,
  test: `/${kind}/${id}/test`
})

/** Returns the paths of a SAML provider below the root of the tenant's host. */
export const samlPathsOf = (id: string) => ({
  ...loginPathsOf("saml", id),
  back: `/saml/${id}/acs`,
  metadata: `/saml/${id}/metadata`
})

/** Returns the paths of a provider below the root of the tenant's host. */
export const pathsOf = (kind: ProviderKind, id: string): IdentityProviderView["paths"] =>
  kind === "saml" ? samlPathsOf(id) : { ...loginPathsOf("oidc", id), back: `/oidc/${id}/callback` }

const certificatesOf = (
  { saml }: IdentityProviderFields,
  read: Saml["Service"]["readCertificate"]
): ReadonlyArray<CertificateFacts> =>
  (saml?.certificates ?? []).flatMap((text) =>
    Result.match(read(text), { onFailure: () => [], onSuccess: (one) => [one] })
  )

/** Returns the identity provider as it reads now. */
export const documentAt = (
  stored: Stored<IdentityProviderFields>,
  now: Instant,
  read: Saml["Service"]["readCertificate"]
): Document<IdentityProviderView> => {
  const { sealedClientSecret, ...shown } = toDocument(IdentityProvider, stored)
  const { domains, kind, verifiedDomains } = stored.fields
  return {
    ...shown,
    hasClientSecret: sealedClientSecret !== "",
    certificates: certificatesOf(stored.fields, read).map((certificate) => ({
      fingerprint: certificate.fingerprint,
      subject: certificate.subject,
      notAfter: toRfc3339(certificate.notAfter),
      validity: validityAt(certificate, now)
    })),
    domainProofs: domains.map((domain) => ({
      domain,
      verified: verifiedDomains.includes(domain),
      recordName: proofNameOf(domain),
      recordText: proofTextOf(stored.id)
    })),
    paths: pathsOf(kind, stored.id)
  }
}

/** Returns warnings about expired certificates and those that expire soon. */
export const warningsAt = (
  fields: IdentityProviderFields,
  now: Instant,
  read: Saml["Service"]["readCertificate"]
): ReadonlyArray<string> =>
  certificatesOf(fields, read).flatMap((certificate) => {
    const validity = validityAt(certificate, now)
    const name = `the certificate ${certificate.fingerprint}`
    if (validity === "EXPIRED")
      return [`${name} expired at ${toRfc3339(certificate.notAfter)}; upload the current metadata`]
    return validity === "EXPIRES_SOON" ? [`${name} expires at ${toRfc3339(certificate.notAfter)}`] : []
  })
