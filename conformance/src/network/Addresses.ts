import type { LookupAddress } from "node:dns"
import type { LookupFunction } from "node:net"

const isBelowLocalhost = (host: string): boolean => host.endsWith(".localhost")

type Found = (error: NodeJS.ErrnoException | null, addresses: ReadonlyArray<LookupAddress>) => void

/**
 * Looks up each host once: in the profile, then in the system. Names below `localhost` that the system does not know are
 * on this machine (RFC 6761, section 6.3). A failed lookup is repeated by the next connection.
 */
export const lookupOf = (resolve: Readonly<Record<string, string>>, ofSystem: LookupFunction): LookupFunction => {
  const known = new Map<string, ReadonlyArray<LookupAddress>>()
  const waiting = new Map<string, Array<Found>>()

  const end = (host: string, ...found: Parameters<Found>) => {
    const [error, addresses] = found
    if (error === null && addresses.length > 0) known.set(host, addresses)
    const them = waiting.get(host) ?? []
    waiting.delete(host)
    for (const one of them) one(...found)
  }

  const ask = (host: string, options: Parameters<LookupFunction>[1], found: Found) => {
    const others = waiting.get(host)
    if (others !== undefined) return void others.push(found)
    waiting.set(host, [found])
    ofSystem(host, { ...options, all: true }, (error, address, family) => {
      if (error !== null && isBelowLocalhost(host)) return end(host, null, [{ address: "127.0.0.1", family: 4 }])
      if (error !== null) return end(host, error, [])
      const all = Array.isArray(address) ? address : [{ address, family: family ?? (address.includes(":") ? 6 : 4) }]
      end(host, error, all)
    })
  }

  return (hostname, options, callback) => {
    const give: Found = (error, addresses) => {
      const [first] = addresses
      if (error !== null || first === undefined) {
        return callback(error ?? Object.assign(new Error("no address"), { code: "ENOTFOUND" }), "", 4)
      }
      if (options.all) callback(null, [...addresses])
      else callback(null, first.address, first.family)
    }
    const own = resolve[hostname]
    if (own !== undefined) return give(null, [{ address: own, family: own.includes(":") ? 6 : 4 }])
    const addresses = known.get(hostname)
    if (addresses !== undefined) return give(null, addresses)
    ask(hostname, options, give)
  }
}
