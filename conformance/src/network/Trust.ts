import * as tls from "node:tls"
import type { ClientCertificate } from "../profile/ProfileFile.ts"
import type { Silence } from "../wire/Exchange.ts"

const pemOf = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g

let known: ReadonlyArray<string> | undefined

/** The issuers that Node and the system know. Reading the system's takes a part of a second. */
const knownIssuers = (): ReadonlyArray<string> => {
  known ??= [...tls.getCACertificates("default"), ...tls.getCACertificates("system")].map((pem) => pem.trim())
  return known
}

/** Returns the issuers that are trusted: those that Node and the system know, and further ones. */
export const issuersOf = (further: string | undefined): ReadonlyArray<string> => [
  ...new Set([...knownIssuers(), ...(further?.match(pemOf) ?? [])])
]

const contexts = new Map<string, tls.SecureContext>()

/** Returns the TLS context of all connections. Fails if a certificate or key cannot be read. */
export const contextOf = (further: string | undefined, own: ClientCertificate | undefined): tls.SecureContext => {
  const key = JSON.stringify([further, own])
  const context = contexts.get(key) ?? tls.createSecureContext({ ca: [...issuersOf(further)], ...own })
  contexts.set(key, context)
  return context
}

const unknownIssuer = [
  ...["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "UNABLE_TO_GET_ISSUER_CERT", "UNABLE_TO_GET_ISSUER_CERT_LOCALLY"],
  ...["SELF_SIGNED_CERT_IN_CHAIN", "DEPTH_ZERO_SELF_SIGNED_CERT", "INVALID_CA", "CERT_UNTRUSTED"]
]

const outsideConnection: ReadonlyArray<readonly [code: RegExp, silence: Silence]> = [
  [/^E(CONNREFUSED|HOSTUNREACH|NETUNREACH|ADDRNOTAVAIL)$/, "refused"],
  [/^(ENOTFOUND|EAI_AGAIN|EAI_FAIL|ENODATA|ESERVFAIL|ETIMEOUT)$/, "unknown host"],
  [/^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/, "expired certificate"],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, "wrong host"],
  [new RegExp(`^(${unknownIssuer.join("|")})$`), "unknown issuer"],
  [/CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE|ALERT_(BAD|UNKNOWN)_CERTIFICATE/, "client certificate required"],
  [/CERT|TLS|SSL|EPROTO|ISSUER|SIGNATURE/, "tls"]
]

/** Returns why there was no answer. `isConnected` tells a failure of the connection from one of the answer. */
export const silenceOf = (code: string, isConnected: boolean): Silence => {
  const [, found] = outsideConnection.find(([form]) => form.test(code)) ?? []
  if (found !== undefined) return found
  if (!isConnected) return "no connection"
  if (code.startsWith("HPE_")) return "malformed"
  return code === "ETIMEDOUT" ? "timeout" : "reset"
}
