import type { IncomingMessage, ServerResponse } from "node:http"
import type { HttpRefusal } from "@wcs/http/refusal/HttpRefusal"
import type { Incoming, Peer, RequestHeaders, TakeBytes } from "@wcs/http/request/Incoming"
import { Effect } from "effect"
import { bytesOf } from "./NodeBody.ts"

/** Finds the facts of a request that depend on the connection. */
export interface Facts {
  readonly peerOf: (message: IncomingMessage) => Peer
  readonly ambiguityOf: (message: IncomingMessage) => HttpRefusal | undefined
}

/** Whether the client sends the body only after 100 Continue (RFC 9110, section 10.1.1). */
export const waitsForContinue = ({ headers, httpVersion }: Pick<IncomingMessage, "headers" | "httpVersion">): boolean =>
  headers.expect !== undefined && httpVersion === "1.1" && /(?:^|\W)100-continue(?:$|\W)/i.test(headers.expect)

/** A request of Node's server. A body is read from its events, which is faster than from a stream. */
export class NodeIncoming implements Incoming {
  readonly method: string
  readonly url: string
  readonly headers: RequestHeaders
  readonly peer: Peer
  readonly ambiguity: HttpRefusal | undefined
  readonly #message: IncomingMessage
  readonly #response: ServerResponse

  constructor(message: IncomingMessage, response: ServerResponse, { ambiguityOf, peerOf }: Facts) {
    this.method = message.method ?? ""
    this.url = message.url ?? ""
    this.headers = message.headers as RequestHeaders // only Set-Cookie has a list, which no request may send
    this.peer = peerOf(message)
    this.ambiguity = ambiguityOf(message)
    this.#message = message
    this.#response = response
  }

  bytes(limitBytes: number, take: TakeBytes) {
    return Effect.suspend(() => {
      if (waitsForContinue(this.#message)) this.#response.writeContinue()
      return bytesOf(this.#message, limitBytes, take)
    })
  }
}
