/**
 * A load balancer for several servers behind one port. It distributes requests, not connections, so that consecutive
 * requests of a client reach different servers.
 */
import { createServer, type IncomingMessage, request as requestPlain, type ServerResponse } from "node:http"
import { Agent, createServer as createServerTls, request as requestTls } from "node:https"
import { connect, createServer as createTcpServer, type Socket } from "node:net"
import { buffer } from "node:stream/consumers"
import { listen } from "../Listen.ts"

/** A server at a port of this machine that accepts TLS and refuses plain HTTP. */
export interface Backend {
  readonly port: number
  /** Its certificate, as PEM. */
  readonly cert: string
}

export interface Balancer {
  readonly port: number
  readonly close: () => void
  /** The requests that each server got, and the number of lost responses. */
  readonly passedOn: ReadonlyArray<number>
  readonly lost: () => number
}

/** The first byte of a TLS connection (RFC 8446, section 5.1). */
const handshake = 22

/** How long a server may be silent: less than clients wait. */
const silenceMillis = 8_000

/** How often each server's port is probed, and how long a probe may take. */
const watchMillis = 250
const connectMillis = 2_000

/** Headers of a single connection (RFC 9110, section 7.6.1). */
const ofOneHop = new Set(["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"])

const passedOnHeaders = ({ rawHeaders }: IncomingMessage): Array<string> =>
  rawHeaders.filter((_, index) => !ofOneHop.has((rawHeaders[index - (index % 2)] ?? "").toLowerCase()))

/** Whether the server refused the connection, so that the request had no effect. */
const isRefused = (error: Error): boolean =>
  "code" in error && (error.code === "ECONNREFUSED" || error.code === "EHOSTUNREACH")

/** Calls `isGone` each time that a port refuses connections. */
const watch = (port: number, isGone: () => void): NodeJS.Timeout =>
  setInterval(() => {
    const probe = connect({ port, host: "127.0.0.1", timeout: connectMillis }, () => probe.destroy())
    probe.once("error", isGone).once("timeout", () => probe.destroy(new Error("no connection in time")))
  }, watchMillis)

/** How long a patient balancer repeats a request that a server did not accept. */
const patienceMillis = 60_000

/** Chooses the server of a request by its URL and its number. By default, the servers take turns. */
export type Choose = (url: string, turn: number) => number

/** Starts a balancer in front of these servers, with its own key and certificate. */
export const balance = async (
  backends: ReadonlyArray<Backend>,
  own: { readonly cert: string; readonly key: string },
  choose: Choose = (_, turn) => turn % backends.length,
  /** Whether to repeat requests that get 503 with `Retry-After`, as their clients should. */
  isPatient = false
): Promise<Balancer> => {
  const agents = backends.map(({ cert }) => new Agent({ ca: cert, keepAlive: true }))
  // A killed container does not close its connections. Without the probes, requests in flight would wait forever.
  const watches = backends.map(({ port }, index) => watch(port, () => agents[index]?.destroy()))
  const passedOn = backends.map(() => 0)
  let turn = 0
  let lost = 0

  /** Sends a request to a server, or to the next one if that refuses the connection. `left` were not tried. */
  const pass = (
    incoming: IncomingMessage,
    body: Buffer,
    response: ServerResponse,
    isTls: boolean,
    index: number,
    left = backends.length,
    until = Date.now() + patienceMillis
  ): void => {
    const backend = backends[index]
    if (backend === undefined) return
    const { method = "GET", url = "/" } = incoming
    const headers = passedOnHeaders(incoming)
    if (body.length > 0 && incoming.headers["content-length"] === undefined) {
      headers.push("Content-Length", String(body.length))
    }
    const options = { host: "127.0.0.1", port: backend.port, method, path: url, headers, setHost: false }
    const outgoing = isTls
      ? requestTls({ ...options, agent: agents[index], servername: "localhost" })
      : requestPlain({ ...options, agent: false })
    outgoing.once("response", (answer) => {
      const seconds = Number(answer.headers["retry-after"])
      if (isPatient && answer.statusCode === 503 && seconds > 0 && Date.now() < until) {
        answer.resume()
        setTimeout(() => pass(incoming, body, response, isTls, index, backends.length, until), 500)
        return
      }
      response.writeHead(answer.statusCode ?? 502, answer.statusMessage, passedOnHeaders(answer))
      answer.once("error", () => {
        lost += 1
        response.destroy()
      })
      answer.pipe(response)
    })
    outgoing.setTimeout(silenceMillis, () => outgoing.destroy(new Error("no answer in time")))
    outgoing.once("error", (error) => {
      if (response.headersSent) return
      if (isRefused(error) && left > 1) {
        return pass(incoming, body, response, isTls, (index + 1) % backends.length, left - 1, until)
      }
      lost += 1
      response.writeHead(502).end()
    })
    passedOn[index] = (passedOn[index] ?? 0) + 1
    outgoing.end(body)
  }

  const handler = (isTls: boolean) => (incoming: IncomingMessage, response: ServerResponse) => {
    buffer(incoming).then(
      (body) => pass(incoming, body, response, isTls, choose(incoming.url ?? "/", turn++)),
      () => response.destroy()
    )
  }
  const limits = { maxHeaderSize: 65_536, keepAlive: true }
  const [tls, plain] = [createServerTls({ ...own, ...limits }, handler(true)), createServer(limits, handler(false))]
  const sockets = new Set<Socket>()
  const front = createTcpServer((socket) => {
    sockets.add(socket)
    socket.once("close", () => sockets.delete(socket)).on("error", () => socket.destroy())
    socket.once("data", (first: Buffer) => {
      socket.pause()
      socket.unshift(first)
      const server = first[0] === handshake ? tls : plain
      server.emit("connection", socket)
      process.nextTick(() => socket.resume())
    })
  })
  const port = await listen(front)
  return {
    port,
    passedOn,
    lost: () => lost,
    close: () => {
      front.close()
      for (const watching of watches) clearInterval(watching)
      for (const socket of sockets) socket.destroy()
      for (const agent of agents) agent.destroy()
    }
  }
}
