import { Context, Effect, Exit } from "effect"
import { HttpServerResponse } from "effect/http"
import type { Outgoing } from "./pipeline/Edge.ts"
import { withHeaders } from "./pipeline/ResponseHeaders.ts"
import { type BodyRefusal, PayloadTooLarge } from "./refusal/HttpRefusal.ts"
import type { Incoming, Peer } from "./request/Incoming.ts"
import { brokenOff, overBudget } from "./request/RequestBody.ts"

/** Reads the request of a runtime with the Fetch API. */
const incomingOf = (request: Request, peer: Peer): Incoming => ({
  method: request.method,
  url: request.url.slice(new URL(request.url).origin.length),
  headers: Object.fromEntries(request.headers),
  peer,
  ambiguity: undefined,
  bytes: (limitBytes, take) =>
    Effect.flatMap(
      Effect.tryPromise({ try: () => request.arrayBuffer(), catch: () => brokenOff }),
      (buffer): Effect.Effect<Uint8Array, BodyRefusal> => {
        if (buffer.byteLength > limitBytes) return Effect.fail(new PayloadTooLarge({ limitBytes }))
        return take(buffer.byteLength) ? Effect.succeed(new Uint8Array(buffer)) : Effect.fail(overBudget)
      }
    )
})

/** Calls `onEnd` when the stream was read or cancelled. */
const ending = (stream: ReadableStream<Uint8Array>, onEnd: () => void): ReadableStream<Uint8Array> => {
  const reader = stream.getReader()
  return new ReadableStream(
    {
      pull: async (controller) => {
        const { done, value } = await reader.read()
        if (!done) return controller.enqueue(value)
        onEnd()
        controller.close()
      },
      cancel: (reason) => {
        onEnd()
        return reader.cancel(reason)
      }
    },
    { highWaterMark: 0 }
  )
}

/** The status of a request that its client has left. Nobody receives it. */
const clientLeft = 499

const responseOf = ({ headers, onEnd, response }: Outgoing, request: Request): Response => {
  const { body } = response
  const web = HttpServerResponse.toWeb(withHeaders(response, headers), { withoutBody: request.method === "HEAD" })
  if (body._tag === "Stream" && web.body !== null) return new Response(ending(web.body, onEnd), web)
  onEnd()
  return web
}

/** Serves requests of a runtime with the Fetch API. `peerOf` finds their client. */
export const fetchBy =
  (answer: (request: Incoming) => Effect.Effect<Outgoing>, peerOf: (request: Request) => Peer) =>
  async (request: Request, context: Context.Context<never> = Context.empty()): Promise<Response> => {
    const answering = answer(incomingOf(request, peerOf(request)))
    const exit = await Effect.runPromiseExitWith(context)(answering, { signal: request.signal })
    return Exit.isSuccess(exit) ? responseOf(exit.value, request) : new Response(null, { status: clientLeft })
  }
