import type { WireError } from "@wcs/api/WireError"
import { type ErrorCodes, type Refusal, textOf } from "@wcs/domain/service/Refusals"
import { HttpServerResponse } from "effect/http"

/** Builds the response `{ error: { code, message, requestId } }` with a status (§7.1). */
export const envelope = (
  status: number,
  error: WireError["error"],
  headers: Readonly<Record<string, string>> = {}
): HttpServerResponse.HttpServerResponse => HttpServerResponse.jsonUnsafe({ error }, { status, headers })

/** The response headers of a refusal. */
export const headersOf = (refusal: Refusal): Readonly<Record<string, string>> => {
  switch (refusal._tag) {
    case "RateLimited":
      return { "retry-after": String(refusal.quota.resetSeconds) }
    case "PasswordsBusy":
    case "Unavailable":
      return { "retry-after": String(refusal.retryAfterSeconds) }
    case "UnitTooLarge":
      return { "retry-after": "0" } // the same request goes on
    case "MethodNotAllowed":
      return { allow: refusal.allowed.join(", ") }
    case "PayloadTooLarge":
    case "HeadersTooLarge":
    case "RequestTimeout":
    case "MalformedRequest":
      return { connection: "close" } // the rest of the request is not read
    case "UnsupportedMediaType":
      return refusal.part === "coding" ? { "accept-encoding": "identity" } : {} // RFC 9110, section 15.5.16
    default:
      return {}
  }
}

/** Builds the response to a refusal, with status, code and message (§7.1). */
export const answerOf = (codes: ErrorCodes["Service"], refusal: Refusal, requestId: string) => {
  const code = codes.codeOf(refusal._tag)
  return envelope(codes.statusOf(code), { code, message: textOf(refusal), requestId }, headersOf(refusal))
}
