import { subscribe, unsubscribe } from "node:diagnostics_channel"
import type { Socket } from "node:net"
import { Effect, Layer, Predicate } from "effect"

// undici, and so Node's `fetch`, destroys a connection at a `100 Continue` that it did not ask for. Some servers send one
// to every POST, for example IIS. RFC 9110, section 15.2, makes a client parse any number of interim responses.

/** Limits of the interim responses before one final response. */
const mostInterim = 20
const mostInterimBytes = 16 * 1024

/** The start of an interim response. A question mark stands for any byte. */
const pattern = "HTTP/1.? 1??"
const switching = "101"
const headEnd = "\r\n\r\n"

/** undici writes the head of a request as one text, and a body as bytes. */
const requestHead = /^[A-Z]+ /

/** A receiver sent more interim responses than the limits allow. */
export class TooManyInterim extends Error {
  readonly code = "WCS_ERR_TOO_MANY_INTERIM"
}

/** Whether these bytes are or could become an interim response. 101 is final: the connection changes its protocol. */
const couldBeInterim = (start: string): boolean =>
  [...start].every((letter, at) => pattern[at] === "?" || pattern[at] === letter) && !start.endsWith(switching)

/** Removes the interim responses from the bytes of one connection. Requests are not pipelined. */
class Skipping {
  private isAwaiting = false
  private rest: Buffer = Buffer.alloc(0)
  private count = 0
  private bytes = 0

  /** After the head of a request, a response begins with the next bytes. */
  sent(chunk: unknown): void {
    if (typeof chunk !== "string" || !requestHead.test(chunk)) return
    this.isAwaiting = true
    this.count = 0
    this.bytes = 0
  }

  /** Returns the bytes of the final response, null if there are none yet. */
  received(chunk: Buffer): Buffer | null {
    if (!this.isAwaiting) return chunk
    let unread = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk])
    while (couldBeInterim(unread.toString("latin1", 0, pattern.length))) {
      const end = unread.length < pattern.length ? -1 : unread.indexOf(headEnd)
      const length = end === -1 ? unread.length : end + headEnd.length
      if (this.bytes + length > mostInterimBytes) throw new TooManyInterim()
      this.rest = unread
      if (end === -1) return null
      this.count += 1
      if (this.count > mostInterim) throw new TooManyInterim()
      this.bytes += length
      unread = unread.subarray(length)
    }
    this.isAwaiting = false
    this.rest = Buffer.alloc(0)
    return unread
  }
}

/** Makes a client of undici read only the final responses of a connection. */
const skip = (socket: Socket): void => {
  const skipping = new Skipping()
  const read = socket.read.bind(socket)
  const write = socket.write.bind(socket) as (...given: ReadonlyArray<unknown>) => boolean
  socket.write = (...given: ReadonlyArray<unknown>) => {
    skipping.sent(given[0])
    return write(...given)
  }
  socket.read = (size) => {
    for (let chunk: Buffer | null = read(size); chunk !== null; chunk = read(size)) {
      try {
        const final = skipping.received(chunk)
        if (final !== null) return final
      } catch (error) {
        socket.destroy(error as Error)
        return null
      }
    }
    return null
  }
}

const onConnected = (message: unknown): void => {
  if (Predicate.hasProperty(message, "socket")) skip(message.socket as Socket)
}

/** The channel of all connections of this process that undici or `fetch` opens. */
const connected = "undici:client:connected"

/** Skips interim responses in all outgoing calls of this process, also those of `fetch`. */
export const layer: Layer.Layer<never> = Layer.effectDiscard(
  Effect.acquireRelease(
    Effect.sync(() => subscribe(connected, onConnected)),
    () => Effect.sync(() => unsubscribe(connected, onConnected))
  )
)
