import { MalformedBody } from "@wcs/domain/InvalidArgument"
import { ByteSize, Context, Effect } from "effect"
import { HttpIncomingMessage, type HttpServerRequest } from "effect/http"
import { PayloadTooLarge, UnsupportedMediaType } from "./HttpRefusal.ts"

/** The type of a content, without parameters, in lower case; undefined where the header is absent. */
export const mediaTypeOf = (contentType: string | undefined): string | undefined =>
  contentType?.split(";", 1)[0]?.trim().toLowerCase()

const charsetOf = (contentType: string | undefined): string =>
  /;\s*charset\s*=\s*"?([^\s;"]+)"?/i.exec(contentType ?? "")?.[1]?.toLowerCase() ?? "utf-8"

/** Refuses a body that is encoded otherwise than as plain UTF-8 of one of these types. */
export const requireMediaType = (
  request: HttpServerRequest.HttpServerRequest,
  supported: ReadonlyArray<string>
): Effect.Effect<void, UnsupportedMediaType> => {
  const contentType = request.headers["content-type"]
  const type = mediaTypeOf(contentType)
  const isPlain = (request.headers["content-encoding"] ?? "identity").toLowerCase() === "identity"
  const isSupported = type === undefined || supported.includes(type)
  return isPlain && isSupported && ["utf-8", "utf8", "us-ascii"].includes(charsetOf(contentType))
    ? Effect.void
    : Effect.fail(new UnsupportedMediaType({ supported }))
}

/**
 * Goes around the wait for a body: whoever sends one slowly holds a connection, but no place among the requests that
 * are being served. The edge says how.
 */
export const WhileReceiving = Context.Reference<<A, E, R>(wait: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>>(
  "@wcs/http/WhileReceiving",
  { defaultValue: () => (wait) => wait }
)

/** What the body turned out to be: larger than so many bytes, or broken off by its client. */
export type BodyRefusal = PayloadTooLarge | MalformedBody

export const brokenOff = new MalformedBody({ reason: "it ended before its end" })

/** The bytes as any runtime gives them. */
export const readStream = (
  request: HttpServerRequest.HttpServerRequest,
  limitBytes: number
): Effect.Effect<Uint8Array, BodyRefusal> =>
  request.arrayBuffer.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(limitBytes)),
    Effect.mapBoth({
      onSuccess: (buffer) => new Uint8Array(buffer),
      onFailure: ({ reason }) =>
        reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge"
          ? new PayloadTooLarge({ limitBytes })
          : brokenOff
    })
  )

/** How the bytes of a body are read, at most so many of them; a runtime may know a shorter way. */
export const ReadBytes = Context.Reference<typeof readStream>("@wcs/http/ReadBytes", {
  defaultValue: () => readStream
})

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** The body's text, of at most so many bytes of well-formed UTF-8. */
export const readText = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, limitBytes: number) {
  if (Number(request.headers["content-length"] ?? 0) > limitBytes) return yield* new PayloadTooLarge({ limitBytes })
  const whileReceiving = yield* WhileReceiving
  const readBytes = yield* ReadBytes
  const bytes = yield* whileReceiving(readBytes(request, limitBytes))
  return yield* Effect.try({
    try: () => utf8.decode(bytes),
    catch: () => new MalformedBody({ reason: "it is no UTF-8" })
  })
})
