import { MalformedBody } from "@wcs/domain/shared/InvalidArgument"
import { ByteSize, Context, Effect } from "effect"
import { HttpIncomingMessage, type HttpServerRequest } from "effect/http"
import type { Call } from "../pipeline/Call.ts"
import { type BodyRefusal, PayloadTooLarge, Unavailable, UnsupportedMediaType } from "../refusal/HttpRefusal.ts"

/** Returns the media type in lower case without parameters. Undefined if the header is absent. */
export const mediaTypeOf = (contentType: string | undefined): string | undefined =>
  contentType?.split(";", 1)[0]?.trim().toLowerCase()

const charsetOf = (contentType: string | undefined): string =>
  /;\s*charset\s*=\s*"?([^\s;"]+)"?/i.exec(contentType ?? "")?.[1]?.toLowerCase() ?? "utf-8"

/** Fails unless the body has one of these types, is UTF-8 and is not compressed. */
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

/** Counts received bytes. Returns false if they exceed a budget; then the rest is not read. */
export type TakeBytes = (bytes: number) => boolean

export const brokenOff = new MalformedBody({ reason: "is incomplete" })

/** The budget for bodies in memory is used up. */
export const overBudget = new Unavailable({ retryAfterSeconds: 1 })

/** Reads the bytes on any runtime. Counts them after all have arrived. */
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

/** Reads the bytes of a body up to a limit. A runtime can provide a faster implementation. */
export const ReadBytes = Context.Reference<typeof readWhole>("@wcs/http/ReadBytes", {
  defaultValue: () => readWhole
})

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** Reads the body as UTF-8 text, up to a limit of bytes. */
export const readText = (call: Call, limitBytes: number): Effect.Effect<string, BodyRefusal> =>
  Number(call.request.headers["content-length"] ?? 0) > limitBytes
    ? Effect.fail(new PayloadTooLarge({ limitBytes }))
    : Effect.flatMap(call.receive(limitBytes), (bytes) =>
        Effect.try({
          try: () => utf8.decode(bytes),
          catch: () => new MalformedBody({ reason: "is not valid UTF-8" })
        })
      )
