import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import { MalformedRequest } from "@wcs/domain/service/HttpRefusal"

/** Counts the `Host` headers. Node shows only the first, but a proxy may use another. */
const hostsOf = (rawHeaders: ReadonlyArray<string>): number => {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ""
    if (name.length === 4 && name.toLowerCase() === "host") count++
  }
  return count
}

type Head = Pick<IncomingMessage, "headers" | "httpVersion" | "rawHeaders">

/**
 * Returns why a proxy in front of the service may read a request differently; undefined if it cannot (threat 49). The
 * host selects the tenant, and the framing decides where the next request on the connection begins.
 */
export const refusalOf = ({ headers, httpVersion, rawHeaders }: Head): MalformedRequest | undefined => {
  if (httpVersion !== "1.1" && httpVersion !== "1.0") {
    return new MalformedRequest({ reason: "must use HTTP/1.1 or HTTP/1.0" })
  }
  // RFC 9112, section 3.2: HTTP/1.1 needs exactly one Host header, HTTP/1.0 at most one.
  const hosts = hostsOf(rawHeaders)
  if (hosts > 1 || (hosts === 0 && httpVersion === "1.1")) {
    return new MalformedRequest({ reason: "must have exactly one Host header" })
  }
  const coding = headers["transfer-encoding"]
  if (coding === undefined) return undefined
  // RFC 9112, section 6.1: the framing of HTTP/1.0 with Transfer-Encoding is faulty. It suggests 501 for other codings, but
  // hostile headers must not cause 5xx (ENV-12).
  if (httpVersion === "1.0") return new MalformedRequest({ reason: "must not use Transfer-Encoding with HTTP/1.0" })
  return coding.toLowerCase() === "chunked"
    ? undefined
    : new MalformedRequest({ reason: "must not use a Transfer-Encoding other than chunked" })
}

const refused = new WeakMap<Duplex, MalformedRequest>()

/**
 * Returns the reason to refuse a request: a proxy may parse the request differently, or it follows such a request on
 * the same connection.
 */
export const ambiguityOf = (message: IncomingMessage): MalformedRequest | undefined => {
  const refusal = refused.get(message.socket) ?? refusalOf(message)
  if (refusal !== undefined) refused.set(message.socket, refusal)
  return refusal
}
