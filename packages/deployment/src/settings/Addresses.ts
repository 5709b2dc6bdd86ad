import { hasPort, hostName, isHostName } from "@wcs/domain/access/Tenant"
import type { Range } from "@wcs/node-server/ClientAddress"
import { Option } from "effect"
import ipaddr from "ipaddr.js"

/** Reads an address or a CIDR range. */
export const range = (text: string): Option.Option<Range> => {
  if (ipaddr.isValidCIDR(text)) return Option.some(ipaddr.parseCIDR(text))
  if (!isAddress(text)) return Option.none()
  const address = ipaddr.parse(text)
  return Option.some([address, address.kind() === "ipv4" ? 32 : 128])
}

/** Accepts four decimal parts or IPv6. Other spellings are probably mistakes. */
const isAddress = (text: string) => ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text)

/** Reads the host name of a tenant. A port is refused. */
export const host = (text: string) => {
  const name = hostName(text)
  return isHostName(name) && !hasPort(text) ? Option.some(name) : Option.none()
}

/** Reads an address or host name to listen on. IPv6 addresses can have brackets. */
export const listenHost = (text: string) => {
  const bare = text.replace(/^\[(.*)\]$/, "$1")
  if (isAddress(bare)) return Option.some(bare)
  return Option.filter(host(text), (name) => !name.startsWith("["))
}
