import type { Readable } from "node:stream"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { PayloadTooLarge } from "@wcs/http/HttpRefusal"
import { type BodyRefusal, brokenOff, ReadBytes, readStream } from "@wcs/http/RequestBody"
import { Effect, Layer } from "effect"
import type { HttpServerRequest } from "effect/http"

/** The bytes that come, at most so many. Fails as soon as there are more, and lets the rest go by. */
export const bytesOf = (source: Readable, limitBytes: number): Effect.Effect<Uint8Array, BodyRefusal> =>
  Effect.callback((resume) => {
    const pieces: Array<Buffer> = []
    let bytes = 0
    const stop = () => {
      source.off("data", onData).off("end", onEnd).off("close", onClose)
    }
    const settle = (outcome: Effect.Effect<Uint8Array, BodyRefusal>) => {
      stop()
      resume(outcome)
    }
    const onData = (piece: Buffer) => {
      bytes += piece.length
      if (bytes > limitBytes) settle(Effect.fail(new PayloadTooLarge({ limitBytes })))
      else pieces.push(piece)
    }
    const onEnd = () => {
      const [first] = pieces
      settle(Effect.succeed(first !== undefined && pieces.length === 1 ? first : Buffer.concat(pieces)))
    }
    const onClose = () => settle(Effect.fail(brokenOff)) // no end came before it
    if (source.destroyed) return onClose()
    source.on("data", onData).on("end", onEnd).on("close", onClose)
    return Effect.sync(stop)
  })

/**
 * Reads a body from the events of Node's request; to watch the whole stream for it, as the adapter does, costs more than
 * to read it. Where the client waits to be asked for the body, the adapter asks, and reads.
 */
const read = (request: HttpServerRequest.HttpServerRequest, limitBytes: number) => {
  const source = NodeHttpServerRequest.toIncomingMessage(request)
  return source.headers.expect === undefined ? bytesOf(source, limitBytes) : readStream(request, limitBytes)
}

/** Reads bodies in the shortest way that Node has. */
export const layer: Layer.Layer<never> = Layer.succeed(ReadBytes, read)
