import { constants } from "node:crypto"
import * as Http from "node:http"
import * as Https from "node:https"
import { Socket } from "node:net"
import type { Duplex } from "node:stream"
import {
  HeadersTooLarge,
  type HttpRefusal,
  InsecureTransport,
  MalformedRequest,
  RequestTimeout
} from "@wcs/domain/service/HttpRefusal"
import { Option } from "effect"
import type { HttpServerResponse } from "effect/http"
import { limitBody } from "./BodyTime.ts"
import { Connections } from "./Connections.ts"
import { reasonOf } from "./StartRefused.ts"

/** The limits of a connection (threat 27). */
export interface Limits {
  readonly connections: number
  readonly connectionsPerAddress: number
  /** Timeout for the first byte of a connection. */
  readonly firstByteMillis: number
  /** Timeout for the TLS handshake, from the first byte. */
  readonly handshakeMillis: number
  readonly headersMillis: number
  /** Timeout for a body, from the end of the headers. */
  readonly bodyMillis: number
  /** Timeout for headers and a body that is read in pieces: an uploaded file. */
  readonly uploadMillis: number
  readonly keepAliveMillis: number
  /** Timeout without any read or write. */
  readonly silenceMillis: number
  /** Grace period of idle connections when the server stops. */
  readonly graceMillis: number
  /** The maximum lifetime of a refused connection. */
  readonly refusedMillis: number
  /** Interval of the timeout checks. */
  readonly checkMillis: number
}

export const standardLimits: Limits = {
  connections: 10_000,
  connectionsPerAddress: 1_000,
  firstByteMillis: 10_000,
  handshakeMillis: 10_000,
  headersMillis: 15_000,
  bodyMillis: 60_000,
  uploadMillis: 600_000, // 10 MiB at 140 kbit/s
  keepAliveMillis: 65_000, // longer than the 60 s of most balancers, so that the balancer closes first
  silenceMillis: 90_000,
  graceMillis: 1_000,
  refusedMillis: 10_000,
  checkMillis: 1_000
}

/** DECISIONS.md#resources. */
const headerBytes = 16 * 1024

/** Forward secrecy and authenticated encryption only (RFC 9325, section 4.2). */
const ciphers = [
  "TLS_AES_128_GCM_SHA256",
  "TLS_AES_256_GCM_SHA384",
  "TLS_CHACHA20_POLY1305_SHA256",
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES128-GCM-SHA256",
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-CHACHA20-POLY1305",
  "ECDHE-RSA-CHACHA20-POLY1305"
].join(":")

/** The first byte of a TLS record that begins a handshake (RFC 8446, section 5.1). */
const handshakeByte = 0x16

/**
 * A response that sends headers and a text body in one write. By default, Node counts the bytes of the body again and
 * ends each response with an empty write, so the system must gather two pieces, which is slow.
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
  requestTimeout: limits.uploadMillis,
  keepAliveTimeout: limits.keepAliveMillis,
  connectionsCheckingInterval: limits.checkMillis,
  requireHostHeader: false, // `Framing` refuses with a proper error and a request id
  shouldUpgradeCallback: () => false // no upgrades: answer such requests like any other
})

type Answered = HttpServerResponse.HttpServerResponse

/** The parts of a listener. */
export interface Parts {
  readonly tls: Option.Option<{ readonly cert: string; readonly key: string }>
  readonly limits: Limits
  /** The key by which a connection counts against the cap of an address. Undefined: only the total applies. */
  readonly cappedBy: (socket: Socket) => string | undefined
  /** Builds the response to a malformed request and passes it to `send`. */
  readonly refuse: (refusal: HttpRefusal, socket: Duplex, send: (answer: Answered) => void) => void
  /** Called for every request before it is handled. */
  readonly onRequest: (request: Http.IncomingMessage, response: Http.ServerResponse) => void
  /** Called when a connection could not be accepted, for example because of too many open files. */
  readonly onError: (error: Error) => void
}

/** The server to listen with, and the server for plain HTTP on the TLS port. */
export interface Built {
  readonly server: Http.Server
  /** Forwards its requests to the handler of `server`, which refuses them. Can have its own port. */
  readonly plain: Option.Option<Http.Server>
}

/** The code of Node's error for a request that does not arrive in time. */
const late = "ERR_HTTP_REQUEST_TIMEOUT"

/** Converts a parse error of Node to a refusal. */
const refusalOf = (code: string, isPlain: boolean, limits: Limits) => {
  if (code === "HPE_HEADER_OVERFLOW") return new HeadersTooLarge({ limitBytes: headerBytes })
  if (code === late) {
    const { bodyMillis, headersMillis, uploadMillis } = limits
    return new RequestTimeout({ headersMillis, bodyMillis, uploadMillis })
  }
  return isPlain ? new InsecureTransport() : new MalformedRequest({ reason: "is not valid HTTP" })
}

/** Serializes a response for a malformed request, when Node has no response object. It closes the connection. */
const rawAnswer = ({ body, headers, status }: Answered) => {
  const content = body._tag === "Uint8Array" ? body.body : new Uint8Array()
  const fields = { ...headers, connection: "close" }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `HTTP/1.1 ${status} ${Http.STATUS_CODES[status]}\r\n${lines.join("")}\r\n`
  return Buffer.concat([Buffer.from(head), content])
}

/** The most bytes that are read after a refusal. */
const lingerBytes = 256 * 1024

/**
 * Closes a connection after its response. Until the client closes its side, its data is read and dropped: otherwise the
 * system resets the connection, and the client may lose the response (RFC 9112, section 9.6).
 */
const linger = (socket: Duplex, mostMillis: number): void => {
  const destroy = () => socket.destroy()
  const timer = setTimeout(destroy, mostMillis)
  socket.once("end", destroy).once("close", () => clearTimeout(timer))
}

const bytesReadOf = (socket: Duplex): number => (socket instanceof Socket ? socket.bytesRead : 0)

const answerErrors = (server: Http.Server, connections: Connections, isPlain: boolean, parts: Parts): void => {
  /** The refused connections, and how many bytes had been read then. */
  const refused = new WeakMap<Duplex, number>()
  server.on("clientError", (error, socket) => {
    const code = reasonOf(error)
    const isRequest = code.startsWith("HPE_") || code === late
    // The connection is broken or the handshake failed, so the client cannot read a response.
    if (!isRequest) return socket.destroy()
    const readBefore = refused.get(socket)
    if (readBefore !== undefined) {
      // Each further packet raises another error.
      if (bytesReadOf(socket) - readBefore > lingerBytes) socket.destroy()
      return
    }
    if (!socket.writable || connections.hasAnswered(socket)) return socket.destroy()
    refused.set(socket, bytesReadOf(socket))
    parts.refuse(refusalOf(code, isPlain, parts.limits), socket, (answer) => {
      if (connections.hasAnswered(socket)) socket.destroy()
      else socket.end(rawAnswer(answer), () => linger(socket, parts.limits.refusedMillis))
    })
  })
}

/** Sets up the error handling and limits of a server. */
const prepare = (server: Http.Server, connections: Connections, isPlain: boolean, parts: Parts): void => {
  server.timeout = parts.limits.silenceMillis
  server.once("listening", () => server.on("error", parts.onError)) // earlier errors fail the start
  answerErrors(server, connections, isPlain, parts)
}

/** Routes a connection to TLS or plain HTTP by its first byte, with a short timeout. */
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
  // Does not send 100 Continue: the request is refused without its body.
  plain.on("request", forward).on("checkContinue", forward).on("checkExpectation", forward)
  plain.on("connection", (socket) => {
    if (!connections.opened(socket)) return
    const timer = setTimeout(() => socket.destroy(), parts.limits.refusedMillis)
    socket.once("close", () => clearTimeout(timer))
  })
  return plain
}

/** When the server closes, its connections finish by the rules of `Connections`. */
const onClose = (server: Http.Server, stop: () => void): void => {
  const close = server.close.bind(server)
  server.closeIdleConnections = () => {} // `close` would end them immediately, even with a request on the way
  server.close = (done) => {
    stop()
    return close(done)
  }
}

/** Builds a server without handler and port. */
export const build = (parts: Parts): Built => {
  const connections = new Connections(parts.limits, parts.cappedBy)
  const server = Option.match(parts.tls, {
    onNone: () => Http.createServer(serverOptions(parts.limits)),
    onSome: ({ cert, key }): Http.Server =>
      Https.createServer({
        ...serverOptions(parts.limits),
        cert,
        key,
        ALPNProtocols: ["http/1.1", "http/1.0"],
        minVersion: "TLSv1.2",
        ciphers,
        secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
        handshakeTimeout: parts.limits.handshakeMillis
      })
  })
  prepare(server, connections, false, parts)
  const onRequest = (request: Http.IncomingMessage, response: Http.ServerResponse) => {
    connections.requested(request, response)
    limitBody(request, parts.limits.bodyMillis, () => {
      server.emit("clientError", Object.assign(new Error(late), { code: late }), request.socket)
    })
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
    connections.handshaking(socket)
    for (const handshake of handshakes) handshake.call(server, socket)
  }
  const onPlain = (socket: Socket) => {
    connections.passedOn(socket)
    plain.emit("connection", socket)
  }
  server.on("connection", (socket) => {
    if (connections.opened(socket)) sniff(socket, parts.limits.firstByteMillis, onTls, onPlain)
  })
  server.on("secureConnection", connections.secured)
  return { server, plain: Option.some(plain) }
}
