import { Context } from "effect"
import type { HttpServerRequest } from "effect/http"

/** Who is at the other end of a request. */
export interface Peer {
  /** The client's address, or the network that one client has to itself: by what calls without an account are counted. */
  readonly address: string
  /** Whether the client's connection is encrypted, up to the proxy that is trusted to say so. */
  readonly secure: boolean
}

/** What only the runtime knows of a connection: sockets, and which proxies are trusted. */
export class Peers extends Context.Service<
  Peers,
  { readonly of: (request: HttpServerRequest.HttpServerRequest) => Peer }
>()("@wcs/http/Peers") {}
