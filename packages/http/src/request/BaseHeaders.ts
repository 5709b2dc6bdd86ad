import type { ResponseHeaders } from "@wcs/api/ResponseHeaders"
import { echo } from "@wcs/domain/shared/RequestId"
import { HttpServerResponse } from "effect/http"

/** The headers that every response starts with: its id, and that it is not stored and of no other type than stated. */
export const baseHeaders = (requestId: string, inboundRequestId: string | undefined): ResponseHeaders["Service"] => {
  const echoed = echo(inboundRequestId)
  return {
    "x-request-id": requestId,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...(echoed === undefined ? {} : { "x-client-request-id": echoed })
  }
}

/** The response with these headers. Headers of its own win. */
export const withHeaders = (
  response: HttpServerResponse.HttpServerResponse,
  headers: ResponseHeaders["Service"]
): HttpServerResponse.HttpServerResponse => HttpServerResponse.setHeaders(response, { ...headers, ...response.headers })
