import { Context } from "effect"

/** Sends requests to other servers, with the same address checks as deliveries. */
export class OutgoingFetch extends Context.Service<
  OutgoingFetch,
  {
    /**
     * Like `fetch`, but sends once and does not follow redirects. Rejects when the address is refused, after 5 seconds,
     * or when the body exceeds 256 KiB.
     */
    readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  }
>()("@wcs/delivery/OutgoingFetch") {}
