// Opens connections that do nothing, or send a byte now and then, and opens others for those that the server closes.
import { connect, type Socket } from "node:net"
import { Counts, ending, given, tell, waited } from "./Program.ts"
import { addressOf, openTls, type Target } from "./Wire.ts"

export interface Hold {
  readonly target: Target
  readonly host: string
  readonly token: string
  /** The number of connections of each kind. */
  readonly silent: number
  readonly handshaken: number
  readonly slowHeaders: number
  readonly slowBodies: number
}

const { target, ...asked } = given as Hold

const counts = new Counts()
const held = new Set<Socket>()
let turn = 0

const address = (): string => addressOf(turn++)

const tcp = (): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port: target.port, host: "127.0.0.1", localAddress: address() }, () => resolve(socket))
    socket.once("error", reject)
  })
const tls = (): Promise<Socket> => openTls(target, address())

const head = `POST /openapi/v1/workers HTTP/1.1\r\nHost: ${asked.host}\r\nAuthorization: Bearer ${asked.token}\r\n`
const json = "Content-Type: application/json\r\nContent-Length: 500000\r\n\r\n"

const kinds: ReadonlyArray<{
  readonly name: "silent" | "handshaken" | "slowHeaders" | "slowBodies"
  readonly open: () => Promise<Socket>
  readonly first: string
  readonly drip: string
}> = [
  { name: "silent", open: tcp, first: "", drip: "" },
  { name: "handshaken", open: tls, first: "", drip: "" },
  { name: "slowHeaders", open: tls, first: `${head}X-Slow: `, drip: "x" },
  { name: "slowBodies", open: tls, first: `${head}${json}{"identity":{"displayName":"`, drip: "x" }
]

/** Holds one connection until the server closes it. */
const hold = async ({ drip, first, name, open }: (typeof kinds)[number]): Promise<void> => {
  const socket = await open()
  held.add(socket)
  socket.on("error", () => {}).resume()
  if (first !== "") socket.write(first)
  const closed = new Promise((resolve) => socket.once("close", resolve))
  const dripping = drip === "" ? undefined : setInterval(() => socket.write(drip), 2000)
  await closed
  clearInterval(dripping)
  held.delete(socket)
  counts.add(`${name} closed`)
}

const holder = async (kind: (typeof kinds)[number]): Promise<void> => {
  while (!ending.signal.aborted) {
    await hold(kind).catch(() => counts.add(`${kind.name} refused`))
    await waited(200)
  }
}

const goal = kinds.reduce((sum, { name }) => sum + asked[name], 0)
for (const kind of kinds) {
  for (let number = 0; number < asked[kind.name]; number++) {
    void holder(kind)
    if (number % 50 === 49) await waited(20) // no more handshakes at once than a server can make in time
  }
}
for (let round = 0; held.size < goal * 0.99 && round < 600; round++) await waited(100)
tell(held.size)
while (!ending.signal.aborted) await waited(60_000)
tell({ held: held.size, ...counts.all() })
process.exit()
