import { Ids } from "@wcs/domain/shared/Id"
import { InvalidArgument } from "@wcs/domain/shared/InvalidArgument"
import { type CertificateFacts, Saml, type SamlConnection } from "@wcs/domain/single-sign-on/Saml"
import { SignOnRefused } from "@wcs/domain/single-sign-on/SignOnRefused"
import { Effect, Layer, Result } from "effect"
import * as AuthnRequest from "./AuthnRequest.ts"
import { fromText } from "./Certificate.ts"
import type { Connection } from "./Connection.ts"
import { emailOf } from "./EmailAttribute.ts"
import { explain, type UploadReason } from "./Refusal.ts"
import * as ServiceProviderMetadata from "./ServiceProviderMetadata.ts"

const invalid = (field: string, reason: UploadReason): InvalidArgument =>
  new InvalidArgument({ field, reason: `is refused: ${explain(reason).replace(/\.$/, "")}` })

const readCertificate = (text: string): Result.Result<CertificateFacts, InvalidArgument> =>
  Result.mapError(fromText(text), (reason) => invalid("saml.certificates", reason))

const signedRequests = new InvalidArgument({
  field: "metadata",
  reason: "asks for signed login requests (WantAuthnRequestsSigned). Turn that off at the identity provider"
})

/** The connection with parsed certificates. Parsing cannot fail: certificates are checked before they are stored. */
const connectionOf = ({ serviceProvider, settings }: SamlConnection): Connection => ({
  serviceProvider,
  identityProvider: {
    entityId: settings.entityId,
    ssoUrl: settings.ssoUrl,
    certificates: settings.certificates.map((text) => Result.getOrThrow(readCertificate(text))),
    wantsSignedRequests: false
  }
})

// Imported when first used: the XML libraries delay the start, and many deployments have no SAML.
const identityProviderMetadata = Effect.promise(() => import("./IdentityProviderMetadata.ts"))
const loginResponse = Effect.promise(() => import("./LoginResponse.ts"))

export const make = Effect.gen(function* () {
  const ids = yield* Ids
  return Saml.of({
    readMetadata: Effect.fn("Saml.readMetadata")(function* (xml) {
      const metadata = yield* identityProviderMetadata
      const read = yield* Effect.mapError(metadata.read(new TextEncoder().encode(xml)), ({ reason }) =>
        invalid("metadata", reason)
      )
      if (read.wantsSignedRequests) return yield* signedRequests
      const { certificates, entityId, ssoUrl } = read
      return { entityId, ssoUrl, certificates: certificates.map(({ pem }) => pem) }
    }),
    readCertificate,
    metadataOf: (serviceProvider) => ServiceProviderMetadata.toXml(serviceProvider),
    begin: (connection, isFresh) =>
      Effect.provideService(AuthnRequest.create(connectionOf(connection), { forceAuthn: isFresh }), Ids, ids),
    check: Effect.fn("Saml.check")(function* (connection, pending, posted) {
      const response = yield* loginResponse
      const login = yield* Effect.mapError(
        response.check(connectionOf(connection), pending, posted),
        ({ message, reason }) => new SignOnRefused({ code: reason._tag, message })
      )
      return {
        subject: login.nameId,
        email: emailOf(login.attributes),
        // An identity provider asserts addresses of its own users; only those of verified domains count.
        emailVerified: true,
        authenticatedAt: login.authnInstant,
        sessionLimit: login.sessionNotOnOrAfter,
        once: [{ value: `${login.issuer}\n${login.assertionId}`, expiresAt: login.notOnOrAfter }]
      }
    })
  })
})

/** SAML by this package. */
export const layer = Layer.effect(Saml, make)
