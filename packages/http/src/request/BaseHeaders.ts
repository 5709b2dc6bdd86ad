import type { ResponseHeaders } from "@wcs/api/ResponseHeaders"
import { echo } from "@wcs/domain/shared/RequestId"
import { HttpServerResponse } from "effect/http"

/** The headers of every response: the request id, no caching, no content sniffing. */
export const baseHeaders = (requestId: string, inboundRequestId: string | undefined): ResponseHeaders["Service"] => {
  const echoed = echo(inboundRequestId)
  return {
    "x-request-id": requestId,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...(echoed === undefined ? {} : { "x-client-request-id": echoed })
  }
}

/** Adds headers to a response. Existing headers take precedence. */
export const withHeaders = (
  response: HttpServerResponse.HttpServerResponse,
  headers: ResponseHeaders["Service"]
): HttpServerResponse.HttpServerResponse => HttpServerResponse.setHeaders(response, { ...headers, ...response.headers })
