import * as Http from "node:http"
import * as Https from "node:https"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import {
  HeadersTooLarge,
  type HttpRefusal,
  InsecureTransport,
  MalformedRequest,
  RequestTimeout
} from "@wcs/http/refusal/HttpRefusal"
import { Option } from "effect"
import type { HttpServerResponse } from "effect/http"
import { reasonOf } from "../StartRefused.ts"
import { Connections } from "./Connections.ts"

/** What a connection may cost before it is ended (threat 27). */
export interface Limits {
  readonly connections: number
  /** From the connection to its first byte, and then to the end of the handshake. */
  readonly firstByteMillis: number
  readonly handshakeMillis: number
  readonly headersMillis: number
  /** Headers and body. */
  readonly requestMillis: number
  readonly keepAliveMillis: number
  /** Nothing read and nothing written. */
  readonly silenceMillis: number
  /** How long a connection without a request may bring one once the server stops. */
  readonly graceMillis: number
  /** The whole life of a connection that is only refused. */
  readonly refusedMillis: number
  /** How often the limits on requests are looked at. */
  readonly checkMillis: number
}

export const standardLimits: Limits = {
  connections: 10_000,
  firstByteMillis: 10_000,
  handshakeMillis: 10_000,
  headersMillis: 15_000,
  requestMillis: 60_000,
  keepAliveMillis: 65_000, // longer than the 60 s of most balancers, so that it is not we who close first
  silenceMillis: 90_000,
  graceMillis: 1_000,
  refusedMillis: 10_000,
  checkMillis: 1_000
}

/** DECISIONS.md#resources. */
const headerBytes = 16 * 1024

/** The first byte of a TLS record that begins a handshake (RFC 8446, section 5.1). */
const handshakeByte = 0x16

/**
 * An answer that goes out in one write where its body is one text, whose length is announced by whoever measured that
 * text. Where Node counts the bytes once more it ends each answer with a write of nothing, and the system is asked to
 * gather two pieces, which costs more than all that the answer says.
 */
class Answer extends Http.ServerResponse {
  override end(body?: unknown, encoding?: BufferEncoding | (() => void), done?: () => void): this {
    if (typeof body === "string") this.strictContentLength = false
    return super.end(body, encoding as BufferEncoding, done)
  }
}

const serverOptions = (limits: Limits): Http.ServerOptions<typeof Http.IncomingMessage, typeof Answer> => ({
  ServerResponse: Answer,
  maxHeaderSize: headerBytes,
  headersTimeout: limits.headersMillis,
  requestTimeout: limits.requestMillis,
  keepAliveTimeout: limits.keepAliveMillis,
  connectionsCheckingInterval: limits.checkMillis,
  requireHostHeader: false, // refused where answers have a shape and an id
  shouldUpgradeCallback: () => false // there is nothing to upgrade to: such a request is answered like any other
})

type Answered = HttpServerResponse.HttpServerResponse

/** What is built from. */
export interface Parts {
  readonly tls: Option.Option<{ readonly cert: string; readonly key: string }>
  readonly limits: Limits
  /** Makes the whole answer to bytes that Node could not read as a request, and hands it to `send`. */
  readonly refuse: (refusal: HttpRefusal, socket: Duplex, send: (answer: Answered) => void) => void
  /** Told of every request, before it is handled. */
  readonly onRequest: (request: Http.IncomingMessage, response: Http.ServerResponse) => void
  /** A connection that could not be accepted: too many open files, say. The server goes on. */
  readonly onError: (error: Error) => void
}

/** The server to listen with, and the one for what comes without TLS where TLS is expected. */
export interface Built {
  readonly server: Http.Server
  /** Hands its requests to the handler of `server`, which refuses them. It may listen on a port of its own. */
  readonly plain: Option.Option<Http.Server>
}

/** What Node itself has to refuse, before there is a request: never with a stack trace. */
const refusalOf = (code: string, isPlain: boolean) => {
  if (code === "HPE_HEADER_OVERFLOW") return new HeadersTooLarge({ limitBytes: headerBytes })
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return new RequestTimeout()
  return isPlain ? new InsecureTransport() : new MalformedRequest({ reason: "it is not valid HTTP" })
}

/** An answer as it goes over the wire where Node has nothing to write it with, and the last of its connection. */
const rawAnswer = ({ body, headers, status }: Answered) => {
  const content = body._tag === "Uint8Array" ? body.body : new Uint8Array()
  const fields = { ...headers, connection: "close" }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `HTTP/1.1 ${status} ${Http.STATUS_CODES[status]}\r\n${lines.join("")}\r\n`
  return Buffer.concat([Buffer.from(head), content])
}

const answerErrors = (server: Http.Server, connections: Connections, isPlain: boolean, parts: Parts): void => {
  const refused = new WeakSet<Duplex>()
  server.on("clientError", (error, socket) => {
    const code = reasonOf(error)
    // All else is a broken connection or a failed handshake: nobody is there to read an answer.
    const isRequest = code.startsWith("HPE_") || code === "ERR_HTTP_REQUEST_TIMEOUT"
    if (!isRequest) return socket.destroy()
    if (refused.has(socket)) return // each further packet is an error again, while the answer is on its way
    if (!socket.writable || connections.hasAnswered(socket)) return socket.destroy()
    refused.add(socket)
    parts.refuse(refusalOf(code, isPlain), socket, (answer) => {
      if (connections.hasAnswered(socket)) socket.destroy()
      else socket.end(rawAnswer(answer), () => socket.destroy())
    })
  })
}

/** What every server has, however it is reached. */
const prepare = (server: Http.Server, connections: Connections, isPlain: boolean, parts: Parts): void => {
  server.maxConnections = parts.limits.connections
  server.timeout = parts.limits.silenceMillis
  server.once("listening", () => server.on("error", parts.onError)) // before that it is the start that fails
  answerErrors(server, connections, isPlain, parts)
}

/** Sends a connection on by its first byte; until then it lives for a short while. */
const sniff = (
  socket: Socket,
  firstByteMillis: number,
  onTls: (socket: Socket) => void,
  onPlain: (socket: Socket) => void
): void => {
  const destroy = () => socket.destroy()
  const timer = setTimeout(destroy, firstByteMillis)
  const settle = () => {
    clearTimeout(timer)
    socket.off("readable", look).off("error", destroy).off("end", destroy).off("close", settle)
  }
  const look = () => {
    const first: Buffer | null = socket.read(1)
    if (first === null) return
    settle()
    socket.unshift(first)
    const next = first[0] === handshakeByte ? onTls : onPlain
    next(socket)
  }
  socket.on("readable", look).on("error", destroy).on("end", destroy).on("close", settle)
}

const makePlain = (target: Http.Server, connections: Connections, parts: Parts): Http.Server => {
  const plain = Http.createServer(serverOptions(parts.limits))
  prepare(plain, connections, true, parts)
  const forward = (request: Http.IncomingMessage, response: Http.ServerResponse) => {
    response.setHeader("Connection", "close")
    target.emit("request", request, response)
  }
  // A body that is announced is not asked for: the request is refused without it.
  plain.on("request", forward).on("checkContinue", forward).on("checkExpectation", forward)
  plain.on("connection", (socket) => {
    connections.opened(socket)
    const timer = setTimeout(() => socket.destroy(), parts.limits.refusedMillis)
    socket.once("close", () => clearTimeout(timer))
  })
  return plain
}

/** Whoever closes the server, its connections learn of it, and end in their own time. */
const onClose = (server: Http.Server, stop: () => void): void => {
  const close = server.close.bind(server)
  server.closeIdleConnections = () => {} // as `close` would at once, whatever is on its way to us over them
  server.close = (done) => {
    stop()
    return close(done)
  }
}

/** A server of one kind, with everything but its handler and its port. */
export const build = (parts: Parts): Built => {
  const connections = new Connections(parts.limits.graceMillis)
  const server = Option.match(parts.tls, {
    onNone: () => Http.createServer(serverOptions(parts.limits)),
    onSome: ({ cert, key }): Http.Server =>
      Https.createServer({
        ...serverOptions(parts.limits),
        cert,
        key,
        minVersion: "TLSv1.2",
        handshakeTimeout: parts.limits.handshakeMillis
      })
  })
  prepare(server, connections, false, parts)
  const onRequest = (request: Http.IncomingMessage, response: Http.ServerResponse) => {
    connections.requested(request, response)
    parts.onRequest(request, response)
  }
  server.prependListener("request", onRequest).prependListener("checkContinue", onRequest)
  server.on("checkExpectation", (request, response) => server.emit("request", request, response))
  server.on("close", connections.stopped)
  onClose(server, () => connections.stop())
  if (Option.isNone(parts.tls)) {
    server.on("connection", connections.opened)
    return { server, plain: Option.none() }
  }
  const plain = makePlain(server, connections, parts)
  const handshakes = server.listeners("connection")
  server.removeAllListeners("connection")
  const onTls = (socket: Socket) => {
    connections.passedOn(socket)
    for (const handshake of handshakes) handshake.call(server, socket)
  }
  const onPlain = (socket: Socket) => {
    connections.passedOn(socket)
    plain.emit("connection", socket)
  }
  server.on("connection", (socket) => {
    connections.opened(socket)
    sniff(socket, parts.limits.firstByteMillis, onTls, onPlain)
  })
  server.on("secureConnection", connections.opened)
  return { server, plain: Option.some(plain) }
}
