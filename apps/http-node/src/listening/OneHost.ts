import type { IncomingMessage } from "node:http"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { MalformedRequest } from "@wcs/http/refusal/HttpRefusal"
import { RequestCheck } from "@wcs/http/request/Peers"
import { Layer } from "effect"

/** Counts the `Host` headers. Node shows only the first, but a proxy may use another. */
const hostsOf = (rawHeaders: ReadonlyArray<string>): number => {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ""
    if (name.length === 4 && name.toLowerCase() === "host") count++
  }
  return count
}

/** Whether the host is unambiguous: HTTP/1.1 needs exactly one `Host`, HTTP/1.0 at most one. */
export const hasOneHost = ({
  httpVersion,
  rawHeaders
}: Pick<IncomingMessage, "httpVersion" | "rawHeaders">): boolean => {
  const hosts = hostsOf(rawHeaders)
  return hosts === 1 || (hosts === 0 && httpVersion === "1.0")
}

/** Refuses requests with no or several hosts (RFC 9112, section 3.2), because the host selects the tenant. */
export const layer: Layer.Layer<never> = Layer.succeed(RequestCheck, (request) =>
  hasOneHost(NodeHttpServerRequest.toIncomingMessage(request))
    ? undefined
    : new MalformedRequest({ reason: "must have exactly one Host header" })
)
