import { type ErrorCode, errorCodes, table } from "@wcs/domain/shared/ErrorCode"
import { Schema } from "effect"

/** The envelope of §7.1: `{ error: { code, message, requestId } }`. */
export interface WireError<Code extends ErrorCode = ErrorCode> {
  readonly error: { readonly code: Code; readonly message: string; readonly requestId: string }
}

/** What each code means to whoever is told it. */
const meanings: Readonly<Record<ErrorCode, string>> = {
  INVALID_ARGUMENT: "A field or parameter is missing, malformed or not allowed; the message names it.",
  BAD_REQUEST: "The body cannot be read.",
  INVALID_URN: "The id is no URN of this service.",
  FORBIDDEN: "The caller may not do this; another token of theirs does not help.",
  NOT_FOUND: "There is no such resource, or no tenant at this host.",
  ALREADY_LINKED: "The slot holds another owner: use transfer.",
  OWNER_MISMATCH: "The current owner is another than the one that was said; the message names it.",
  DUPLICATE_ID: "The code is given, or was: ids are not given twice.",
  UNPROCESSABLE: "A rule about what is stored forbids it.",
  TOO_MANY_REQUESTS: "The rate limit is used up.",
  INTERNAL: "A failure of the service.",
  METHOD_NOT_ALLOWED: "The path takes other methods.",
  REQUEST_TIMEOUT: "The request did not come in time.",
  PAYLOAD_TOO_LARGE: "The body is too large.",
  URI_TOO_LONG: "The path and query are too long.",
  UNSUPPORTED_MEDIA_TYPE: "The body is of another type than this operation takes.",
  HEADERS_TOO_LARGE: "The headers are too large.",
  UNAVAILABLE: "The service is busy, or what it stands on is away."
}

const envelopeOf = <const Code extends ErrorCode>(code: Code) =>
  Schema.Struct({
    error: Schema.Struct({
      code: Schema.Literal(code),
      message: Schema.String.annotate({ description: "For people; branch on status and code (§7.1)." }),
      requestId: Schema.String.annotate({ description: "Equal to the X-Request-Id header." })
    })
  }).annotate({ identifier: code, description: meanings[code], httpApiStatus: table[code].status })

type Envelopes = { readonly [Code in ErrorCode]: ReturnType<typeof envelopeOf<Code>> }

/** The envelope of each code at its status, for endpoints to name the refusals that they can answer. */
export const wireErrors = Object.fromEntries(errorCodes.map((code) => [code, envelopeOf(code)])) as Envelopes

/** What can befall every call of the newer surface, whatever it asks. */
export const everyCall = [
  wireErrors.FORBIDDEN,
  wireErrors.TOO_MANY_REQUESTS,
  wireErrors.NOT_FOUND,
  wireErrors.INTERNAL,
  wireErrors.UNAVAILABLE
] as const

/** What can befall a call that sends a body. */
export const everyBody = [
  wireErrors.INVALID_ARGUMENT,
  wireErrors.BAD_REQUEST,
  wireErrors.PAYLOAD_TOO_LARGE,
  wireErrors.UNSUPPORTED_MEDIA_TYPE
] as const

/** The 401, raised before the envelope is built (§7.1): a message and no code. */
export const Unauthorized = Schema.Struct({
  message: Schema.Literal("Unauthorized to perform this action")
}).annotate({
  identifier: "Unauthorized",
  description: "The bearer token is missing, malformed, expired or revoked.",
  httpApiStatus: 401
})
