import { type BodyRefusal, PayloadTooLarge, Unavailable, UnsupportedMediaType } from "@wcs/domain/service/HttpRefusal"
import { MalformedBody } from "@wcs/domain/shared/InvalidArgument"
import { Effect } from "effect"
import type { Call } from "../pipeline/Call.ts"
import { trimmed } from "./FieldValue.ts"
import type { Incoming } from "./Incoming.ts"

/** Returns the media type in lower case without parameters. Undefined if the header is absent. */
export const mediaTypeOf = (contentType: string | undefined): string | undefined =>
  contentType === undefined ? undefined : trimmed(contentType.split(";", 1)[0] ?? "").toLowerCase()

const charsetOf = (contentType: string | undefined): string =>
  /;[ \t]*charset[ \t]*=[ \t]*"?([^ \t;"]+)"?/i.exec(contentType ?? "")?.[1]?.toLowerCase() ?? "utf-8"

/** Fails unless the body has one of these types, is UTF-8 and is not compressed. */
export const requireMediaType = (
  { headers }: Pick<Incoming, "headers">,
  supported: ReadonlyArray<string>
): Effect.Effect<void, UnsupportedMediaType> => {
  const contentType = headers["content-type"]
  const type = mediaTypeOf(contentType)
  const coding = (headers["content-encoding"] ?? "identity").toLowerCase()
  const charset = charsetOf(contentType)
  const refuse = (part: UnsupportedMediaType["part"]) => Effect.fail(new UnsupportedMediaType({ part, supported }))
  if (type !== undefined && !supported.includes(type)) return refuse("type")
  if (coding !== "identity") return refuse("coding")
  return ["utf-8", "utf8", "us-ascii"].includes(charset) ? Effect.void : refuse("charset")
}

export const brokenOff = new MalformedBody({ reason: "is incomplete" })

/** The budget for bodies in memory is used up. */
export const overBudget = new Unavailable({ retryAfterSeconds: 1 })

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

/**
 * Reads the body as text if it has one of these media types. An empty body has no type: many clients send the type of
 * a form with it.
 */
export const readTyped = (call: Call, supported: ReadonlyArray<string>, limitBytes: number) => {
  const check = requireMediaType(call.request, supported)
  const { "content-length": length } = call.request.headers
  if (length === "0") return Effect.succeed("")
  // Without a length, only the end of the body shows that it is empty.
  return length === undefined
    ? Effect.flatMap(readText(call, limitBytes), (text) =>
        text === "" ? Effect.succeed(text) : Effect.as(check, text)
      )
    : Effect.flatMap(check, () => readText(call, limitBytes))
}
