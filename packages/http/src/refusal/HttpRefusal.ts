import { Data } from "effect"

/** The request came over plain HTTP; nothing was done (§4). */
export class InsecureTransport extends Data.TaggedError("InsecureTransport") {}

/** This is no HTTP request, or one that can be understood in two ways; nothing was done. */
export class MalformedRequest extends Data.TaggedError("MalformedRequest")<{ readonly reason: string }> {}

/** The request, headers and body, did not come in time. */
export class RequestTimeout extends Data.TaggedError("RequestTimeout") {}

/** No tenant has the host. */
export class UnknownHost extends Data.TaggedError("UnknownHost") {}

/** Nothing is served at the path. */
export class UnknownPath extends Data.TaggedError("UnknownPath") {}

/** Something is served at the path, by other methods. */
export class MethodNotAllowed extends Data.TaggedError("MethodNotAllowed")<{
  /** For the `Allow` header (RFC 9110, section 15.5.6). */
  readonly allowed: ReadonlyArray<string>
}> {}

/** The body is larger than this endpoint takes. */
export class PayloadTooLarge extends Data.TaggedError("PayloadTooLarge")<{ readonly limitBytes: number }> {}

/** The path and query are longer than is read. */
export class UriTooLong extends Data.TaggedError("UriTooLong")<{ readonly limitBytes: number }> {}

/** The headers are larger than is read (RFC 6585, section 5). */
export class HeadersTooLarge extends Data.TaggedError("HeadersTooLarge")<{ readonly limitBytes: number }> {}

/** The body is of another kind than this endpoint takes. */
export class UnsupportedMediaType extends Data.TaggedError("UnsupportedMediaType")<{
  readonly supported: ReadonlyArray<string>
}> {}

/** More is under way than can be served well, or what the service stands on is away. */
export class Unavailable extends Data.TaggedError("Unavailable")<{ readonly retryAfterSeconds: number }> {}

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
