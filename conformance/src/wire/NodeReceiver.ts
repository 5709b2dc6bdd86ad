import * as http from "node:http"
import { isIPv6 } from "node:net"
import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import type { ReceiverAddress } from "../profile/Deliveries.ts"
import type { Request } from "./Exchange.ts"
import { NotReceiving, Receiver, type Receives, type Take, without } from "./Receiver.ts"

/** The maximum number of bytes of a delivery. */
export const maxDeliveryBytes = 1024 * 1024

/** The time limit of a delivery in seconds, so that slow senders do not hold connections. */
const secondsPerDelivery = 10

const maxConnections = 256
const maxHeaderBytes = 32 * 1024

/** Enough random bytes for an unguessable address. */
const addressBytes = 16

const usualHost = "127.0.0.1"

/** Header lines in their original order and letter case. */
const headersOf = ({ rawHeaders }: http.IncomingMessage): Request["headers"] =>
  rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ""] as const] : []))

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** The text of a body; undefined if it is not UTF-8. */
const textOf = (chunks: ReadonlyArray<Buffer>): string | undefined => {
  try {
    return utf8.decode(Buffer.concat(chunks))
  } catch {
    return undefined
  }
}

/** Reads a whole request and answers it: 413 if it is too long, 415 if it is not text. */
const readWhole = (
  request: http.IncomingMessage,
  response: http.ServerResponse,
  whole: (body: string) => Promise<number>
) => {
  const chunks: Array<Buffer> = []
  let bytes = 0
  const answer = (status: number) => {
    response.writeHead(status, { "Content-Length": 0, ...(status === 413 ? { Connection: "close" } : {}) }).end()
  }
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= maxDeliveryBytes) chunks.push(chunk)
    else if (!response.headersSent) {
      answer(413)
      response.once("finish", () => request.destroy())
    }
  })
  request.on("error", () => request.destroy())
  request.on("end", () => {
    if (response.headersSent) return
    const body = textOf(chunks)
    if (body === undefined) answer(415)
    else whole(body).then(answer, () => answer(500))
  })
}

const portOf = (server: http.Server): number => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

/** Listens for the lifetime of the scope. Returns the port. */
const listen = (server: http.Server, host: string, port: number) =>
  Effect.acquireRelease(
    Effect.callback<number, NotReceiving>((resume) => {
      server.once("error", (error) =>
        resume(Effect.fail(new NotReceiving({ reason: `the receiver cannot listen: ${error.message}` })))
      )
      server.listen(port, host, () => resume(Effect.succeed(portOf(server))))
    }),
    () =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )

/** The part after the last slash of a path. A route to this receiver may add a prefix. */
const nameIn = (url: string): string => /([^/?#]*)(?:[?#]|$)/.exec(url)?.[1] ?? ""

/** Serves addresses by name. */
const serving = (takes: ReadonlyMap<string, Take>) =>
  http.createServer(
    {
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: secondsPerDelivery * 1000,
      requestTimeout: secondsPerDelivery * 1000,
      keepAliveTimeout: 1000,
      connectionsCheckingInterval: 1000
    },
    (request, response) => {
      const { method = "", url = "/" } = request
      readWhole(request, response, (body) => {
        const take = takes.get(nameIn(url))
        if (take === undefined) return Promise.resolve(410)
        const host = request.headers.host ?? "receiver"
        return Effect.runPromise(take({ method, url: `http://${host}${url}`, headers: headersOf(request), body }))
      })
    }
  )

/** A receiver with its own server. */
export const make = Effect.fnUntraced(function* ({ host = usualHost, port = 0, publicUrl }: ReceiverAddress) {
  const { randomBytes } = yield* SecureRandom.SecureRandom
  const takes = new Map<string, Take>()
  const server = serving(takes)
  server.maxConnections = maxConnections
  const listened = yield* listen(server, host, port)
  const root = publicUrl?.replace(/\/$/, "") ?? `http://${isIPv6(host) ? `[${host}]` : host}:${listened}`
  const name = Effect.map(randomBytes(addressBytes), (bytes) => Buffer.from(bytes).toString("hex"))
  const receives: Receives = {
    open: (take) =>
      Effect.acquireRelease(
        Effect.tap(name, (fresh) => Effect.sync(() => takes.set(fresh, take))),
        (fresh) => Effect.sync(() => takes.delete(fresh))
      ).pipe(Effect.map((fresh) => `${root}/${fresh}`)),
    closed: (told) =>
      publicUrl === undefined
        ? Effect.fail(new NotReceiving({ reason: "the receiver has no URL that every deployment accepts" }))
        : Effect.sync(() => {
            takes.set(told, () => Effect.succeed(204))
            return `${root}/${encodeURIComponent(told)}`
          })
  }
  return receives
}, Effect.provide(SecureRandom.layerWebCrypto))

/** The receiver of a profile. If it cannot listen, the run still judges the other rules. */
export const layer = (address: ReceiverAddress | undefined): Layer.Layer<never> =>
  Layer.effect(
    Receiver,
    address === undefined
      ? Effect.succeed(without("the profile has no receiver"))
      : Effect.catchTag(make(address), "NotReceiving", ({ reason }) => Effect.succeed(without(reason)))
  )
