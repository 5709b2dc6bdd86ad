import type { IncomingMessage } from "node:http"
import { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { TLSSocket } from "node:tls"
import { trimmed } from "@wcs/http/request/FieldValue"
import type { Peer } from "@wcs/http/request/Incoming"
import { isAmong, keyOf, parse, type Range, unknownAddress } from "./ClientAddress.ts"

const headerOf = (value: string | ReadonlyArray<string> | undefined): Array<string> =>
  (typeof value === "string" ? value : (value ?? []).join(",")).split(",").flatMap((part) => {
    const text = trimmed(part)
    return text === "" ? [] : [text]
  })

/** The address of a connection without a valid request. Behind a proxy, the address of the proxy. */
export const addressOf = (connection: Duplex): string => {
  const remote = connection instanceof Socket ? parse(connection.remoteAddress ?? "") : undefined
  return remote === undefined ? unknownAddress : keyOf(remote)
}

/** The facts of a connection, independent of the framework. */
export interface Connection {
  readonly remoteAddress: string | undefined
  readonly encrypted: boolean
  readonly forwardedFor: string | ReadonlyArray<string> | undefined
  readonly forwardedProto: string | ReadonlyArray<string> | undefined
}

/** The trusted proxies, and whether they terminate TLS. */
export interface Trust {
  readonly proxies: ReadonlyArray<Range>
  /** Whether the proxies terminate TLS (DECISIONS.md#operation). Otherwise plain HTTP is always refused. */
  readonly endTls: boolean
}

/**
 * Determines the client. Headers are trusted only from a trusted proxy. In `X-Forwarded-For`, the client is the
 * right-most address that is not a trusted proxy, because the client controls everything to the left. A connection
 * counts as encrypted only if every known hop was encrypted, including ours unless the proxies terminate TLS.
 */
export const peerOf = (connection: Connection, trust: Trust): Peer => {
  const remote = parse(connection.remoteAddress ?? "")
  if (remote === undefined) return { address: unknownAddress, secure: connection.encrypted }
  if (!isAmong(remote, trust.proxies)) return { address: keyOf(remote), secure: connection.encrypted }
  const protocols = headerOf(connection.forwardedProto).map((protocol) => protocol.toLowerCase())
  const isToldOf = trust.endTls && protocols.length > 0
  const secure = (connection.encrypted || isToldOf) && protocols.every((protocol) => protocol === "https")
  let client = remote
  for (const text of headerOf(connection.forwardedFor).reverse()) {
    const hop = parse(text)
    if (hop === undefined) break
    client = hop
    if (!isAmong(hop, trust.proxies)) break
  }
  return { address: keyOf(client), secure }
}

const connectionOf = ({ headers, socket }: Pick<IncomingMessage, "headers" | "socket">): Connection => ({
  remoteAddress: socket.remoteAddress,
  encrypted: socket instanceof TLSSocket,
  forwardedFor: headers["x-forwarded-for"],
  forwardedProto: headers["x-forwarded-proto"]
})

/** The cache size. A full cache is cleared as a whole, because most clients return soon. */
const rememberedPeers = 10_000
/** Longer keys are not cached. A client and a few proxies fit. */
const rememberedLength = 256

/** The cache key of a connection. Headers and addresses cannot contain line breaks. */
const textOf = ({ encrypted, forwardedFor, forwardedProto, remoteAddress }: Connection): string =>
  `${remoteAddress}\n${encrypted}\n${forwardedFor}\n${forwardedProto}`

/** Returns a function that finds the client of a request. */
export const peersBy = (trust: Trust): ((message: IncomingMessage) => Peer) => {
  const remembered = new Map<string, Peer>()
  return (message) => {
    const connection = connectionOf(message)
    const text = textOf(connection)
    const known = remembered.get(text)
    if (known !== undefined) return known
    const peer = peerOf(connection, trust)
    if (remembered.size >= rememberedPeers) remembered.clear()
    if (text.length <= rememberedLength) remembered.set(text, peer)
    return peer
  }
}
