import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { Outgoing } from "@wcs/http/pipeline/Edge"
import { Stream } from "effect"
import { Cookies, HttpServerResponse } from "effect/http"
import { waitsForContinue } from "./Requests.ts"

/** The most bytes of an unread body that are discarded to keep the connection open. */
const discardedBytesMax = 256 * 1024

/** The time in which a client can read the response before the connection is destroyed. */
const graceMillis = 500

const mayHaveBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0"

/** Whether the connection must close, since too much of the body is unread. */
const mustClose = (message: IncomingMessage): boolean =>
  !message.complete && (waitsForContinue(message) || Number(message.headers["content-length"] ?? 0) > discardedBytesMax)

/** Ends a connection. The client can still read what was sent. */
const closeSoon = (socket: Socket): void => {
  if (socket.destroyed) return
  socket.end()
  const timer = setTimeout(() => socket.destroy(), graceMillis)
  socket.once("close", () => clearTimeout(timer))
}

/**
 * Discards the unread rest of a body. Node itself would read all of it, or destroy a closing connection while bytes
 * arrive, which resets it and can lose the response. The two fields of Node prevent both.
 */
const discardRest = (message: IncomingMessage, response: ServerResponse, isClosing: boolean): void => {
  if (message.complete || message.destroyed) return
  if (isClosing) {
    Object.assign(message, { _consuming: true })
    Object.assign(response, { _last: false })
    closeSoon(message.socket)
    return
  }
  let bytes = 0
  message.on("data", (piece: Buffer) => {
    bytes += piece.length
    if (bytes <= discardedBytesMax) return
    message.pause()
    closeSoon(message.socket)
  })
  message.resume()
}

const headersOf = ({ headers, response }: Outgoing): OutgoingHttpHeaders => {
  const all: OutgoingHttpHeaders = { ...headers, ...response.headers }
  if (response.status === 204 || response.status === 205) delete all["content-length"]
  if (!Cookies.isEmpty(response.cookies)) all["set-cookie"] = Cookies.toSetCookieHeaders(response.cookies)
  return all
}

const writeBody = (outgoing: Outgoing, method: string | undefined, response: ServerResponse): void => {
  const { body } = outgoing.response
  if (method === "HEAD" || HttpServerResponse.omitsBody(outgoing.response)) response.end()
  else if (body._tag === "Uint8Array") response.end(body.text ?? body.body)
  else if (body._tag === "Stream") {
    const pieces = Readable.from(Stream.toAsyncIterable(body.stream))
    pipeline(pieces, response).catch(() => response.destroy()) // the client left
  } else response.end()
}

/** Sends a response. */
export const send = (outgoing: Outgoing, message: IncomingMessage, response: ServerResponse): void => {
  if (response.destroyed || response.writableEnded || message.socket.destroyed) return
  const headers = headersOf(outgoing)
  if (mayHaveBody(message)) {
    const isClosing = mustClose(message)
    if (isClosing) headers["connection"] = "close"
    // Before Node's own listener.
    response.prependListener("finish", () => discardRest(message, response, isClosing))
  }
  response.writeHead(outgoing.response.status, headers)
  writeBody(outgoing, message.method, response)
}

/** Answers a request whose fiber a stop has interrupted. */
export const sendInterrupted = (response: ServerResponse): void => {
  if (response.destroyed || response.headersSent) return
  response.writeHead(503, { connection: "close", "content-length": 0, "retry-after": "1" }).end()
}
