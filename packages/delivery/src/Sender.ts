import type { AttemptResult } from "@wcs/domain/webhook/Delivery"
import { Context, type Effect } from "effect"

/** What is sent to a receiver: everything but what HTTP itself adds. */
export interface Outgoing {
  readonly url: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** Carries one attempt to a receiver. */
export class Sender extends Context.Service<
  Sender,
  {
    /**
     * Posts the body as it is, once, where `Destinations` lets it go, and follows no redirect. It ends within the time
     * of an attempt whatever the receiver does, and takes no more of its answer than is kept. Can be interrupted.
     */
    readonly send: (outgoing: Outgoing) => Effect.Effect<AttemptResult>
  }
>()("@wcs/delivery/Sender") {}

/** What a deployment decides for attempts (DECISIONS.md#webhooks). All times in milliseconds. */
export const SenderSettings = Context.Reference<{
  /** For the name, the connection and TLS together. */
  readonly connectMillis: number
  /** For the whole of an attempt. */
  readonly attemptMillis: number
  /** How long a connection is kept that nothing is sent on. */
  readonly idleMillis: number
  readonly connectionsPerOrigin: number
  /** How many connections may be open, beside those in use, before further ones are closed after one answer. */
  readonly connectionsKept: number
  readonly userAgent: string
  /** Whom to trust, each PEM; null: whom the machine trusts. */
  readonly certificateAuthorities: ReadonlyArray<string> | null
}>("@wcs/delivery/SenderSettings", {
  defaultValue: () => ({
    connectMillis: 5000,
    attemptMillis: 15_000,
    idleMillis: 4000,
    connectionsPerOrigin: 256,
    connectionsKept: 1024,
    userAgent: "wcs-webhooks/1",
    certificateAuthorities: null
  })
})
