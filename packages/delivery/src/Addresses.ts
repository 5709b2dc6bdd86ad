import { isIP } from "node:net"
import ipaddr from "ipaddr.js"

/** An address range in CIDR form, such as `10.0.0.0/8`: the network and its prefix length. */
export type Range = readonly [ipaddr.IPv4 | ipaddr.IPv6, number]

/** IPv6 ranges that embed IPv4 addresses: mapped (RFC 4291) and NAT64 (RFC 6052). */
const carriers: ReadonlyArray<readonly [ipaddr.IPv6, number]> = [
  [ipaddr.IPv6.parse("::ffff:0:0"), 96],
  [ipaddr.IPv6.parse("64:ff9b::"), 96]
]

/** The address that packets finally reach. */
const reached = (address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 =>
  address instanceof ipaddr.IPv6 && carriers.some(([network, bits]) => address.match(network, bits))
    ? new ipaddr.IPv4(address.toByteArray().slice(-4))
    : address

/** All global IPv6 addresses assigned so far (RFC 3587). */
const globalIpv6: readonly [ipaddr.IPv6, number] = [ipaddr.IPv6.parse("2000::"), 3]

/** Global by registration, but the metadata endpoint of Azure machines. */
const azureHost = ipaddr.IPv4.parse("168.63.129.16")

/** Whether an address is public (IANA's registries of special-purpose addresses). */
const isGlobal = (address: ipaddr.IPv4 | ipaddr.IPv6): boolean =>
  address.range() === "unicast" &&
  (address instanceof ipaddr.IPv6 ? address.match(...globalIpv6) : !address.match(azureHost, 32))

const isAmong = (address: ipaddr.IPv4 | ipaddr.IPv6, ranges: ReadonlyArray<Range>): boolean =>
  ranges.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits))

/** The host of a parsed URL without brackets and trailing dots. */
const bareHost = (hostname: string): string =>
  hostname
    .replace(/^\[|\]$/g, "")
    .replace(/\.+$/, "")
    .toLowerCase()

/** Suffixes of internal names (RFC 6761, RFC 6762, RFC 8375, and common practice). */
const inside = /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|private|corp|home|lan|home\.arpa|test|onion)$/

/** A suffix that never resolves (RFC 6761, section 6.4). */
const nowhere = /(?:^|\.)invalid$/

/** Whether a name is internal: by its suffix, or because it has only one label. */
const leadsInside = (name: string): boolean => !name.includes(".") || inside.test(name)

/**
 * The host of a URL before name resolution. `URL` normalizes every notation of an IPv4 address (decimal, hexadecimal,
 * octal, shortened, trailing dot) to dotted decimal.
 */
export type Host =
  | { readonly _tag: "Address"; readonly address: string; readonly isRefused: boolean }
  /** A name that never resolves. */
  | { readonly _tag: "Nowhere"; readonly name: string; readonly isRefused: false }
  | { readonly _tag: "Name"; readonly name: string; readonly isRefused: boolean; readonly isInside: boolean }

/**
 * Whether an address may be connected to: it is global or in an allowed range. For an internal name only allowed ranges
 * count.
 */
export const isAdmitted = (address: string, allowed: ReadonlyArray<Range>, isInside = false): boolean => {
  if (!ipaddr.isValid(address) || address.includes("%")) return false // an address with a zone is link-local
  const leadsTo = reached(ipaddr.parse(address))
  return isAmong(leadsTo, allowed) || (!isInside && isGlobal(leadsTo))
}

/** Judges the host of a URL. Internal names are refused unless the deployment allows some range. */
export const judge = (hostname: string, allowed: ReadonlyArray<Range>): Host => {
  const bare = bareHost(hostname)
  if (isIP(bare) !== 0) return { _tag: "Address", address: bare, isRefused: !isAdmitted(bare, allowed) }
  if (nowhere.test(bare)) return { _tag: "Nowhere", name: bare, isRefused: false }
  const isInside = leadsInside(bare)
  return { _tag: "Name", name: bare, isRefused: bare === "" || (isInside && allowed.length === 0), isInside }
}
