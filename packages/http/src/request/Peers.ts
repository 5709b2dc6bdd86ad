import { Context } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { HttpRefusal } from "../refusal/HttpRefusal.ts"

/** The client of a request. */
export interface Peer {
  /** The address or network of the client, for the limits of unauthenticated calls. */
  readonly address: string
  /** Whether the connection of the client is encrypted. A trusted proxy can state this. */
  readonly secure: boolean
}

/** Finds the client of a request. Depends on the runtime: sockets and trusted proxies. */
export class Peers extends Context.Service<
  Peers,
  { readonly of: (request: HttpServerRequest.HttpServerRequest) => Peer }
>()("@wcs/http/Peers") {}

/**
 * Whether browsers are told to use HTTPS only (RFC 6797). By default not: it would lock users out of a host whose
 * certificate their browser does not trust.
 */
export const StrictTransport = Context.Reference<boolean>("@wcs/http/StrictTransport", { defaultValue: () => false })

/** Refuses requests that the runtime finds ambiguous. By default, none. */
export const RequestCheck = Context.Reference<
  (request: HttpServerRequest.HttpServerRequest) => HttpRefusal | undefined
>("@wcs/http/RequestCheck", { defaultValue: () => () => undefined })
