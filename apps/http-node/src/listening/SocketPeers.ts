import type { IncomingMessage } from "node:http"
import { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { TLSSocket } from "node:tls"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { type Peer, Peers } from "@wcs/http/request/Peers"
import { Effect, Layer } from "effect"
import ipaddr from "ipaddr.js"
import { Settings } from "../Settings.ts"
import type { Range } from "../settings/Addresses.ts"

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** An address as a socket or a header spells it, with a port or without; IPv4 that came over IPv6 is IPv4. */
const parse = (text: string): Address | undefined => {
  const bare = text.trim().replace(/^(?:\[([^\]]*)\]|([\d.]+))(?::\d+)?$/, "$1$2")
  const isPlain = ipaddr.IPv4.isValidFourPartDecimal(bare) || ipaddr.IPv6.isValid(bare)
  return isPlain ? ipaddr.process(bare) : undefined
}

const isAmong = (address: Address, ranges: ReadonlyArray<Range>): boolean =>
  ranges.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits))

/** By what a client is counted: of IPv6 its network of 64 bits, since whoever has one address there has all of them. */
const keyOf = (address: Address): string =>
  address.kind() === "ipv6" ? `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`)}/64` : address.toString()

const unknownAddress = "unknown"

const headerOf = (value: string | ReadonlyArray<string> | undefined): Array<string> =>
  (typeof value === "string" ? value : (value ?? []).join(",")).split(",").flatMap((part) => {
    const text = part.trim()
    return text === "" ? [] : [text]
  })

/** The peer's address of a connection without a readable request. Behind a proxy that is the proxy. */
export const addressOf = (connection: Duplex): string => {
  const remote = connection instanceof Socket ? parse(connection.remoteAddress ?? "") : undefined
  return remote === undefined ? unknownAddress : keyOf(remote)
}

/** What a connection is known by, apart from any framework. */
export interface Connection {
  readonly remoteAddress: string | undefined
  readonly encrypted: boolean
  readonly forwardedFor: string | ReadonlyArray<string> | undefined
  readonly forwardedProto: string | ReadonlyArray<string> | undefined
}

/** Whose headers are believed, and whether plain HTTP from them may be the last hop of what was HTTPS. */
export interface Trust {
  readonly proxies: ReadonlyArray<Range>
  /** TLS ends at the proxies (DECISIONS.md#operation). Elsewhere nothing that they say makes plain HTTP serve. */
  readonly endTls: boolean
}

/**
 * Who is at the other end. Headers are believed only from a trusted proxy; of `X-Forwarded-For` the right-most address
 * that is no such proxy is the client, since all to the left of it is only what that client said. A connection counts
 * as encrypted only where every hop that is told of was: ours too, unless TLS ends at the proxies.
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

/** Peers that are remembered; all are forgotten together, as most of them are seen again at once. */
const rememberedPeers = 10_000
/** No longer text is remembered: a client and a few proxies fit in. */
const rememberedLength = 256

/** Everything that `peerOf` goes by, in one text: no line break can come in a header or in an address. */
const textOf = ({ encrypted, forwardedFor, forwardedProto, remoteAddress }: Connection): string =>
  `${remoteAddress}\n${encrypted}\n${forwardedFor}\n${forwardedProto}`

export const make = Effect.gen(function* () {
  const { tls, trustedProxies } = yield* Settings
  const trust: Trust = { proxies: trustedProxies, endTls: tls._tag === "Proxy" }
  const remembered = new Map<string, Peer>()
  return Peers.of({
    of: (request) => {
      const connection = connectionOf(NodeHttpServerRequest.toIncomingMessage(request))
      const text = textOf(connection)
      const known = remembered.get(text)
      if (known !== undefined) return known
      const peer = peerOf(connection, trust)
      if (remembered.size >= rememberedPeers) remembered.clear()
      if (text.length <= rememberedLength) remembered.set(text, peer)
      return peer
    }
  })
})

export const layer: Layer.Layer<Peers, never, Settings> = Layer.effect(Peers, make)
