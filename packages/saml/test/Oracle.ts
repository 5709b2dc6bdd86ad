import { SAML, ValidateInResponseTo } from "@node-saml/node-saml"
import type { Post } from "./corpus/Hostile.ts"

/**
 * Whether node-saml, in its strictest configuration, accepts a response. It uses the system's clock, which the caller
 * must set to `now`. It does not check Destination, Recipient, RelayState or requests of other browsers.
 */
export const oracleTakes = async ({ connection, pending, samlResponse }: Post): Promise<boolean> => {
  const { identityProvider, serviceProvider } = connection
  if (identityProvider.certificates.length === 0) return false
  const saml = new SAML({
    idpCert: identityProvider.certificates.map(({ pem }) => pem),
    idpIssuer: identityProvider.entityId,
    issuer: serviceProvider.entityId,
    audience: serviceProvider.entityId,
    callbackUrl: serviceProvider.acsUrl,
    wantAssertionsSigned: false,
    wantAuthnResponseSigned: false,
    acceptedClockSkewMs: 60_000,
    maxAssertionAgeMs: 300_000,
    validateInResponseTo: ValidateInResponseTo.always,
    cacheProvider: {
      saveAsync: async () => null,
      getAsync: async (id) => (id === pending.requestId ? new Date().toISOString() : null),
      removeAsync: async () => null
    }
  })
  try {
    const { profile } = await saml.validatePostResponseAsync({ SAMLResponse: samlResponse })
    return profile !== null
  } catch {
    return false
  }
}
