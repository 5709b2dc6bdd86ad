import { type BodyRefusal, PayloadTooLarge } from "@wcs/domain/service/HttpRefusal"
import { Cause, Context, Effect, Exit, type Fiber, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import type { AnswerRequest, Outgoing } from "./pipeline/Edge.ts"
import { withHeaders } from "./pipeline/ResponseHeaders.ts"
import type { Incoming, Peer, TakeBytes } from "./request/Incoming.ts"
import { brokenOff, overBudget } from "./request/RequestBody.ts"

/** Reads a body up to a limit. Fails at the first chunk above the limit or the budget. */
const bytesOf = async (
  body: ReadableStream<Uint8Array>,
  limitBytes: number,
  take: TakeBytes
): Promise<Effect.Effect<Uint8Array, BodyRefusal>> => {
  const pieces: Array<Uint8Array> = []
  let length = 0
  for await (const piece of body) {
    length += piece.length
    if (length > limitBytes) return Effect.fail(new PayloadTooLarge({ limitBytes }))
    if (!take(piece.length)) return Effect.fail(overBudget)
    pieces.push(piece)
  }
  const bytes = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return Effect.succeed(bytes)
}

/** Reads the request of a runtime with the Fetch API. */
const incomingOf = (request: Request, peer: Peer): Incoming => ({
  method: request.method,
  url: request.url.slice(new URL(request.url).origin.length),
  headers: Object.fromEntries(request.headers),
  peer,
  ambiguity: undefined,
  waitedMillis: () => 0,
  pieces: Stream.suspend(() => {
    const { body } = request
    return body === null ? Stream.empty : Stream.fromReadableStream({ evaluate: () => body, onError: () => brokenOff })
  }),
  bytes: (limitBytes, take) => {
    const { body } = request
    if (body === null) return Effect.succeed(new Uint8Array())
    return Effect.flatten(Effect.tryPromise({ try: () => bytesOf(body, limitBytes, take), catch: () => brokenOff }))
  }
})

/** Waits for the end of a fiber. The signal interrupts it. */
const exitOf = (fiber: Fiber.Fiber<Outgoing>, signal: AbortSignal): Promise<Exit.Exit<Outgoing>> =>
  new Promise((resolve) => {
    const leave = () => fiber.interruptUnsafe()
    signal.addEventListener("abort", leave, { once: true })
    fiber.addObserver((exit) => {
      signal.removeEventListener("abort", leave)
      resolve(exit)
    })
    if (signal.aborted) leave()
  })

/** The status of a request that its client has left. Nobody receives it. */
const clientLeft = 499

/**
 * Serves requests of a runtime with the Fetch API. `peerOf` finds their client.
 *
 * @public
 */
export const fetchBy =
  (answer: AnswerRequest, peerOf: (request: Request) => Peer) =>
  async (request: Request, context: Context.Context<never> = Context.empty()): Promise<Response> => {
    const answering = answer(incomingOf(request, peerOf(request)), context)
    const exit = Exit.isExit(answering) ? answering : await exitOf(answering, request.signal)
    if (Exit.isFailure(exit)) {
      return new Response(null, { status: Cause.hasInterruptsOnly(exit.cause) ? clientLeft : 500 })
    }
    const { headers, response } = exit.value
    return HttpServerResponse.toWeb(withHeaders(response, headers), { withoutBody: request.method === "HEAD" })
  }
