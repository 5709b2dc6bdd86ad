import { type ErrorCode, errorCodes, table } from "@wcs/domain/shared/ErrorCode"
import { Schema } from "effect"

/** The envelope of §7.1: `{ error: { code, message, requestId } }`. */
export interface WireError<Code extends ErrorCode = ErrorCode> {
  readonly error: { readonly code: Code; readonly message: string; readonly requestId: string }
}

const envelopeOf = <const Code extends ErrorCode>(code: Code) => {
  const { remedy, status, when } = table[code]
  return Schema.Struct({
    error: Schema.Struct({
      code: Schema.Literal(code).annotate({
        description: "Cause of the error, for programs. Codes are stable; a status can have several."
      }),
      message: Schema.String.annotate({ description: "For people. Programs must use status and code (§7.1)." }),
      requestId: Schema.String.annotate({ description: "Id of this request, equal to the X-Request-Id header." })
    }).annotate({ description: "The error. Always an object (§7.1)." })
  }).annotate({ identifier: code, description: `${when} ${remedy}`, httpApiStatus: status })
}

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

/** The errors that every call without a body can return if it compares `If-Match` with a tag. */
export const everyComparison = [wireErrors.INVALID_ARGUMENT, wireErrors.PRECONDITION_FAILED] as const

/** The 401 body (§7.1): a message without a code. */
export const Unauthorized = Schema.Struct({
  message: Schema.Literal("Unauthorized to perform this action").annotate({
    description: "Always this text. The answer has no code and does not tell the cause (§7.1)."
  })
}).annotate({
  identifier: "Unauthorized",
  description: "The bearer token is missing, malformed, expired or revoked.",
  httpApiStatus: 401
})
