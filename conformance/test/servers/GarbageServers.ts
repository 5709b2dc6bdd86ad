import { readFileSync } from "node:fs"
import * as http from "node:http"
import * as https from "node:https"
import type { Socket } from "node:net"

const pem = readFileSync(new URL("../fixtures/localhost.pem", import.meta.url), "utf8")

/** Handles one request wrongly; `body` is the request body. */
type Treat = (request: http.IncomingMessage, response: http.ServerResponse, body: string) => void

const always =
  (status: number, text: string, type: string): Treat =>
  (_, response) =>
    response.writeHead(status, status === 204 ? {} : { "Content-Type": type }).end(text)

const json = (status: number, value: unknown): Treat => always(status, JSON.stringify(value), "application/json")

const drip: Treat = (_, response) => {
  response.writeHead(200, { "Content-Type": "application/json", "Content-Length": "1000000" })
  const drops = setInterval(() => response.write(" "), 10)
  response.on("close", () => clearInterval(drops))
}

const huge = Buffer.alloc(10 * 1024 * 1024, "[")

/** The constant answers, from the first request on. */
export const constant = {
  "a page and 200": always(200, "<!doctype html><title>Welcome</title>", "text/html"),
  "an empty 200": always(200, "", "text/plain"),
  "an empty list and 200": json(200, { data: [], meta: { requestId: "x" } }),
  "204": always(204, "", ""),
  "301": (_, response) => response.writeHead(301, { Location: "/login" }).end(),
  "401": always(401, "Unauthorized", "text/plain"),
  "403": json(403, { error: { code: "FORBIDDEN", message: "No.", requestId: "x" } }),
  "429 for ever": (_, response) => response.writeHead(429, { "Retry-After": "0" }).end(),
  "500": always(500, "<h1>Internal Server Error</h1>", "text/html")
} as const satisfies Readonly<Record<string, Treat>>

/** Ways to leave every request without an answer. */
export const unanswered = {
  "resets the connection": ({ socket }) => socket.destroy(),
  "never answers": () => undefined,
  "drips one byte at a time": drip,
  "sends ten megabytes": (_, response) => response.writeHead(200).end(huge),
  "speaks no HTTP": ({ socket }) => void socket.end("220 mail.example ESMTP ready\r\n"),
  "ends in the middle of its headers": ({ socket }) => void socket.end("HTTP/1.1 200 OK\r\nContent-")
} as const satisfies Readonly<Record<string, Treat>>

/** The same after a valid first answer, so that judging starts. */
export const afterTheFirst = (treat: Treat): Treat => {
  let isFirst = true
  return (...request) => {
    const now = isFirst ? json(200, { data: [], meta: { requestId: "x" } }) : treat
    isFirst = false
    now(...request)
  }
}

/** A server that is up. */
export interface Up {
  readonly url: string
  readonly down: () => void
}

const up = (server: http.Server | https.Server, scheme: "http" | "https"): Promise<Up> =>
  new Promise((resolve) => {
    const sockets = new Set<Socket>()
    server.on("connection", (socket: Socket) => {
      sockets.add(socket)
      socket.on("close", () => sockets.delete(socket))
      socket.on("error", () => socket.destroy())
    })
    const down = () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    }
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      resolve({ url: `${scheme}://localhost:${port}`, down })
    })
  })

const listener =
  (treat: Treat): http.RequestListener =>
  (request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (chunk: string) => {
      body += chunk
    })
    request.on("end", () => treat(request, response, body))
    response.on("error", () => response.destroy())
  }

/** Plain HTTP, handled like this. */
export const serving = (treat: Treat): Promise<Up> => up(http.createServer(listener(treat)), "http")

/** TLS with an untrusted issuer. */
export const servingUntrusted = (treat: Treat): Promise<Up> =>
  up(https.createServer({ cert: pem, key: pem }, listener(treat)), "https")

/** Plain HTTP on a port that should have TLS. */
export const servingNoTls = async (treat: Treat): Promise<Up> => {
  const { down, url } = await serving(treat)
  return { down, url: url.replace("http:", "https:") }
}
