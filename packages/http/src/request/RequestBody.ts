import { MalformedBody } from "@wcs/domain/shared/InvalidArgument"
import { ByteSize, Context, Effect } from "effect"
import { HttpIncomingMessage, type HttpServerRequest } from "effect/http"
import { PayloadTooLarge, Unavailable, UnsupportedMediaType } from "../refusal/HttpRefusal.ts"

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

/** Accounts for bytes of a body that arrived. False if they exceed a budget: the rest is not read. */
export type TakeBytes = (bytes: number) => boolean

/**
 * Runs while a body is received. The request gives up its place among those that are served, because its client may be
 * slow, and its bytes count in a budget. The edge provides it.
 */
export const WhileReceiving = Context.Reference<
  <A, E, R>(receive: (take: TakeBytes) => Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
>("@wcs/http/WhileReceiving", { defaultValue: () => (receive) => receive(() => true) })

/** Why a body was not received: too large, broken off by its client, or over a budget. */
export type BodyRefusal = PayloadTooLarge | MalformedBody | Unavailable

export const brokenOff = new MalformedBody({ reason: "it is incomplete" })

/** The bodies that are being received use up a budget. */
export const overBudget = new Unavailable({ retryAfterSeconds: 1 })

/** Reads the bytes on any runtime. They are accounted for when all have arrived. */
const readWhole = (
  request: HttpServerRequest.HttpServerRequest,
  limitBytes: number,
  take: TakeBytes
): Effect.Effect<Uint8Array, BodyRefusal> =>
  request.arrayBuffer.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(limitBytes)),
    Effect.mapError(({ reason }) =>
      reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge"
        ? new PayloadTooLarge({ limitBytes })
        : brokenOff
    ),
    Effect.filterOrFail(
      ({ byteLength }) => take(byteLength),
      () => overBudget
    ),
    Effect.map((buffer) => new Uint8Array(buffer))
  )

/** Reads the bytes of a body, at most so many. A runtime may know a shorter way. */
export const ReadBytes = Context.Reference<typeof readWhole>("@wcs/http/ReadBytes", {
  defaultValue: () => readWhole
})

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** The body's text, of at most so many bytes of well-formed UTF-8. */
export const readText = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, limitBytes: number) {
  if (Number(request.headers["content-length"] ?? 0) > limitBytes) return yield* new PayloadTooLarge({ limitBytes })
  const whileReceiving = yield* WhileReceiving
  const readBytes = yield* ReadBytes
  const bytes = yield* whileReceiving((take) => readBytes(request, limitBytes, take))
  return yield* Effect.try({
    try: () => utf8.decode(bytes),
    catch: () => new MalformedBody({ reason: "it is not valid UTF-8" })
  })
})
