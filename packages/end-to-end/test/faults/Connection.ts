import { readFileSync } from "node:fs"
import { Agent, request } from "node:https"
import { Effect } from "effect"
import { bearer, replyOf, type Server } from "../Process.ts"

/** A complete response. */
export interface Answer {
  readonly status: number
  readonly requestId: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: unknown
}

/** Sends a request. Returns nothing if the connection breaks before the response is complete. */
export type Send = (method: string, path: string, body?: unknown) => Promise<Answer | undefined>

const bodyOf = (text: string): unknown => (text === "" ? undefined : JSON.parse(text))

/** Kept connections to a server, closed with the scope. */
export const connection = (server: Server, token: string, connections: number) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(
        () => new Agent({ ca: readFileSync(server.certificateFile), keepAlive: true, maxSockets: connections })
      ),
      (agent) => Effect.sync(() => agent.destroy())
    ),
    (agent): Send =>
      (method, path, body) =>
        new Promise((resolve, reject) => {
          const content = body === undefined ? undefined : JSON.stringify(body)
          const framing = content === undefined ? {} : { "content-length": String(Buffer.byteLength(content)) }
          const type = content === undefined ? {} : { "content-type": "application/json" }
          const options = { agent, method, headers: { ...bearer(token), ...framing, ...type } }
          request(`https://localhost:${server.port}/openapi/v1${path}`, options)
            .once("error", () => resolve(undefined))
            .once("response", (response) => {
              replyOf(response).then(
                ({ headers, status, text }) => {
                  try {
                    resolve({ status, headers, requestId: String(headers["x-request-id"]), body: bodyOf(text) })
                  } catch (cause) {
                    reject(cause)
                  }
                },
                () => resolve(undefined)
              )
            })
            .end(content)
        })
  )
