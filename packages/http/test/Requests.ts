import { Headers, HttpServerRequest } from "effect/http"

/** A body on its way to us. */
export interface Sent {
  readonly body: string | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
}

/** The request that a handler gets. */
export const requestOf = ({ body, headers = {} }: Sent): HttpServerRequest.HttpServerRequest => {
  const request = HttpServerRequest.fromWeb(new Request("https://localhost/", { method: "POST", body }))
  // `Request` adds a content type of its own, and would not let a length be stated.
  return request.modify({ headers: Headers.fromInput({ host: "localhost", ...headers }) })
}
