import { isIPv6, type LookupFunction } from "node:net"
import type { Instant } from "@wcs/domain/shared/Instant"
import type { AttemptResult } from "@wcs/domain/webhook/Delivery"
import { WebhookSettings } from "@wcs/domain/webhook/WebhookSettings"
import { requireScheme } from "@wcs/domain/webhook/WebhookUrl"
import { Clock, Effect, Layer, Result } from "effect"
import { Agent, buildConnector, type Dispatcher } from "undici"
import { faultOf } from "./AttemptFaults.ts"
import { Destinations } from "./Destinations.ts"
import { excerptOf, readMaxBytes } from "./Excerpt.ts"
import { retryAfterMillis } from "./RetryAfter.ts"
import { commonHeaders, Sender, SenderSettings } from "./Sender.ts"

/** Aborts a connection once enough was read. */
const enough = new Error("enough was read")

const timedOut: AttemptResult = { _tag: "Unanswered", fault: "TIMEOUT" }
const refused: AttemptResult = { _tag: "Unanswered", fault: "ADDRESS_REFUSED" }

/** One attempt as an undici handler. It ends once, and closes the connection unless the whole response was read. */
class Attempt implements Dispatcher.DispatchHandler {
  private readonly timer: NodeJS.Timeout
  private readonly now: () => Instant
  private readonly over: (result: AttemptResult) => void
  private controller: Dispatcher.DispatchController | undefined
  private isOver = false
  private status = 0
  private headers: Record<string, string | Array<string> | undefined> = {}
  private retryAfter: string | undefined
  private readonly chunks: Array<Uint8Array> = []
  private bytesRead = 0

  constructor(limitMillis: number, now: () => Instant, over: (result: AttemptResult) => void) {
    this.now = now
    this.over = over
    this.timer = setTimeout(() => this.end(timedOut, true), limitMillis)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller
    if (this.isOver) controller.abort(enough)
  }

  onResponseStart(_: unknown, status: number, headers: Record<string, string | Array<string> | undefined>): void {
    const { "retry-after": retryAfter } = headers
    this.status = status
    this.headers = headers
    this.retryAfter = Array.isArray(retryAfter) ? retryAfter[0] : retryAfter
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    if (this.isOver) return
    // A copy, because a view would keep the whole chunk in memory.
    this.chunks.push(Buffer.from(chunk.subarray(0, readMaxBytes - this.bytesRead)))
    this.bytesRead += chunk.length
    if (this.bytesRead >= readMaxBytes) this.end(this.answer(), true)
  }

  onResponseEnd(): void {
    this.end(this.answer(), false)
  }

  onResponseError(_: unknown, error: Error): void {
    this.end({ _tag: "Unanswered", fault: faultOf(error, this.status > 0) }, false)
  }

  abandon(): void {
    this.end(timedOut, true)
  }

  private answer(): AttemptResult {
    const { chunks, retryAfter, status } = this
    const asked = retryAfterMillis(retryAfter, this.now())
    const fields = Object.entries(this.headers).flatMap(([name, value = []]) =>
      [value].flat().map((one) => ({ name, value: one }))
    )
    return { _tag: "Answered", status, retryAfterMillis: asked, excerpt: excerptOf(chunks), headers: fields }
  }

  private end(result: AttemptResult, isCut: boolean): void {
    if (this.isOver) return
    this.isOver = true
    clearTimeout(this.timer)
    this.over(result)
    if (isCut) this.controller?.abort(enough)
  }
}

/** The timers of undici are late by up to half a second. */
const timerSlackMillis = 500

/** Connects only to addresses that `Destinations` checked, and never resolves a name twice. */
export const makeConnector = Effect.gen(function* () {
  const { connectMillis } = yield* SenderSettings
  const destinations = yield* Destinations
  const runFork = Effect.runForkWith(yield* Effect.context())

  const lookup: LookupFunction = (hostname, { all }, callback) => {
    const asked = Effect.match(destinations.addresses(hostname), {
      onFailure: (error) => callback(error, []),
      onSuccess: (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
        const [first] = found
        if (all === true) callback(null, found)
        else callback(null, first?.address ?? "", first?.family)
      }
    })
    runFork(asked)
  }

  return buildConnector({
    allowH2: false,
    timeout: connectMillis - timerSlackMillis,
    lookup,
    autoSelectFamily: true,
    rejectUnauthorized: true // ignores NODE_TLS_REJECT_UNAUTHORIZED
  })
})

/**
 * Sends with undici's `Agent`: HTTP/1.1, one request per connection at a time, and idle connections kept for a short
 * time.
 */
export const make = Effect.gen(function* () {
  const settings = yield* SenderSettings
  const { allowsHttp } = yield* WebhookSettings
  const { attemptMillis, connectionsKept, connectionsPerOrigin, idleMillis, userAgent } = settings
  const destinations = yield* Destinations
  const clock = yield* Clock.Clock
  const connect = yield* makeConnector
  let open = 0

  const agent = yield* Effect.acquireRelease(
    Effect.sync(
      () =>
        new Agent({
          allowH2: false,
          connections: connectionsPerOrigin,
          pipelining: 1,
          keepAliveTimeout: idleMillis,
          keepAliveMaxTimeout: idleMillis,
          // The attempt has its own time limit.
          headersTimeout: 0,
          bodyTimeout: 0,
          connect: (options, callback) =>
            connect(options, (...connected) => {
              if (connected[0] === null) {
                open += 1
                connected[1].once("close", () => {
                  open -= 1
                })
              }
              callback(...connected)
            })
        })
    ),
    (opened) => Effect.promise(() => opened.destroy())
  )
  const now = () => clock.currentTimeMillisUnsafe()

  const send: Sender["Service"]["send"] = ({ body, headers, url }) => {
    const { hostname, origin, pathname, search } = new URL(url)
    if (Result.isFailure(requireScheme(url, allowsHttp)) || destinations.refuses(hostname)) {
      return Effect.succeed(refused)
    }
    return Effect.callback((resume) => {
      const attempt = new Attempt(attemptMillis, now, (result) => resume(Effect.succeed(result)))
      agent.dispatch(
        {
          origin,
          path: pathname + search,
          method: "POST",
          headers: { ...headers, ...commonHeaders(userAgent) },
          body,
          reset: open >= connectionsKept
        },
        attempt
      )
      return Effect.sync(() => attempt.abandon())
    })
  }

  return Sender.of({ send: (outgoing) => Effect.suspend(() => send(outgoing)) })
})

export const layer = Layer.effect(Sender, make)
