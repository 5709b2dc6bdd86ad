import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

/** As `pool_mode` of pgbouncer: how long a client keeps a session of the server. */
export type PoolMode = "session" | "transaction"

/** The parameters of a connection that pgbouncer accepts by default. It refuses any other. */
const accepted = new Set([
  ...["user", "database", "client_encoding", "datestyle", "timezone", "intervalstyle"],
  ...["standard_conforming_strings", "application_name"]
])

const requestOf = { cancel: 80_877_102, tls: 80_877_103 }

/** Cuts a stream into messages. The first messages of a client have no type. */
class Frames {
  #rest = Buffer.alloc(0)

  push(chunk: Buffer, isTyped: () => boolean, take: (frame: Buffer) => void): void {
    this.#rest = Buffer.concat([this.#rest, chunk])
    while (true) {
      const start = isTyped() ? 1 : 0
      const end = this.#rest.length < start + 4 ? Number.POSITIVE_INFINITY : start + this.#rest.readInt32BE(start)
      if (end > this.#rest.length) return
      const frame = this.#rest.subarray(0, end)
      this.#rest = this.#rest.subarray(end)
      take(frame)
    }
  }
}

/** Reads texts that end with a zero byte. */
const textAt = (frame: Buffer, begin: number): string => frame.toString("utf8", begin, frame.indexOf(0, begin))

/** The values of a Bind message after the names of the portal and of the statement. */
const valuesAt = (frame: Buffer, begin: number): ReadonlyArray<string> => {
  const formats = frame.readInt16BE(begin)
  let at = begin + 2 + 2 * formats
  const count = frame.readInt16BE(at)
  at += 2
  return Array.from({ length: count }, () => {
    const length = Math.max(0, frame.readInt32BE(at))
    at += 4 + length
    return frame.toString("utf8", at - length, at)
  })
}

/** Follows the statements that a client prepares and runs. */
class Heard {
  readonly #prepared = new Map<string, string>()

  /** The statement that a message runs, if any. */
  take(frame: Buffer): readonly [text: string, params: ReadonlyArray<string>] | undefined {
    const type = typeOf(frame)
    if (type === "Q") return [textAt(frame, 5), []]
    const first = textAt(frame, 5)
    const after = 5 + Buffer.byteLength(first) + 1
    if (type === "P") this.#prepared.set(first, textAt(frame, after))
    if (type !== "B") return undefined
    const name = textAt(frame, after)
    return [this.#prepared.get(name) ?? "", valuesAt(frame, after + Buffer.byteLength(name) + 1)]
  }
}

const typeOf = (frame: Buffer): string => frame.toString("latin1", 0, 1)

/** The first parameter that pgbouncer refuses. */
const strangeIn = (startup: Buffer): string | undefined => {
  const words = startup.toString("utf8", 8).split("\0")
  return words.find((word, index) => index % 2 === 0 && word !== "" && !accepted.has(word.toLowerCase()))
}

const refusal = (text: string): Buffer => {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C08P01\0M${text}\0\0`)
  const head = Buffer.alloc(5)
  head.write("E")
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}

interface Backend {
  readonly socket: Socket
  /** The client that has the session. */
  client: Client | undefined
}

interface Client {
  readonly socket: Socket
  backend: Backend | undefined
  isAuthenticated: boolean
  readonly heard: Heard
  /** Requests whose answer is not complete. */
  unanswered: number
}

/** A running pooler. */
export interface Pooler {
  /** The URL of a database, through the pooler. */
  readonly through: (url: string) => string
  readonly close: () => void
}

/**
 * Starts a pooler in front of a server. Each client authenticates on a session of its own. In transaction mode, the
 * pooler takes the session back whenever the server is ready and no transaction is open, and gives a client the session
 * that became free last. As with pgbouncer, notifications for a client without a session are lost. `hear` gets the text
 * of each statement that a client sends, and the values of its parameters as text; binary ones are unreadable.
 */
export const startPooler = async (
  serverUrl: string,
  mode: PoolMode,
  hear: (statement: string, params: ReadonlyArray<string>) => void = () => {}
): Promise<Pooler> => {
  const { hostname: host, port } = new URL(serverUrl)
  const open = new Set<Socket>()
  const free: Array<Backend> = []

  const track = (socket: Socket, close: () => void) => {
    socket.setNoDelay()
    open.add(socket)
    socket.on("error", () => socket.destroy())
    socket.on("close", () => {
      open.delete(socket)
      close()
    })
  }
  const release = (client: Client, backend: Backend) => {
    backend.client = undefined
    client.backend = undefined
    free.push(backend)
  }
  const answer = (backend: Backend, frame: Buffer) => {
    const { client } = backend
    if (client === undefined) return
    if (typeOf(frame) === "Z") {
      client.unanswered -= 1
      client.isAuthenticated = true
      if (mode === "transaction" && client.unanswered === 0 && frame.toString("latin1", 5) === "I") {
        release(client, backend)
      }
    }
    client.socket.write(frame)
  }
  /** Opens a session with the parameters and the password of a client. */
  const begin = (client: Client, startup: Buffer) => {
    const strange = strangeIn(startup)
    if (strange !== undefined) return void client.socket.end(refusal(`unsupported startup parameter: ${strange}`))
    const backend: Backend = { socket: connect({ host, port: Number(port) }), client }
    const frames = new Frames()
    client.backend = backend
    client.unanswered = 1
    track(backend.socket, () => {
      backend.client?.socket.destroy()
      if (free.includes(backend)) free.splice(free.indexOf(backend), 1)
    })
    backend.socket.on("data", (chunk: Buffer) =>
      frames.push(
        chunk,
        () => true,
        (frame) => answer(backend, frame)
      )
    )
    backend.socket.write(startup)
  }
  const take = (client: Client, frame: Buffer) => {
    if (client.backend === undefined && !client.isAuthenticated) {
      const code = frame.readInt32BE(4)
      if (code === requestOf.tls) return void client.socket.write("N")
      if (code === requestOf.cancel) return void connect({ host, port: Number(port) }).end(frame)
      return begin(client, frame)
    }
    const type = typeOf(frame)
    if (type === "X") return void client.socket.end()
    if (client.isAuthenticated && (type === "S" || type === "Q")) client.unanswered += 1
    if (client.isAuthenticated && ["P", "B", "Q"].includes(type)) {
      const heard = client.heard.take(frame)
      if (heard !== undefined) hear(...heard)
    }
    const backend = client.backend ?? free.pop()
    if (backend === undefined) return void client.socket.destroy(new Error("no session is free"))
    backend.client = client
    client.backend = backend
    return void backend.socket.write(frame)
  }

  const server = createServer((socket) => {
    const client: Client = { socket, backend: undefined, isAuthenticated: false, heard: new Heard(), unanswered: 0 }
    const frames = new Frames()
    const isTyped = () => client.isAuthenticated || client.backend !== undefined
    track(socket, () => client.backend?.socket.destroy())
    socket.on("data", (chunk: Buffer) => frames.push(chunk, isTyped, (frame) => take(client, frame)))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    through: (url) => {
      const own = new URL(url)
      own.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
      return own.href
    },
    close: () => {
      server.close()
      for (const socket of open) socket.destroy()
    }
  }
}
