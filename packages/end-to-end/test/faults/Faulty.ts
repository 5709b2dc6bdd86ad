import { createServer as createHttpServer, type RequestListener } from "node:http"
import { createServer, type Socket } from "node:net"
import { listen } from "@wcs/end-to-end/Listen"
import { Effect, type Scope } from "effect"

/** How a server treats connections: it answers, says nothing, or sends a response byte by byte. */
export type Manner = "answer" | "hang" | "drip"

/** A server on this machine that does not answer until it is healed. */
export interface Faulty {
  readonly port: number
  /** The number of connections that got no answer. */
  readonly starved: () => number
  /** Breaks the open connections. From now on every request is answered. */
  readonly heal: Effect.Effect<void>
}

/** Slower than every timeout of the service, and never silent. */
const dripMillis = 500

const drip = (socket: Socket): void => {
  const response = "HTTP/1.1 200 OK\r\nX-Slow: "
  let at = 0
  const timer = setInterval(() => socket.write(response[at++] ?? "x"), dripMillis)
  socket.once("close", () => clearInterval(timer))
}

/** Starts a server with a fault, for the lifetime of the scope. */
export const faulty = (manner: Manner, listener: RequestListener): Effect.Effect<Faulty, never, Scope.Scope> =>
  Effect.gen(function* () {
    const open = new Set<Socket>()
    let present = manner
    let starved = 0
    const answering = createHttpServer(listener)
    const server = createServer((socket) => {
      open.add(socket)
      socket.on("error", () => {}).once("close", () => open.delete(socket))
      if (present === "answer") {
        answering.emit("connection", socket)
        return
      }
      starved++
      socket.resume()
      if (present === "drip") drip(socket)
    })
    const breakAll = () => {
      for (const socket of open) socket.destroy()
    }
    const port = yield* Effect.acquireRelease(
      Effect.promise(() => listen(server)),
      () =>
        Effect.sync(() => {
          server.close()
          breakAll()
        })
    )
    return {
      port,
      starved: () => starved,
      heal: Effect.sync(() => {
        present = "answer"
        breakAll()
      })
    }
  })
