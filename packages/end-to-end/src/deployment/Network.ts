/** A simulated network before a deployment: it delays bytes and resets some connections. */
import { createHash } from "node:crypto"
import { connect, createServer, type Socket } from "node:net"
import { listen } from "../Listen.ts"

export interface Way {
  /** The round-trip delay. */
  readonly delayMillis: number
  /** The percentage of sent parts after which the connection is reset. */
  readonly resetPercent: number
  /** The seed that selects these parts. */
  readonly seed: number
}

export interface Network {
  /** The local port that leads to the deployment. */
  readonly port: number
  readonly told: () => string
  readonly close: () => void
}

/** Forwards bytes from one end to the other with a delay, in order. */
const carry = (from: Socket, to: Socket, millis: number, passes: (part: Buffer) => boolean) => {
  from.on("data", (part: Buffer) => {
    if (passes(part)) setTimeout(() => to.writable && to.write(part), millis)
  })
  from.on("end", () => setTimeout(() => to.end(), millis))
  from.on("close", () => setTimeout(() => to.destroy(), millis))
  from.on("error", () => to.destroy())
}

/** Opens a simulated network to a local port. */
export const network = async (port: number, { delayMillis, resetPercent, seed }: Way): Promise<Network> => {
  const sockets = new Set<Socket>()
  const counts = { connections: 0, parts: 0, resets: 0 }
  /** A number between 0 and 100 for each part. */
  const drawn = () => {
    counts.parts += 1
    return (createHash("sha256").update(`${seed} ${counts.parts}`).digest().readUInt32BE() / 2 ** 32) * 100
  }
  const server = createServer((near) => {
    const far = connect({ port, host: "127.0.0.1", noDelay: true })
    counts.connections += 1
    let isBreaking = false
    const reset = () => {
      counts.resets += 1
      near.resetAndDestroy()
      far.destroy()
      return false
    }
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.once("close", () => sockets.delete(socket))
    }
    // half of the parts before the deployment gets them, half after its response
    carry(near, far, delayMillis / 2, () => {
      const chance = drawn()
      if (chance < resetPercent / 2) return reset()
      isBreaking ||= chance < resetPercent
      return true
    })
    carry(far, near, delayMillis / 2, () => (isBreaking ? reset() : true))
  })
  return {
    port: await listen(server),
    told: () => `${counts.connections} connections, ${counts.parts} parts sent, ${counts.resets} of them reset`,
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    }
  }
}
