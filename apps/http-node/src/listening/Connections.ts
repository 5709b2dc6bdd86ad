import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"

/** When every connection that is left is cut: a request that is interrupted after the drain still gets its answer. */
const cutMillis = 24_500

/**
 * The open connections, and what each is being answered. Once the server stops, a connection without a request has so
 * long to bring one: a client may have sent it before it could know.
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

  /** From now on it is ours to close, until it is closed or another's. */
  readonly opened = (socket: Socket): void => {
    this.#open.add(socket)
    socket.once("close", () => this.#open.delete(socket))
    if (this.#isStopping) this.#closeUnlessUsed(socket)
  }

  /** It goes on as another one: the encrypted one over it, or one that is opened once more. */
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

  /** Whether an answer to the connection's request is on its way already. */
  hasAnswered(socket: Duplex): boolean {
    return this.#answering.get(socket)?.headersSent === true
  }

  /** What is in flight is answered and its connection closed; the others are closed after their grace, at last all. */
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

  /** There is nothing left to stop. */
  readonly stopped = (): void => clearTimeout(this.#cut)

  #closeUnlessUsed(socket: Socket): void {
    const close = () => {
      if (this.#open.has(socket) && !this.#answering.has(socket)) socket.destroy()
    }
    setTimeout(close, this.#graceMillis).unref() // the socket itself keeps the process going
  }
}
