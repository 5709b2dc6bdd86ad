import { isIP } from "node:net"
import ipaddr from "ipaddr.js"

/** A range of addresses, `10.0.0.0/8`: the network and how many bits of it count. */
export type Range = readonly [ipaddr.IPv4 | ipaddr.IPv6, number]

/** What IPv6 carries to an IPv4 address as it is: mapped ones (RFC 4291), and what a NAT64 translates (RFC 6052). */
const carriers: ReadonlyArray<readonly [ipaddr.IPv6, number]> = [
  [ipaddr.IPv6.parse("::ffff:0:0"), 96],
  [ipaddr.IPv6.parse("64:ff9b::"), 96]
]

/** The address that packets to this one reach in the end. */
const reached = (address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 =>
  address instanceof ipaddr.IPv6 && carriers.some(([network, bits]) => address.match(network, bits))
    ? new ipaddr.IPv4(address.toByteArray().slice(-4))
    : address

/** All that IPv6 has of global addresses so far (RFC 3587); what lies outside leads elsewhere, or nowhere. */
const globalIpv6: readonly [ipaddr.IPv6, number] = [ipaddr.IPv6.parse("2000::"), 3]

/** Registered as global, and yet what a machine of Azure asks for its own secrets. */
const azureHost = ipaddr.IPv4.parse("168.63.129.16")

/** Whether an address is anybody's on the internet (IANA's registries of special-purpose addresses). */
const isGlobal = (address: ipaddr.IPv4 | ipaddr.IPv6): boolean =>
  address.range() === "unicast" &&
  (address instanceof ipaddr.IPv6 ? address.match(...globalIpv6) : !address.match(azureHost, 32))

const isAmong = (address: ipaddr.IPv4 | ipaddr.IPv6, ranges: ReadonlyArray<Range>): boolean =>
  ranges.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits))

/** The host of a URL that was parsed, without what URLs write around it. */
const bareHost = (hostname: string): string =>
  hostname
    .replace(/^\[|\]$/g, "")
    .replace(/\.+$/, "")
    .toLowerCase()

/** Ends of names that lead into a network, never out of it (RFC 6761, RFC 6762, RFC 8375, and custom). */
const inside = /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|private|corp|home|lan|home\.arpa|test|onion)$/

/** The end of names that lead nowhere, and never will: nobody has to be asked (RFC 6761, section 6.4). */
const nowhere = /(?:^|\.)invalid$/

/** Whether a name is one of a network of its own: by its end, or since it is a single word. */
const leadsInside = (name: string): boolean => !name.includes(".") || inside.test(name)

/**
 * What is known of a host of a URL, as `URL` spells it, before any name is looked up. `URL` has turned every spelling of
 * an IPv4 address (decimal, hexadecimal, octal, shortened, with a dot behind) into the one with four numbers.
 */
export type Host =
  | { readonly _tag: "Address"; readonly address: string; readonly isRefused: boolean }
  /** A name that leads nowhere. */
  | { readonly _tag: "Nowhere"; readonly name: string; readonly isRefused: false }
  | { readonly _tag: "Name"; readonly name: string; readonly isRefused: boolean; readonly isInside: boolean }

/**
 * Whether an address may be connected to: one that is global or in an allowed range; under a name that leads inside,
 * only one in an allowed range.
 */
export const isAdmitted = (address: string, allowed: ReadonlyArray<Range>, isInside = false): boolean => {
  if (!ipaddr.isValid(address) || address.includes("%")) return false // an address of a zone is link-local
  const leadsTo = reached(ipaddr.parse(address))
  return isAmong(leadsTo, allowed) || (!isInside && isGlobal(leadsTo))
}

/** Judges the host of a URL. A name that leads inside is refused where no range is allowed that it could lead to. */
export const judge = (hostname: string, allowed: ReadonlyArray<Range>): Host => {
  const bare = bareHost(hostname)
  if (isIP(bare) !== 0) return { _tag: "Address", address: bare, isRefused: !isAdmitted(bare, allowed) }
  if (nowhere.test(bare)) return { _tag: "Nowhere", name: bare, isRefused: false }
  const isInside = leadsInside(bare)
  return { _tag: "Name", name: bare, isRefused: bare === "" || (isInside && allowed.length === 0), isInside }
}
