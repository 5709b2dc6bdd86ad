import type { Readable } from "node:stream"
import { type BodyRefusal, PayloadTooLarge } from "@wcs/domain/service/HttpRefusal"
import type { TakeBytes } from "@wcs/http/request/Incoming"
import { brokenOff, overBudget } from "@wcs/http/request/RequestBody"
import { Effect, Stream } from "effect"

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

/** The pieces of a body. A reader that leaves early discards the rest, so that the response can still be sent. */
export const piecesOf = (source: Readable): Stream.Stream<Uint8Array, BodyRefusal> =>
  Stream.fromAsyncIterable<Uint8Array, BodyRefusal>(
    { [Symbol.asyncIterator]: () => source.iterator({ destroyOnReturn: false }) },
    () => brokenOff
  ).pipe(Stream.ensuring(Effect.sync(() => source.resume())))
