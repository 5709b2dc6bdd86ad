import type { Answer } from "../Answer.ts"
import { type Gate, headersOf } from "../Gate.ts"
import { ulid } from "../RandomText.ts"
import type { PlatformRequest, PlatformResponse } from "./Platform.ts"

export const send = (response: PlatformResponse, { body, headers = {}, status }: Answer): void => {
  response.status(status).set(headers).type("json").send(body)
}

/** Middleware: gives the request its id and the response its headers, and refuses plain HTTP. */
export const identify =
  (gate: Gate) =>
  (request: PlatformRequest, response: PlatformResponse, next: () => void): void => {
    request.requestId = ulid(Date.now())
    response.set(headersOf(request, request.requestId))
    const refused = gate.refuseTransport(request, request.requestId)
    if (refused === undefined) next()
    else send(response, refused)
  }
