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

/**
 * Gives a body that is read in pieces the time of an upload, which the server limits for all requests. It holds the memory of
 * one piece: a body that is kept as a whole must not hold its share for so long.
 */
export const allowUpload = (message: IncomingMessage): void => clearTimeout(timers.get(message))
