import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { codeOf, ErrorCodes } from "@wcs/domain/service/Refusals"
import { statusOf } from "@wcs/domain/shared/ErrorCode"
import { answerOf } from "@wcs/http/refusal/Refused"
import { build, type Limits, type Parts } from "@wcs/node-server/Listener"
import { NodeIncoming } from "@wcs/node-server/Requests"
import { generate } from "@wcs/node-server/SelfSigned"
import { Effect, Option, Stream } from "effect"
import { HttpServerResponse } from "effect/http"

/** Long enough that the other limits end nothing within a test. */
const never = 3_600_000
const unlimited: Limits = {
  connections: 100,
  connectionsPerAddress: 100,
  firstByteMillis: never,
  handshakeMillis: never,
  headersMillis: never,
  bodyMillis: never,
  uploadMillis: never,
  keepAliveMillis: never,
  silenceMillis: never,
  graceMillis: never,
  refusedMillis: never,
  checkMillis: 10
}

export const tls = await generate(["localhost", "127.0.0.1"], Date.now() - 1000, Date.now() + 3_600_000)

export const portOf = (server: Server) => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

/** Receives a file as a whole or in pieces, as the path says. */
const receiveFile = (request: IncomingMessage, response: ServerResponse) => {
  const peerOf = () => ({ address: "192.0.2.1", secure: true })
  const incoming = new NodeIncoming(request, response, { unfinished: () => 0, peerOf, ambiguityOf: () => undefined })
  const received = request.url === "/file/pieces" ? Stream.runDrain(incoming.pieces) : incoming.bytes(100, () => true)
  Effect.runFork(
    Effect.match(received, { onSuccess: () => response.end("answer"), onFailure: () => response.destroy() })
  )
}

/** A server that answers each request once its body is complete. */
export const serving = (limits: Partial<Limits>, parts: Partial<Parts> = {}) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<Server>((resolve) => {
          const { server } = build({
            tls: Option.some(tls),
            limits: { ...unlimited, ...limits },
            refuse: (refusal, _socket, send) => {
              const answer = answerOf(ErrorCodes.of({ codeOf, statusOf }), refusal, "an id")
              setImmediate(() => send(HttpServerResponse.setHeader(answer, "x-request-id", "an id")))
            },
            onRequest: () => {},
            onError: () => {},
            cappedBy: () => undefined,
            ...parts
          })
          server.on("request", (request, response) => {
            if (request.url?.startsWith("/file") === true) return receiveFile(request, response)
            request.resume().once("end", () => response.end("answer"))
          })
          server.listen(0, "127.0.0.1", () => resolve(server))
        })
    ),
    (server) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )

/** Sends bytes on a connection. Returns everything received until the server closes it. */
export const untilClosed = (socket: Socket, bytes: string | Uint8Array) =>
  Effect.promise(
    () =>
      new Promise<string>((resolve) => {
        let text = ""
        socket.on("data", (chunk) => {
          text += String(chunk)
        })
        socket.on("error", () => {}).once("close", () => resolve(text))
        socket.write(bytes)
      })
  )

/** Sends a request on a connection that may be kept, and waits for the response. */
export const answered = (socket: Socket) =>
  Effect.promise(
    () =>
      new Promise<string>((resolve, reject) => {
        socket.once("data", (chunk) => resolve(String(chunk))).once("error", reject)
        socket.once("close", () => reject(new Error("closed without an answer")))
        socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      })
  )

export const closed = (socket: Socket) =>
  Effect.promise(
    () =>
      new Promise<void>((resolve) =>
        socket
          .resume()
          .on("error", () => {})
          .once("close", () => resolve())
      )
  )

/** The first bytes of a TLS record that stays incomplete. */
export const halfHello = Uint8Array.of(0x16, 0x03, 0x01, 0x02, 0x00, 0x01)
