import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"

/** How long a connection without a request stays open once the server stops. */
const idleGraceMillis = 1_000
/** When every connection that is left is cut: a request that is interrupted after the drain still gets its answer. */
const cutMillis = 24_500

/** The open connections that speak HTTP, and what each is being answered. */
export class Connections {
  readonly #open = new Set<Socket>()
  readonly #answering = new Map<Duplex, ServerResponse>()
  readonly #timers: Array<NodeJS.Timeout> = []
  #stopping = false

  readonly opened = (socket: Socket): void => {
    this.#open.add(socket)
    socket.once("close", () => this.#open.delete(socket))
  }

  readonly requested = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request
    this.#answering.set(socket, response)
    if (this.#stopping) response.setHeader("Connection", "close")
    response.once("close", () => {
      if (this.#answering.get(socket) === response) this.#answering.delete(socket)
    })
  }

  /** Whether an answer to the connection's request is on its way already. */
  hasAnswered(socket: Duplex): boolean {
    return this.#answering.get(socket)?.headersSent === true
  }

  /** What is in flight is answered and its connection closed; the others are closed, and at last all of them. */
  stop(): void {
    if (this.#stopping) return
    this.#stopping = true
    for (const response of this.#answering.values()) {
      if (!response.headersSent) response.setHeader("Connection", "close")
    }
    this.#timers.push(
      setInterval(() => this.#cut((socket) => !this.#answering.has(socket)), idleGraceMillis),
      setTimeout(() => this.#cut(() => true), cutMillis)
    )
  }

  /** There is nothing left to stop. */
  readonly stopped = (): void => {
    for (const timer of this.#timers) clearTimeout(timer)
  }

  #cut(isOver: (socket: Socket) => boolean): void {
    for (const socket of this.#open) if (isOver(socket)) socket.destroy()
  }
}
