import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { networksOf } from "@wcs/domain/access/Networks"

/** The time after which all remaining connections are closed. Interrupted requests still get a response before it. */
const cutMillis = 24_500

/** The caps of open connections, and the grace period of idle ones when the server stops. */
export interface Caps {
  readonly connections: number
  readonly connectionsPerAddress: number
  readonly graceMillis: number
}

/** Connections of one client, or of one of its networks. */
interface Client {
  readonly key: string
  /** The maximum of open connections. */
  readonly most: number
  open: number
  /** Those without a request, longest idle first. */
  readonly idle: Set<OpenConnection>
}

/** An open connection. */
interface OpenConnection {
  /** The client and its networks; empty if only the cap of all connections applies. */
  readonly clients: ReadonlyArray<Client>
  readonly ports: string
  /** The socket that carries the requests: after a handshake, the TLS connection over the accepted socket. */
  socket: Socket
  /** The last response that has not ended. */
  answering: ServerResponse | undefined
  isOpen: boolean
}

/** The key that an accepted socket shares with the TLS connection over it. */
const portsOf = ({ localAddress, localPort, remoteAddress, remotePort }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`

/**
 * The open connections and their pending responses. At a cap of a client, of one of its networks or of all, the
 * connection that has been idle longest makes room for a new one. A connection with a pending response is never closed
 * for another one. When the server stops, idle connections get a grace period: a client may already have sent a request.
 */
export class Connections {
  readonly #caps: Caps
  readonly #keyOf: (socket: Socket) => string | undefined
  readonly #clients = new Map<string, Client>()
  readonly #bySocket = new Map<Duplex, OpenConnection>()
  readonly #handshaking = new Map<string, OpenConnection>()
  /** Those without a request, longest idle first. */
  readonly #idle = new Set<OpenConnection>()
  #open = 0
  #cut: NodeJS.Timeout | undefined

  /** `keyOf` returns the key of a connection's client; undefined if only the cap of all connections applies. */
  constructor(caps: Caps, keyOf: (socket: Socket) => string | undefined) {
    this.#caps = caps
    this.#keyOf = keyOf
  }

  get #isStopping(): boolean {
    return this.#cut !== undefined
  }

  /** Tracks a new connection until it closes. Closes it and returns false if there is no room. */
  readonly opened = (socket: Socket): boolean => {
    const clients = this.#clientsOf(socket)
    for (const { idle, most, open } of clients) if (open >= most) this.#closeLongestIdle(idle)
    if (this.#open >= this.#caps.connections) this.#closeLongestIdle(this.#idle)
    if (this.#open >= this.#caps.connections || clients.some(({ most, open }) => open >= most)) {
      socket.destroy()
      return false
    }
    this.#hold(socket, clients)
    return true
  }

  /** Stops tracking: another server tracks the connection anew. */
  readonly passedOn = (socket: Socket): void => {
    const held = this.#bySocket.get(socket)
    if (held !== undefined) this.#release(held)
  }

  /** Marks the connection as one whose requests will come over TLS. */
  readonly handshaking = (socket: Socket): void => {
    const held = this.#bySocket.get(socket)
    if (held !== undefined) this.#handshaking.set(held.ports, held)
  }

  /** Continues a connection as the TLS connection over it. */
  readonly secured = (socket: Socket): void => {
    const held = this.#handshaking.get(portsOf(socket))
    if (held === undefined) {
      socket.destroy() // a new connection took its place
      return
    }
    this.#handshaking.delete(held.ports)
    this.#bySocket.delete(held.socket)
    held.socket = socket
    this.#track(held)
  }

  readonly requested = (request: IncomingMessage, response: ServerResponse): void => {
    const held = this.#bySocket.get(request.socket)
    if (this.#isStopping) response.setHeader("Connection", "close")
    if (held === undefined) return
    held.answering = response
    this.#idle.delete(held)
    for (const { idle } of held.clients) idle.delete(held)
    response.on("close", () => {
      if (held.answering !== response) return // the client has already sent the next request
      held.answering = undefined
      if (!held.isOpen) return
      this.#addIdle(held)
      if (this.#isStopping) this.#closeUnlessUsed(held)
    })
  }

  /** Whether a response on the connection has started. */
  hasAnswered(socket: Duplex): boolean {
    return this.#bySocket.get(socket)?.answering?.headersSent === true
  }

  /** Closes connections: busy ones after the response, idle ones after the grace period, all at the deadline. */
  stop(): void {
    if (this.#isStopping) return
    this.#cut = setTimeout(() => {
      for (const socket of this.#bySocket.keys()) socket.destroy()
    }, cutMillis)
    for (const held of this.#bySocket.values()) {
      if (held.answering?.headersSent === false) held.answering.setHeader("Connection", "close")
      this.#closeUnlessUsed(held)
    }
  }

  /** Cancels the timers. */
  readonly stopped = (): void => clearTimeout(this.#cut)

  /** The client of a connection and its networks. A wider network than that of an address gets a quarter of all places. */
  #clientsOf(socket: Socket): ReadonlyArray<Client> {
    const { connections, connectionsPerAddress } = this.#caps
    const key = this.#keyOf(socket)
    const wide = Math.max(connectionsPerAddress, Math.floor(connections / 4))
    return (key === undefined ? [] : networksOf(key)).map(
      (network) =>
        this.#clients.get(network) ?? {
          key: network,
          most: network === key ? connectionsPerAddress : wide,
          open: 0,
          idle: new Set<OpenConnection>()
        }
    )
  }

  #hold(socket: Socket, clients: ReadonlyArray<Client>): void {
    const held: OpenConnection = { clients, ports: portsOf(socket), socket, answering: undefined, isOpen: true }
    this.#open++
    for (const client of clients) {
      this.#clients.set(client.key, client)
      client.open++
    }
    this.#addIdle(held)
    this.#track(held)
    socket.once("close", () => this.#release(held))
  }

  #track(held: OpenConnection): void {
    this.#bySocket.set(held.socket, held)
    if (this.#isStopping) this.#closeUnlessUsed(held)
  }

  #addIdle(held: OpenConnection): void {
    this.#idle.add(held)
    for (const { idle } of held.clients) idle.add(held)
  }

  #release(held: OpenConnection): void {
    if (!held.isOpen) return
    held.isOpen = false
    this.#open--
    this.#idle.delete(held)
    this.#bySocket.delete(held.socket)
    if (this.#handshaking.get(held.ports) === held) this.#handshaking.delete(held.ports)
    for (const client of held.clients) {
      client.open--
      client.idle.delete(held)
      if (client.open === 0) this.#clients.delete(client.key)
    }
  }

  #closeLongestIdle(idle: ReadonlySet<OpenConnection>): void {
    const [held] = idle
    if (held === undefined) return
    this.#release(held)
    held.socket.destroy()
  }

  #closeUnlessUsed(held: OpenConnection): void {
    const { socket } = held
    const close = () => {
      if (held.isOpen && held.socket === socket && held.answering === undefined) socket.destroy()
    }
    setTimeout(close, this.#caps.graceMillis).unref() // the socket keeps the process alive
  }
}
