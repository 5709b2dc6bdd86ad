import { readFileSync } from "node:fs"
import { connect, type TLSSocket } from "node:tls"

/** A server to connect to. */
export interface Target {
  readonly port: number
  readonly certificateFile: string
}

/** A response, without its body. */
export interface Reply {
  readonly status: number
  /** Seconds of `Retry-After`; undefined without the header. */
  readonly retryAfter: number | undefined
  /** The id at the end of `Location`, if any. */
  readonly created: string | undefined
}

/** The text of a request. */
export const requestText = (method: string, path: string, token: string, body?: string, host = "localhost"): string =>
  [
    `${method} ${path} HTTP/1.1`,
    `Host: ${host}`,
    `Authorization: Bearer ${token}`,
    ...(body === undefined ? [] : ["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`]),
    "",
    body ?? ""
  ].join("\r\n")

/** One of many addresses of this machine, so that no limit per address decides. Only Linux has more than one. */
export const addressOf = (number: number): string =>
  process.platform === "linux" ? `127.0.${1 + (Math.floor(number / 200) % 200)}.${1 + (number % 200)}` : "127.0.0.1"

const headEnd = "\r\n\r\n"

/** Opens a TLS connection from an address of this machine. */
export const openTls = ({ certificateFile, port }: Target, localAddress = "127.0.0.1"): Promise<TLSSocket> =>
  new Promise((resolve, reject) => {
    const options = {
      port,
      host: "127.0.0.1",
      servername: "localhost",
      localAddress,
      ca: certificateOf(certificateFile)
    }
    const socket = connect(options, () => resolve(socket.off("error", reject)))
    socket.setNoDelay(true).once("error", reject)
  })

const certificates = new Map<string, Buffer>()

const certificateOf = (file: string): Buffer => {
  const certificate = certificates.get(file) ?? readFileSync(file)
  certificates.set(file, certificate)
  return certificate
}

/** A persistent connection with one request at a time, cheap enough to load a server with many. */
export class Wire {
  readonly #socket: TLSSocket
  #head: Buffer = Buffer.alloc(0)
  #reply: Reply | undefined
  #bodyLeft = 0
  #done: { readonly resolve: (reply: Reply) => void; readonly reject: (error: Error) => void } | undefined

  private constructor(socket: TLSSocket) {
    this.#socket = socket
    socket.on("data", (bytes) => this.#receive(bytes))
    socket.on("error", (error) => this.#fail(error))
    socket.on("close", () => this.#fail(new Error("the server closed the connection")))
  }

  static async open(target: Target, localAddress?: string): Promise<Wire> {
    return new Wire(await openTls(target, localAddress))
  }

  get isOpen(): boolean {
    return this.#socket.writable
  }

  /** Fails if the connection breaks before the response is complete. */
  send(request: string): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.#done = { resolve, reject }
      this.#socket.write(request)
    })
  }

  close(): void {
    this.#done = undefined
    this.#socket.destroy()
  }

  #fail(error: Error): void {
    this.#socket.destroy()
    this.#done?.reject(error)
    this.#done = undefined
  }

  #receive(bytes: Buffer): void {
    if (this.#reply !== undefined) {
      this.#count(bytes.length)
      return
    }
    this.#head = this.#head.length === 0 ? bytes : Buffer.concat([this.#head, bytes])
    const end = this.#head.indexOf(headEnd)
    if (end === -1) return
    const head = this.#head.toString("latin1", 0, end + 2)
    const arrived = this.#head.length - end - headEnd.length
    const retryAfter = /\r\nretry-after: (\d+)\r\n/i.exec(head)?.[1]
    this.#reply = {
      created: /\r\nlocation: \S*\/(\w+)\r\n/i.exec(head)?.[1],
      status: Number(head.slice(9, 12)),
      retryAfter: retryAfter === undefined ? retryAfter : Number(retryAfter)
    }
    this.#bodyLeft = Number(/\r\ncontent-length: (\d+)\r\n/i.exec(head)?.[1] ?? 0)
    this.#head = Buffer.alloc(0)
    this.#count(arrived)
  }

  #count(bytes: number): void {
    this.#bodyLeft -= bytes
    if (this.#bodyLeft > 0 || this.#reply === undefined) return
    const reply = this.#reply
    this.#reply = undefined
    const done = this.#done
    this.#done = undefined
    done?.resolve(reply)
  }
}
