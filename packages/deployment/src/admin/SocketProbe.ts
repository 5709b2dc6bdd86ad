import { connect } from "node:net"
import { reasonOf } from "@wcs/node-server/StartRefused"
import { Effect } from "effect"

/** How a connection to a socket file fails if no process listens there. A process that died leaves its file. */
const isDead = ["ECONNREFUSED", "ENOENT", "ENOTDIR", "ENOTSOCK"]

/** Whether a process listens on a socket file, even if it is too busy to answer. */
export const isListening = (path: string): Effect.Effect<boolean> =>
  Effect.callback((resume) => {
    const socket = connect(path)
    const settle = (found: boolean) => {
      socket.destroy()
      resume(Effect.succeed(found))
    }
    socket.once("connect", () => settle(true)).once("error", (cause) => settle(!isDead.includes(reasonOf(cause))))
    return Effect.sync(() => socket.destroy())
  })
