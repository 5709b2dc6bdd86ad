import type { RequestHandler, Response } from "express"
import type { Answer } from "../Answer.ts"
import { type Caller, type Gate, headersOf } from "../Gate.ts"
import { ulid } from "../RandomText.ts"

declare global {
  namespace Express {
    interface Request {
      requestId: string
      /** Set by the authentication. */
      caller?: Caller
    }
  }
}

export const send = (response: Response, { body, headers = {}, status }: Answer): void => {
  response.status(status).set(headers).type("json").send(body)
}

/** Express middleware: gives the request its id and the response its headers, and refuses plain HTTP. */
export const identify =
  (gate: Gate): RequestHandler =>
  (request, response, next) => {
    request.requestId = ulid(Date.now())
    response.set(headersOf(request, request.requestId))
    const refused = gate.refuseTransport(request, request.requestId)
    if (refused === undefined) next()
    else send(response, refused)
  }
