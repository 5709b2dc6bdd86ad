import type { AttemptResult } from "@wcs/domain/webhook/Delivery"
import { Context, type Effect } from "effect"

/** A request to a receiver, without `commonHeaders` and the headers that HTTP itself adds. */
export interface Outgoing {
  readonly url: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** The headers of every request, besides those of its delivery. */
export const commonHeaders = (userAgent: string): Readonly<Record<string, string>> => ({
  "content-type": "application/json",
  "user-agent": userAgent
})

/** Sends one attempt to a receiver. */
export class Sender extends Context.Service<
  Sender,
  {
    /**
     * Posts the body once, if `Destinations` allows the address, and follows no redirect. Ends within the attempt's
     * time limit, and reads no more of the response than is kept. Interruptible.
     */
    readonly send: (outgoing: Outgoing) => Effect.Effect<AttemptResult>
  }
>()("@wcs/delivery/Sender") {}

/** Settings of attempts (DECISIONS.md#webhooks). All times in milliseconds. */
export const SenderSettings = Context.Reference<{
  /** Limit for name resolution, connection and TLS together. */
  readonly connectMillis: number
  /** Limit for the whole attempt. */
  readonly attemptMillis: number
  /** How long an idle connection is kept open. */
  readonly idleMillis: number
  readonly connectionsPerOrigin: number
  /** Above this many open connections, further ones close after one response. */
  readonly connectionsKept: number
  readonly userAgent: string
}>("@wcs/delivery/SenderSettings", {
  defaultValue: () => ({
    connectMillis: 5000,
    attemptMillis: 15_000,
    idleMillis: 4000,
    connectionsPerOrigin: 256,
    connectionsKept: 1024,
    userAgent: "wcs-webhooks/1"
  })
})
