import { hostName, isHostName } from "@wcs/domain/access/Tenant"
import { Option } from "effect"
import ipaddr from "ipaddr.js"

/** A range of addresses, `10.0.0.0/8`: the network and how many bits of it count. */
export type Range = readonly [ipaddr.IPv4 | ipaddr.IPv6, number]

export const range = (text: string): Option.Option<Range> => {
  if (ipaddr.isValidCIDR(text)) return Option.some(ipaddr.parseCIDR(text))
  if (!isAddress(text)) return Option.none()
  const address = ipaddr.parse(text)
  return Option.some([address, address.kind() === "ipv4" ? 32 : 128])
}

/** Four decimal parts, or IPv6: the other spellings that the parser knows are more likely mistakes. */
const isAddress = (text: string) => ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text)

/** A host as tenants have them. A port does not belong there, and is not overlooked. */
export const host = (text: string) => {
  const name = text.toLowerCase().replace(/\.$/, "")
  return hostName(name) === name && isHostName(name) ? Option.some(name) : Option.none()
}

/** What can be listened on. An address of IPv6 may stand in brackets, as it does in URLs. */
export const listenHost = (text: string) => {
  const bare = text.replace(/^\[(.*)\]$/, "$1")
  if (isAddress(bare)) return Option.some(bare)
  return Option.filter(host(text), (name) => !name.startsWith("["))
}
