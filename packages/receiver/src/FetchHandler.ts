import { Effect } from "effect"
import type { Receiver } from "./Receiver.ts"

/**
 * A handler of web requests, for servers and frameworks that speak `Request` and `Response`.
 *
 * @public
 */
export const handler =
  (receiver: Receiver) =>
  (request: Request): Promise<Response> => {
    const { headers, method } = request
    const body: AsyncIterable<Uint8Array> = request.body ?? nothing()
    return Effect.runPromise(
      Effect.map(
        receiver({ method, headers: [...headers], body }),
        ({ headers, status, text }) => new Response(text, { status, headers })
      )
    )
  }

async function* nothing(): AsyncGenerator<Uint8Array> {}
