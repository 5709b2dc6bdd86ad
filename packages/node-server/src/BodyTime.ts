import type { IncomingMessage } from "node:http"

/** The timers of bodies that are still arriving. */
const timers = new WeakMap<IncomingMessage, NodeJS.Timeout>()

/** Calls `onLate` if the body of a request does not arrive in time, whether anybody reads it or not. */
export const limitBody = (message: IncomingMessage, millis: number, onLate: () => void): void => {
  const { "content-length": length, "transfer-encoding": coding } = message.headers
  if (coding === undefined && (length === undefined || length === "0")) return // it has no body
  const look = () => {
    if (!message.complete) onLate()
  }
  timers.set(message, setTimeout(look, millis).unref())
  message.once("close", () => clearTimeout(timers.get(message)))
}

/** The largest body that a slow line must send in the ordinary time. */
const ordinaryBytes = 1024 * 1024

/** Gives a body that may be large the time of an upload, which the server limits for all requests. */
export const allowUpload = (message: IncomingMessage, limitBytes: number): void => {
  if (limitBytes > ordinaryBytes) clearTimeout(timers.get(message))
}
