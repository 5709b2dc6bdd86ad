import { Data } from "effect"
import type { MalformedBody } from "../shared/InvalidArgument.ts"

/** The request used plain HTTP. It had no effect (§4). */
export class InsecureTransport extends Data.TaggedError("InsecureTransport") {}

/** The request is malformed or ambiguous HTTP. It had no effect. */
export class MalformedRequest extends Data.TaggedError("MalformedRequest")<{ readonly reason: string }> {}

/** The headers or the body did not arrive in time. */
export class RequestTimeout extends Data.TaggedError("RequestTimeout")<{
  readonly headersMillis: number
  readonly bodyMillis: number
  readonly uploadMillis: number
}> {}

/** No tenant uses the host. */
export class UnknownHost extends Data.TaggedError("UnknownHost") {}

/** The path does not exist. */
export class UnknownPath extends Data.TaggedError("UnknownPath") {}

/** The path does not support the method. */
export class MethodNotAllowed extends Data.TaggedError("MethodNotAllowed")<{
  /** For the `Allow` header (RFC 9110, section 15.5.6). */
  readonly allowed: ReadonlyArray<string>
}> {}

/** The body is larger than the limit of the endpoint. */
export class PayloadTooLarge extends Data.TaggedError("PayloadTooLarge")<{ readonly limitBytes: number }> {}

/** The path and query are longer than the limit. */
export class UriTooLong extends Data.TaggedError("UriTooLong")<{ readonly limitBytes: number }> {}

/** The headers are larger than the limit (RFC 6585, section 5). */
export class HeadersTooLarge extends Data.TaggedError("HeadersTooLarge")<{ readonly limitBytes: number }> {}

/** The endpoint does not support the media type, the content coding or the charset of the body. */
export class UnsupportedMediaType extends Data.TaggedError("UnsupportedMediaType")<{
  /** The part of the headers that is not supported. */
  readonly part: "type" | "coding" | "charset"
  /** The supported media types. */
  readonly supported: ReadonlyArray<string>
}> {}

/** The service is overloaded, or its database is unavailable. */
export class Unavailable extends Data.TaggedError("Unavailable")<{ readonly retryAfterSeconds: number }> {}

/** Why a body was not received: too large, incomplete, or over a budget. */
export type BodyRefusal = PayloadTooLarge | MalformedBody | Unavailable

export type HttpRefusal =
  | InsecureTransport
  | MalformedRequest
  | RequestTimeout
  | UnknownHost
  | UnknownPath
  | MethodNotAllowed
  | PayloadTooLarge
  | UriTooLong
  | HeadersTooLarge
  | UnsupportedMediaType
  | Unavailable
