import type { IncomingMessage } from "node:http"
import type { Readable } from "node:stream"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { type BodyRefusal, PayloadTooLarge } from "@wcs/http/refusal/HttpRefusal"
import { brokenOff, overBudget, ReadBytes, type TakeBytes } from "@wcs/http/request/RequestBody"
import { Effect, Layer } from "effect"
import type { HttpServerRequest } from "effect/http"

/** Reads bytes up to a limit. Fails at the first chunk above the limit or the budget, and discards the rest. */
export const bytesOf = (
  source: Readable,
  limitBytes: number,
  take: TakeBytes
): Effect.Effect<Uint8Array, BodyRefusal> =>
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
      else if (!take(piece.length)) settle(Effect.fail(overBudget))
      else pieces.push(piece)
    }
    const onEnd = () => {
      const [first] = pieces
      settle(Effect.succeed(first !== undefined && pieces.length === 1 ? first : Buffer.concat(pieces)))
    }
    const onClose = () => settle(Effect.fail(brokenOff)) // closed before the end of the body
    if (source.destroyed) return onClose()
    source.on("data", onData).on("end", onEnd).on("close", onClose)
    return Effect.sync(stop)
  })

/** Whether the request waits for 100 Continue. */
const waitsForContinue = ({ headers, httpVersion }: Pick<IncomingMessage, "headers" | "httpVersion">): boolean =>
  httpVersion === "1.1" && /(?:^|\W)100-continue(?:$|\W)/i.test(headers.expect ?? "")

/** Reads a body from the events of the Node request, which is faster than the stream of the adapter. */
const read = (request: HttpServerRequest.HttpServerRequest, limitBytes: number, take: TakeBytes) =>
  Effect.suspend(() => {
    const source = NodeHttpServerRequest.toIncomingMessage(request)
    if (waitsForContinue(source)) NodeHttpServerRequest.toServerResponse(request).writeContinue()
    return bytesOf(source, limitBytes, take)
  })

/** Reads bodies with Node events. */
export const layer: Layer.Layer<never> = Layer.succeed(ReadBytes, read)
