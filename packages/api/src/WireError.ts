import { type ErrorCode, errorCodes, table } from "@wcs/domain/shared/ErrorCode"
import { Schema } from "effect"

/** The envelope of §7.1: `{ error: { code, message, requestId } }`. */
export interface WireError<Code extends ErrorCode = ErrorCode> {
  readonly error: { readonly code: Code; readonly message: string; readonly requestId: string }
}

/** The description of each code in the OpenAPI document. */
const meanings: Readonly<Record<ErrorCode, string>> = {
  INVALID_ARGUMENT: "A field or parameter is missing, malformed or not allowed. The message names it.",
  BAD_REQUEST: "The body cannot be parsed.",
  INVALID_URN: "The id is not a URN of this service.",
  FORBIDDEN: "The caller lacks a privilege. Another token of the same account does not help.",
  NOT_FOUND: "The resource does not exist, or no tenant uses this host.",
  ALREADY_LINKED: "The slot holds another owner. Use transfer.",
  OWNER_MISMATCH: "The given owner is not the current owner. The message names the current owner.",
  DUPLICATE_ID: "The code exists or was used before. Codes cannot be reused.",
  UNPROCESSABLE: "The request conflicts with stored data. The message names the rule.",
  TOO_MANY_REQUESTS: "The rate limit is exceeded. Wait for the seconds in Retry-After.",
  INTERNAL: "Internal error of the service.",
  METHOD_NOT_ALLOWED: "The path does not support this method. The Allow header lists the supported methods.",
  REQUEST_TIMEOUT: "The request did not arrive in time.",
  PAYLOAD_TOO_LARGE: "The body is too large.",
  URI_TOO_LONG: "The path and query are too long.",
  UNSUPPORTED_MEDIA_TYPE: "The operation does not support this Content-Type.",
  HEADERS_TOO_LARGE: "The headers are too large.",
  NOT_IMPLEMENTED: "The Transfer-Encoding is not chunked.",
  UNAVAILABLE: "The service is overloaded, or its database is unavailable. Wait for the seconds in Retry-After."
}

const envelopeOf = <const Code extends ErrorCode>(code: Code) =>
  Schema.Struct({
    error: Schema.Struct({
      code: Schema.Literal(code),
      message: Schema.String.annotate({ description: "For people. Programs must use status and code (§7.1)." }),
      requestId: Schema.String.annotate({ description: "Id of this request, equal to the X-Request-Id header." })
    })
  }).annotate({ identifier: code, description: meanings[code], httpApiStatus: table[code].status })

type Envelopes = { readonly [Code in ErrorCode]: ReturnType<typeof envelopeOf<Code>> }

/** The error envelope of each code, for the declarations of endpoints. */
export const wireErrors = Object.fromEntries(errorCodes.map((code) => [code, envelopeOf(code)])) as Envelopes

/** The errors that every call of the newer surface can return. */
export const everyCall = [
  wireErrors.FORBIDDEN,
  wireErrors.TOO_MANY_REQUESTS,
  wireErrors.NOT_FOUND,
  wireErrors.INTERNAL,
  wireErrors.UNAVAILABLE
] as const

/** The errors that every call with a body can return. */
export const everyBody = [
  wireErrors.INVALID_ARGUMENT,
  wireErrors.BAD_REQUEST,
  wireErrors.PAYLOAD_TOO_LARGE,
  wireErrors.UNSUPPORTED_MEDIA_TYPE
] as const

/** The 401 body (§7.1): a message without a code. */
export const Unauthorized = Schema.Struct({
  message: Schema.Literal("Unauthorized to perform this action")
}).annotate({
  identifier: "Unauthorized",
  description: "The bearer token is missing, malformed, expired or revoked.",
  httpApiStatus: 401
})
