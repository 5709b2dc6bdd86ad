import type { IncomingMessage, ServerResponse } from "node:http"
import { Effect } from "effect"
import type { Receiver } from "./Receiver.ts"

/**
 * The request listener of a `node:http` or `node:https` server. When the sender hangs up, the handler continues, and
 * the sender's next attempt gets its result.
 *
 * @public
 */
export const listener =
  (receiver: Receiver) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    const incoming = { method: request.method ?? "", headers: linesOf(request.rawHeaders), body: request }
    Effect.runPromise(receiver(incoming)).then(({ headers, status, text }) => {
      response.writeHead(status, request.complete ? headers : { ...headers, connection: "close" })
      response.end(text ?? undefined)
    })
  }

/** `rawHeaders` has names and values in turn. */
const linesOf = (raw: ReadonlyArray<string>): ReadonlyArray<readonly [string, string]> =>
  raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ""] as const] : []))
