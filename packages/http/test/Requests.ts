import { Call } from "@wcs/http/pipeline/Call"
import { ReadBytes } from "@wcs/http/request/RequestBody"
import { Context } from "effect"
import { Headers, HttpServerRequest } from "effect/http"

/** A request body with headers. */
export interface Sent {
  readonly body: string | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
}

/** Builds the call that a handler receives. */
export const callOf = ({ body, headers = {} }: Sent): Call => {
  const request = HttpServerRequest.fromWeb(new Request("https://localhost/", { method: "POST", body }))
  // `Request` would add a Content-Type and refuse a Content-Length.
  const exact = request.modify({ headers: Headers.fromInput({ host: "localhost", ...headers }) })
  const readBytes = Context.get(Context.empty(), ReadBytes)
  return new Call(exact, "01J00000000000000000000000", "192.0.2.1", ({ request }, limit) =>
    readBytes(request, limit, () => true)
  )
}
