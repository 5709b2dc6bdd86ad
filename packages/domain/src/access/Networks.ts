/** The eight groups of an IPv6 address in text form, without zone or embedded IPv4. */
const groupsOf = (address: string): ReadonlyArray<number> => {
  const [head = "", tail] = address.split("::")
  const read = (part: string) => (part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16)))
  const [first, last] = [read(head), read(tail ?? "")]
  const zeros = tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => 0)
  return [...first, ...zeros, ...last]
}

const prefix = (groups: ReadonlyArray<number>, bits: 48 | 56): string => {
  const [one = 0, two = 0, three = 0, four = 0] = groups
  const shown = bits === 48 ? [one, two, three] : [one, two, three, four & 0xff00]
  return `${shown.map((group) => group.toString(16)).join(":")}::/${bits}`
}

/**
 * Returns the networks of a client, the widest first: /48, /56 and /64 of IPv6, and /24 and the address of IPv4. One
 * customer of a provider usually gets one of these, so it must not count as many clients. `client` is the key of a
 * client's address: an IPv4 address, an IPv6 /64 network, or any other text, which is its own network.
 */
export const networksOf = (client: string): readonly [string, ...ReadonlyArray<string>] => {
  const ipv4 = /^(\d+\.\d+\.\d+)\.\d+$/.exec(client)
  if (ipv4 !== null) return [`${ipv4[1]}.0/24`, client]
  if (!client.includes(":")) return [client]
  const groups = groupsOf(client.replace(/\/64$/, ""))
  return [prefix(groups, 48), prefix(groups, 56), client]
}
