import { connect, type Socket } from "node:net"

export interface Reply {
  readonly status: number
  readonly body: string
}

const headEnd = "\r\n\r\n"
const contentLength = /\r\ncontent-length: (\d+)\r\n/i

/**
 * A persistent HTTP/1.1 connection with one request at a time. It parses only status and body of a response: a client
 * as expensive as the server would measure itself.
 */
export class Connection {
  readonly #socket: Socket
  #buffered: Buffer = Buffer.alloc(0)
  #done: ((reply: Reply) => void) | undefined
  #failed: ((error: Error) => void) | undefined

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on("data", (chunk) => this.#receive(chunk))
    socket.on("error", (error) => this.#fail(error))
    socket.on("close", () => this.#fail(new Error("the server closed the connection")))
  }

  static open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: "127.0.0.1" })
      socket.once("error", reject)
      socket.once("connect", () => {
        socket.off("error", reject)
        resolve(new Connection(socket))
      })
    })
  }

  /** Sends the text of a request. Calls `done` with the response, or `failed` with the reason. */
  send(request: string, done: (reply: Reply) => void, failed: (error: Error) => void): void {
    this.#done = done
    this.#failed = failed
    this.#socket.write(request, "latin1")
  }

  close(): void {
    this.#failed = undefined
    this.#socket.destroy()
  }

  #fail(error: Error): void {
    const failed = this.#failed
    this.#failed = undefined
    failed?.(error)
  }

  #receive(chunk: Buffer): void {
    this.#buffered = this.#buffered.length === 0 ? chunk : Buffer.concat([this.#buffered, chunk])
    const reply = replyIn(this.#buffered)
    if (reply === undefined) return
    this.#buffered = Buffer.alloc(0)
    if (reply instanceof Error) this.#fail(reply)
    else this.#done?.(reply)
  }
}

/** The response in the bytes so far; undefined while incomplete. */
const replyIn = (bytes: Buffer): Reply | Error | undefined => {
  const end = bytes.indexOf(headEnd)
  if (end === -1) return undefined
  const head = bytes.toString("latin1", 0, end + 2)
  const length = contentLength.exec(head)?.[1]
  if (length === undefined) return new Error(`a response without a length: ${head}`)
  const total = end + headEnd.length + Number(length)
  if (bytes.length > total) return new Error("more bytes came back than the response has")
  if (bytes.length < total) return undefined
  return { status: Number(head.slice(9, 12)), body: bytes.toString("utf8", end + headEnd.length, total) }
}
