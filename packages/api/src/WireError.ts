import { type ErrorCode, errorCodes, table } from "@wcs/domain/ErrorCode"
import { Schema } from "effect"

/** The envelope of section 7.1: `{ error: { code, message, requestId } }`. */
export interface WireError<Code extends ErrorCode = ErrorCode> {
  readonly error: { readonly code: Code; readonly message: string; readonly requestId: string }
}

const envelopeOf = <const Code extends ErrorCode>(code: Code) =>
  Schema.Struct({
    error: Schema.Struct({
      code: Schema.Literal(code),
      message: Schema.String.annotate({ description: "For people; branch on status and code (section 7.1)." }),
      requestId: Schema.String.annotate({ description: "Equal to the X-Request-Id header." })
    })
  }).annotate({ identifier: code, httpApiStatus: table[code].status })

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

/** The 401, raised before the envelope is built (section 7.1): a message and no code. */
export const Unauthorized = Schema.Struct({
  message: Schema.Literal("Unauthorized to perform this action")
}).annotate({ identifier: "Unauthorized", httpApiStatus: 401 })
