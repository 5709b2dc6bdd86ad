import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http"
import { Effect } from "effect"

/** A request as received. */
export interface Received {
  readonly method: string | undefined
  readonly path: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

const receivedOf = async (request: IncomingMessage): Promise<Received> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk)
  const { headers, method, url } = request
  return { method, path: url, headers, body: Buffer.concat(chunks).toString() }
}

/** A server on this machine that answers as told, and keeps its requests. */
export const localServer = (answer: (response: ServerResponse, nth: number) => void) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly received: Array<Received>; readonly close: () => Promise<void> }>(
      (resume) => {
        const received: Array<Received> = []
        const server = createServer((request, response) => {
          receivedOf(request).then(
            (one) => answer(response, received.push(one)),
            () => response.destroy()
          )
        })
        const close = () =>
          new Promise<void>((resolve) => {
            server.close(() => resolve())
            server.closeAllConnections()
          })
        server.listen(0, "127.0.0.1", () => {
          const address = server.address()
          const port = typeof address === "object" ? address?.port : undefined
          resume(Effect.succeed({ url: `http://127.0.0.1:${port}/ask`, received, close }))
        })
      }
    ),
    ({ close }) => Effect.promise(close)
  )
