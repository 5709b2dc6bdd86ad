import { createServer, request as httpRequest, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import * as FetchHandler from "@wcs/receiver/FetchHandler"
import * as NodeListener from "@wcs/receiver/NodeListener"
import * as PlainReceiver from "@wcs/receiver/PlainReceiver"
import type { Delivery, Receiver } from "@wcs/receiver/Receiver"
import * as SecretRing from "@wcs/receiver/SecretRing"
import { Effect, type Scope } from "effect"
import { bytesOf, headersOf, idOf, secretOf, verified } from "./sender.ts"

interface Answered {
  readonly status: number
  readonly text: string
}

/** Sends a request: one entry per header line, and the body in chunks. */
type Send = (
  method: string,
  headers: ReadonlyArray<readonly [string, string]>,
  body: ReadonlyArray<Uint8Array>
) => Promise<Answered>

const textOf = async (response: IncomingMessage): Promise<string> => {
  const parts: Array<Uint8Array> = []
  for await (const part of response) parts.push(part)
  return Buffer.concat(parts).toString()
}

const listening = (receiver: Receiver): Effect.Effect<number, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const server = createServer(NodeListener.listener(receiver))
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  ).pipe(Effect.map((server) => (server.address() as AddressInfo).port))

const overNode = (receiver: Receiver) =>
  Effect.map(
    listening(receiver),
    (port): Send =>
      (method, headers, body) =>
        new Promise((resolve, reject) => {
          const lines = headers.flat()
          const request = httpRequest({ port, host: "127.0.0.1", method, headers: ["host", "localhost", ...lines] })
          request.on("response", (response) =>
            textOf(response).then((text) => resolve({ status: response.statusCode ?? 0, text }), reject)
          )
          request.on("error", reject)
          for (const part of body) request.write(part)
          request.end()
        })
  )

const overFetch = (receiver: Receiver) =>
  Effect.succeed<Send>(async (method, headers, body) => {
    const init = method === "GET" ? { method } : { method, body: Buffer.concat(body) }
    const response = await FetchHandler.handler(receiver)(
      new Request("https://receiver.example/", { ...init, headers: headers.map(([name, value]) => [name, value]) })
    )
    return { status: response.status, text: await response.text() }
  })

/** A receiver with the real clock, and the calls of its handler. */
const receiving = (handle: PlainReceiver.PlainReceiverOptions["handle"] = () => {}) => {
  const given: Array<Delivery> = []
  const receiver = PlainReceiver.make({
    secrets: () => SecretRing.make(secretOf(1)),
    handle: (delivery, signal) => {
      given.push(delivery)
      return handle(delivery, signal)
    }
  })
  return { receiver, given }
}

const id = idOf(1)
const body = bytesOf(verified(id))
const freshHeaders = () => Object.entries(headersOf(id, body, [secretOf(1)], Math.floor(Date.now() / 1000)))
const signatureOf = (headers: ReadonlyArray<readonly [string, string]>) =>
  headers.find(([name]) => name === "webhook-signature") ?? ["", ""]
const inPieces = [body.subarray(0, 10), body.subarray(10)]

describe.each([
  ["node:http", overNode],
  ["Request and Response", overFetch]
] as const)("a receiver by %s", (_, over) => {
  it.live("EVT-12: handles a delivery once, and answers 204 twice", () =>
    Effect.gen(function* () {
      const { given, receiver } = receiving()
      const send = yield* over(receiver)
      const twice = () => Effect.promise(() => send("POST", freshHeaders(), inPieces))
      const none = { status: 204, text: "" }
      assert.deepStrictEqual([yield* twice(), yield* twice()], [none, none])
      assert.deepStrictEqual<unknown>(
        given.map(({ attempt, event, webhookId }) => ({ event, attempt, webhookId })),
        [{ event: { _tag: "CredentialVerified", ...verified(id) }, attempt: "1", webhookId: "whk_0000000000000001" }]
      )
    })
  )

  const refusals: ReadonlyArray<readonly [what: string, status: number, sent: () => Parameters<Send>]> = [
    ["without a signature", 400, () => ["POST", [], inPieces]],
    ["with an unknown secret", 401, () => ["POST", Object.entries(headersOf(id, body, [secretOf(2)])), inPieces]],
    ["with another body", 401, () => ["POST", freshHeaders(), [...inPieces, Buffer.from(" ")]]],
    ["with two ids", 400, () => ["POST", [...freshHeaders(), ["webhook-id", id]], inPieces]],
    ["with two timestamps", 400, () => ["POST", [...freshHeaders(), ["webhook-timestamp", "1800000000"]], inPieces]],
    ["with two signatures", 400, () => ["POST", [...freshHeaders(), signatureOf(freshHeaders())], inPieces]],
    ["with more than 1 MiB", 413, () => ["POST", freshHeaders(), Array(17).fill(Buffer.alloc(65_536))]],
    ["by GET", 405, () => ["GET", freshHeaders(), []]]
  ]
  it.live.each(refusals)("EVT-12: a delivery %s is refused", ([, status, sent]) =>
    Effect.gen(function* () {
      const { given, receiver } = receiving()
      const send = yield* over(receiver)
      const answered = yield* Effect.promise(() => send(...sent()))
      assert.strictEqual(answered.status, status)
      assert.notStrictEqual(answered.text, "")
      assert.lengthOf(given, 0)
    })
  )

  it.live("EVT-12: answers 500 when the handler throws or rejects, so that the sender retries", () =>
    Effect.gen(function* () {
      const troubles = [
        () => {
          throw new Error("thrown")
        },
        () => Promise.reject(new Error("rejected")),
        () => {}
      ]
      const { given, receiver } = receiving(() => troubles.shift()?.())
      const send = yield* over(receiver)
      const statuses: Array<number> = []
      for (let attempt = 0; attempt < 4; attempt++) {
        statuses.push((yield* Effect.promise(() => send("POST", freshHeaders(), inPieces))).status)
      }
      assert.deepStrictEqual(statuses, [500, 500, 204, 204])
      assert.lengthOf(given, 3)
    })
  )
})

describe("a receiver on node:http", () => {
  it.live("names the repeated header", () =>
    Effect.gen(function* () {
      const send = yield* overNode(receiving().receiver)
      const { text } = yield* Effect.promise(() => send("POST", [...freshHeaders(), ["Webhook-Id", id]], inPieces))
      assert.strictEqual(text, "The header webhook-id occurs more than once.")
    })
  )

  it.live("refuses a body that is too large before it ends", () =>
    Effect.gen(function* () {
      const port = yield* listening(receiving().receiver)
      const headers = Object.fromEntries(freshHeaders())
      const request = httpRequest({ port, host: "127.0.0.1", method: "POST", headers })
      const answered = Effect.callback<ReadonlyArray<unknown>>((resume) => {
        request.on("response", (response) => resume(Effect.succeed([response.statusCode, response.headers.connection])))
        request.on("error", (error) => resume(Effect.die(error)))
        for (let piece = 0; piece < 17; piece++) request.write(Buffer.alloc(65_536))
      })
      assert.deepStrictEqual(yield* answered, [413, "close"])
      request.destroy()
    })
  )
})

describe("a receiver with promises", () => {
  it.live("aborts the signal of a handler that takes too long", () =>
    Effect.gen(function* () {
      const told = Promise.withResolvers<void>()
      const receiver = PlainReceiver.make({
        secrets: () => SecretRing.make(secretOf(1)),
        handlerSecondsMax: 0.001,
        handle: (_, signal) => {
          signal.addEventListener("abort", () => told.resolve())
          return new Promise(() => {})
        }
      })
      const send = yield* overFetch(receiver)
      assert.strictEqual((yield* Effect.promise(() => send("POST", freshHeaders(), inPieces))).status, 500)
      yield* Effect.promise(() => told.promise)
    })
  )
})

describe("a sender that hangs up", () => {
  it.live("EVT-12: does not end the handler, and its next attempt gets the result", () =>
    Effect.gen(function* () {
      const begun = Promise.withResolvers<void>()
      const end = Promise.withResolvers<void>()
      const { given, receiver } = receiving(() => {
        begun.resolve()
        return end.promise
      })
      const port = yield* listening(receiver)
      const request = httpRequest({
        port,
        host: "127.0.0.1",
        method: "POST",
        headers: Object.fromEntries(freshHeaders())
      })
      const gone = new Promise((resolve) => request.on("error", resolve))
      request.end(body)
      yield* Effect.promise(() => begun.promise)
      request.destroy()
      yield* Effect.promise(() => gone)
      const send = yield* overNode(receiver)
      const again = () => Effect.promise(() => send("POST", freshHeaders(), inPieces))
      assert.strictEqual((yield* again()).status, 503)
      end.resolve()
      let status = 503
      while (status === 503) status = (yield* again()).status
      assert.strictEqual(status, 204)
      assert.lengthOf(given, 1)
    })
  )
})
