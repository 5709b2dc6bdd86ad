import { readFileSync } from "node:fs"
import { Agent, request } from "node:https"
import { Effect } from "effect"
import { bearer, type Reply, replyOf, type Server } from "../Process.ts"

/** A complete response. */
export interface Answer {
  readonly status: number
  readonly requestId: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: unknown
}

/** Sends a request. Returns nothing if the connection breaks before the response is complete. */
export type Send = (method: string, path: string, body?: unknown) => Promise<Answer | undefined>

/** Kept connections to a server, closed with the scope. A request fails if its connection breaks before the answer. */
export const requesting = ({ certificateFile, port }: Server, connections: number) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new Agent({ ca: readFileSync(certificateFile), keepAlive: true, maxSockets: connections })),
      (agent) => Effect.sync(() => agent.destroy())
    ),
    (agent) =>
      (method: string, path: string, headers: Readonly<Record<string, string>>, content?: string | Uint8Array) =>
        new Promise<Reply>((resolve, reject) => {
          const framing = content === undefined ? {} : { "content-length": String(Buffer.byteLength(content)) }
          const place = { host: "localhost", port, servername: "localhost", agent }
          request({ ...place, method, path, headers: { host: `localhost:${port}`, ...framing, ...headers } })
            .once("error", reject)
            .once("response", (response) => replyOf(response).then(resolve, reject))
            .end(content)
        })
  )

/** Kept connections for calls with a token. */
export const connection = (server: Server, token: string, connections: number) =>
  Effect.map(
    requesting(server, connections),
    (ask): Send =>
      async (method, path, body) => {
        const type = body === undefined ? {} : { "content-type": "application/json" }
        const content = body === undefined ? undefined : JSON.stringify(body)
        const reply = await ask(method, `/openapi/v1${path}`, { ...bearer(token), ...type }, content).catch(
          () => undefined
        )
        if (reply === undefined) return undefined
        const { headers, status, text } = reply
        const requestId = String(headers["x-request-id"])
        return { status, headers, requestId, body: text === "" ? undefined : JSON.parse(text) }
      }
  )

/** What a successful POST has made. */
export interface Made {
  readonly id: string
  readonly clientSecret?: string
}

/** Posts, successfully. */
export const posted = async (send: Send, path: string, body: unknown = {}): Promise<Made> => {
  const answer = await send("POST", path, body)
  if (answer === undefined || answer.status >= 300) throw new Error(`POST ${path}: ${JSON.stringify(answer)}`)
  return (answer.body as { readonly data: Made }).data
}
