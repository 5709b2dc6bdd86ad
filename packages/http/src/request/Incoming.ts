import type { BodyRefusal, HttpRefusal } from "@wcs/domain/service/HttpRefusal"
import type { Effect, Stream } from "effect"

/** Counts received bytes. Returns false if they exceed a budget; then the rest is not read. */
export type TakeBytes = (bytes: number) => boolean

/** The client of a request, as sockets and trusted proxies show it. */
export interface Peer {
  /** The address or network of the client, for the limits of unauthenticated calls. */
  readonly address: string
  /** Whether the connection of the client is encrypted. A trusted proxy can state this. */
  readonly secure: boolean
}

/** Headers by names in lower case. */
export type RequestHeaders = Readonly<Record<string, string | undefined>>

/** A request, as a runtime received it. */
export interface Incoming {
  readonly method: string
  /** The path and query. */
  readonly url: string
  readonly headers: RequestHeaders
  readonly peer: Peer
  /** Why a proxy may read the request differently. Undefined if it cannot. */
  readonly ambiguity: HttpRefusal | undefined
  /** The milliseconds since the request arrived; 0 while few requests wait, for example after a pause of the machine. */
  readonly waitedMillis: () => number
  /** Reads the body. Fails if it is incomplete, above the limit, or above the budget. */
  readonly bytes: (limitBytes: number, take: TakeBytes) => Effect.Effect<Uint8Array, BodyRefusal>
  /** The pieces of the body as they arrive. The client waits while a piece is used. Fails if the body is incomplete. */
  readonly pieces: Stream.Stream<Uint8Array, BodyRefusal>
}
