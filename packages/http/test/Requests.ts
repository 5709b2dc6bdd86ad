import { Headers, HttpServerRequest } from "effect/http"

/** A request body with headers. */
export interface Sent {
  readonly body: string | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
}

/** Builds the request that a handler receives. */
export const requestOf = ({ body, headers = {} }: Sent): HttpServerRequest.HttpServerRequest => {
  const request = HttpServerRequest.fromWeb(new Request("https://localhost/", { method: "POST", body }))
  // `Request` would add a Content-Type and refuse a Content-Length.
  return request.modify({ headers: Headers.fromInput({ host: "localhost", ...headers }) })
}
