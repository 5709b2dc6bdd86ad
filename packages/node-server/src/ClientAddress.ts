import ipaddr from "ipaddr.js"

/** An IPv4 or IPv6 address. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6

/** A CIDR range such as `10.0.0.0/8`: the network and the prefix length. */
export type Range = readonly [Address, number]

/** Parses an address of a socket or header, with or without port. IPv4-mapped IPv6 becomes IPv4. */
export const parse = (text: string): Address | undefined => {
  const bare = text.replace(/^(?:\[([^\]]*)\]|([\d.]+))(?::\d+)?$/, "$1$2")
  const isPlain = ipaddr.IPv4.isValidFourPartDecimal(bare) || ipaddr.IPv6.isValid(bare)
  return isPlain ? ipaddr.process(bare) : undefined
}

/** Whether the address is in one of the ranges. */
export const isAmong = (address: Address, ranges: ReadonlyArray<Range>): boolean =>
  ranges.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits))

/** The key of a client. For IPv6 the /64 network, because a client controls all addresses in it. */
export const keyOf = (address: Address): string =>
  address.kind() === "ipv6" ? `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`)}/64` : address.toString()

/** The key of a client whose address is unknown. */
export const unknownAddress = "unknown"

/**
 * The key by which a connection counts against the cap of an address. Undefined for a trusted proxy, whose connections
 * carry the calls of many clients: only the cap of all connections applies to it.
 */
export const cappedBy = (remoteAddress: string | undefined, proxies: ReadonlyArray<Range>): string | undefined => {
  const remote = parse(remoteAddress ?? "")
  if (remote === undefined) return unknownAddress
  return isAmong(remote, proxies) ? undefined : keyOf(remote)
}
