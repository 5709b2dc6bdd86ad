import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { Deferred, Effect } from "effect"

/** A received delivery. */
export interface Received {
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly body: Readonly<Record<string, unknown>>
}

/** A receiver's response. */
export interface Reply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
}

interface Waiting {
  readonly matches: (received: Received) => boolean
  readonly count: number
  readonly found: Deferred.Deferred<ReadonlyArray<Received>>
}

/** A receiver of webhooks on loopback with plain HTTP, until the scope closes. */
export const webhookReceiver = Effect.gen(function* () {
  const received: Array<Received> = []
  const waiting = new Set<Waiting>()
  let answer: (received: Received, earlier: number) => Reply = () => ({ status: 204 })

  const look = (one: Waiting) => {
    const found = received.filter(one.matches)
    if (found.length < one.count) return
    waiting.delete(one)
    Deferred.doneUnsafe(one.found, Effect.succeed(found))
  }

  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString()
      const one: Received = { headers: request.headers, text, body: JSON.parse(text) }
      const id = one.headers["x-service-delivery"]
      const earlier = received.filter(({ headers }) => headers["x-service-delivery"] === id).length
      received.push(one)
      const { headers = {}, status } = answer(one, earlier)
      response.writeHead(status, headers).end()
      for (const each of waiting) look(each)
    })
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () => Effect.sync(() => server.close().closeAllConnections())
  )
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`,
    received,
    /** Chooses the response by the delivery, and by how often it was received before. */
    answering: (reply: typeof answer) =>
      Effect.sync(() => {
        answer = reply
      }),
    /** The first deliveries that match, once this many have arrived. */
    take: (matches: Waiting["matches"], count = 1): Effect.Effect<ReadonlyArray<Received>> =>
      Effect.suspend(() => {
        const one = { matches, count, found: Deferred.makeUnsafe<ReadonlyArray<Received>>() }
        waiting.add(one)
        look(one)
        return Deferred.await(one.found)
      })
  }
})
