import type { IncomingMessage, ServerResponse } from "node:http"
import { type HttpRefusal, MalformedRequest } from "@wcs/domain/service/HttpRefusal"
import type { Incoming, Peer, RequestHeaders, TakeBytes } from "@wcs/http/request/Incoming"
import { Effect, Stream } from "effect"
import { allowUpload } from "./BodyTime.ts"
import { bytesOf, piecesOf } from "./NodeBody.ts"

/** With more unfinished requests than this, their wait counts. */
const fewRequests = 128

/** Finds the facts of a request that depend on the connection and the server. */
export interface Facts {
  /** The number of requests without a response. */
  readonly unfinished: () => number
  readonly peerOf: (message: IncomingMessage) => Peer
  readonly ambiguityOf: (message: IncomingMessage) => HttpRefusal | undefined
}

/** Whether the client sends the body only after 100 Continue (RFC 9110, section 10.1.1). */
export const waitsForContinue = ({ headers, httpVersion }: Pick<IncomingMessage, "headers" | "httpVersion">): boolean =>
  headers.expect !== undefined && httpVersion === "1.1" && /(?:^|\W)100-continue(?:$|\W)/i.test(headers.expect)

/**
 * Splits a request target (RFC 9112, section 3.2). A target in absolute form names its host again: another one than
 * `Host` could select the tenant differently in a proxy.
 */
const targetOf = ({ headers, url = "" }: IncomingMessage) => {
  if (url.startsWith("/")) return { url, ambiguity: undefined }
  const [, authority, path = ""] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(url) ?? []
  if (authority === undefined) return { url, ambiguity: undefined }
  const isOther = authority.toLowerCase() !== headers.host?.toLowerCase()
  return {
    url: path.startsWith("/") ? path : `/${path}`,
    ambiguity: isOther
      ? new MalformedRequest({ reason: "must have the same host in the URL and the Host header" })
      : undefined
  }
}

/** A request of Node's server. A body is read from its events, which is faster than from a stream. */
export class NodeIncoming implements Incoming {
  readonly method: string
  readonly url: string
  readonly headers: RequestHeaders
  readonly peer: Peer
  readonly ambiguity: HttpRefusal | undefined
  readonly #arrivedAt = performance.now()
  readonly #unfinished: () => number
  readonly #message: IncomingMessage
  readonly #response: ServerResponse

  constructor(message: IncomingMessage, response: ServerResponse, { ambiguityOf, peerOf, unfinished }: Facts) {
    this.method = message.method ?? ""
    const { ambiguity, url } = targetOf(message)
    this.url = url
    this.headers = message.headers as RequestHeaders // only Set-Cookie has a list, which no request may send
    this.peer = peerOf(message)
    this.ambiguity = ambiguity ?? ambiguityOf(message)
    this.#unfinished = unfinished
    this.#message = message
    this.#response = response
  }

  readonly waitedMillis = () => (this.#unfinished() > fewRequests ? performance.now() - this.#arrivedAt : 0)

  bytes(limitBytes: number, take: TakeBytes) {
    return Effect.suspend(() => {
      if (waitsForContinue(this.#message)) this.#response.writeContinue()
      return bytesOf(this.#message, limitBytes, take)
    })
  }

  get pieces() {
    return Stream.suspend(() => {
      allowUpload(this.#message)
      if (waitsForContinue(this.#message)) this.#response.writeContinue()
      return piecesOf(this.#message)
    })
  }
}
