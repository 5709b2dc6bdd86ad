import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"

/** The time after which all remaining connections are closed. Interrupted requests still get a response before it. */
const cutMillis = 24_500

/**
 * The open connections and their pending responses. When the server stops, idle connections get a grace period: a
 * client may already have sent a request.
 */
export class Connections {
  readonly #graceMillis: number
  readonly #open = new Set<Socket>()
  readonly #answering = new Map<Duplex, ServerResponse>()
  #cut: NodeJS.Timeout | undefined

  constructor(graceMillis: number) {
    this.#graceMillis = graceMillis
  }

  get #isStopping(): boolean {
    return this.#cut !== undefined
  }

  /** Tracks a connection until it closes or is handed over. */
  readonly opened = (socket: Socket): void => {
    this.#open.add(socket)
    socket.once("close", () => this.#open.delete(socket))
    if (this.#isStopping) this.#closeUnlessUsed(socket)
  }

  /** Stops tracking: the connection continues as another object, such as the TLS connection over it. */
  readonly passedOn = (socket: Socket): void => {
    this.#open.delete(socket)
  }

  readonly requested = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request
    this.#answering.set(socket, response)
    if (this.#isStopping) response.setHeader("Connection", "close")
    response.on("close", () => {
      if (this.#answering.get(socket) === response) this.#answering.delete(socket)
      if (this.#isStopping) this.#closeUnlessUsed(socket)
    })
  }

  /** Whether a response on the connection has started. */
  hasAnswered(socket: Duplex): boolean {
    return this.#answering.get(socket)?.headersSent === true
  }

  /** Closes connections: busy ones after the response, idle ones after the grace period, all at the deadline. */
  stop(): void {
    if (this.#isStopping) return
    this.#cut = setTimeout(() => {
      for (const socket of this.#open) socket.destroy()
    }, cutMillis)
    for (const response of this.#answering.values()) {
      if (!response.headersSent) response.setHeader("Connection", "close")
    }
    for (const socket of this.#open) this.#closeUnlessUsed(socket)
  }

  /** Cancels the timers. */
  readonly stopped = (): void => clearTimeout(this.#cut)

  #closeUnlessUsed(socket: Socket): void {
    const close = () => {
      if (this.#open.has(socket) && !this.#answering.has(socket)) socket.destroy()
    }
    setTimeout(close, this.#graceMillis).unref() // the socket keeps the process alive
  }
}
