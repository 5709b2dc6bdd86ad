/**
 * Several servers behind one port, as a deployment has them. It passes on each request, not each connection: a client keeps
 * its connections, and what one server was told the next request asks another one about.
 */
import { createServer, type IncomingMessage, request as requestPlain, type ServerResponse } from "node:http"
import { Agent, createServer as createServerTls, request as requestTls } from "node:https"
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from "node:net"
import { buffer } from "node:stream/consumers"

/** A server that takes TLS and refuses plain HTTP at one port of this machine. */
export interface Backend {
  readonly port: number
  /** PEM of what it shows. */
  readonly cert: string
}

export interface Balancer {
  readonly port: number
  readonly close: () => void
  /** How many requests each server was given, and how many answers were lost on their way. */
  readonly passedOn: ReadonlyArray<number>
  readonly lost: () => number
}

/** What a TLS connection begins with (RFC 8446, section 5.1). */
const handshake = 22

/** How long a server may say nothing: less than a client waits. */
const silenceMillis = 8_000

/** How often a server is asked whether it still takes connections, and how long it may take. */
const watchMillis = 250
const connectMillis = 2_000

/** Speaks of the connection that a message came by (RFC 9110, section 7.6.1). */
const ofOneHop = new Set(["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"])

const passedOnHeaders = ({ rawHeaders }: IncomingMessage): Array<string> =>
  rawHeaders.filter((_, index) => !ofOneHop.has((rawHeaders[index - (index % 2)] ?? "").toLowerCase()))

/** Nobody has seen the request: the server took no connection. */
const isRefused = (error: Error): boolean =>
  "code" in error && (error.code === "ECONNREFUSED" || error.code === "EHOSTUNREACH")

/** Tells each time that a port of this machine takes no connection. */
const watch = (port: number, isGone: () => void): NodeJS.Timeout =>
  setInterval(() => {
    const probe = connect({ port, host: "127.0.0.1", timeout: connectMillis }, () => probe.destroy())
    probe.once("error", isGone).once("timeout", () => probe.destroy(new Error("no connection in time")))
  }, watchMillis)

const listening = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port))
  })

/** In front of these servers, with a key and certificate of its own. */
export const balance = async (
  backends: ReadonlyArray<Backend>,
  own: { readonly cert: string; readonly key: string }
): Promise<Balancer> => {
  const agents = backends.map(({ cert }) => new Agent({ ca: cert, keepAlive: true }))
  // A killed container does not close its connections. The watch does, or requests in flight would wait forever.
  const watches = backends.map(({ port }, index) => watch(port, () => agents[index]?.destroy()))
  const passedOn = backends.map(() => 0)
  let turn = 0
  let lost = 0

  /** One request to a server, or to one after it where that takes no connection; `left` of them have not been asked. */
  const pass = (
    incoming: IncomingMessage,
    body: Buffer,
    response: ServerResponse,
    isTls: boolean,
    index: number,
    left = backends.length
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
        return pass(incoming, body, response, isTls, (index + 1) % backends.length, left - 1)
      }
      lost += 1
      response.writeHead(502).end()
    })
    passedOn[index] = (passedOn[index] ?? 0) + 1
    outgoing.end(body)
  }

  const handler = (isTls: boolean) => (incoming: IncomingMessage, response: ServerResponse) => {
    buffer(incoming).then(
      (body) => pass(incoming, body, response, isTls, turn++ % backends.length),
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
  const port = await listening(front)
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
