import type { AttemptFault } from "@wcs/domain/webhook/Delivery"
import { errors } from "undici"
import { AddressRefused } from "./Destinations.ts"
import { NameNotFound } from "./Resolver.ts"

/** Faults by the prefix of the error codes of Node, OpenSSL, undici and `InterimResponses.ts`. The first match counts. */
const faults: ReadonlyArray<readonly [codes: RegExp, AttemptFault]> = [
  [/^(?:ENOTFOUND|EAI_)/, "NAME_NOT_FOUND"],
  [/^(?:UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT|ETIMEDOUT)/, "TIMEOUT"],
  [/^(?:UND_ERR_(?:HEADERS_OVERFLOW|RES)|WCS_ERR_TOO_MANY_INTERIM)/, "INVALID_RESPONSE"],
  [
    /^(?:ERR_TLS|ERR_SSL|ERR_OSSL|EPROTO|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|INVALID_CA|HOSTNAME_)/,
    "TLS_FAILED"
  ]
]

const codeOf = (error: Error): string => ("code" in error && typeof error.code === "string" ? error.code : "")

/** The fault of an attempt without a complete response. `hasBegun`: the response had started. */
export const faultOf = (error: Error, hasBegun: boolean): AttemptFault => {
  if (error instanceof AddressRefused) return "ADDRESS_REFUSED"
  if (error instanceof NameNotFound) return "NAME_NOT_FOUND"
  if (error instanceof errors.HTTPParserError) return "INVALID_RESPONSE"
  const code = codeOf(error)
  const known = faults.find(([codes]) => codes.test(code))
  return known?.[1] ?? (hasBegun ? "INVALID_RESPONSE" : "CONNECTION_FAILED")
}
