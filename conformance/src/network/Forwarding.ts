import type { Profile } from "../profile/Profile.ts"
import { legacyRoot, newerRoot } from "../profile/Roots.ts"
import type { Request } from "../wire/Exchange.ts"

// What stands in front of a deployment may want a path before the surface's root, and headers such as an API key.

const isBelow = (pathname: string, root: string): boolean => pathname === root || pathname.startsWith(`${root}/`)

/** Returns what stands before a path on the wire: the prefix of its surface. */
export const prefixOf = ({ legacy, newer }: Profile, path: string): string => {
  if (isBelow(path, newerRoot)) return newer.pathPrefix ?? ""
  return isBelow(path, legacyRoot) ? (legacy?.pathPrefix ?? "") : ""
}

/** The origins of the deployment. A further header never goes to another host, and never over plain HTTP beside TLS. */
const originsOf = ({ legacy, newer, secondTenant }: Profile): ReadonlySet<string> => {
  const urls = [newer.tenantBaseUrl, secondTenant?.tenantBaseUrl, legacy?.baseUrl, legacy?.otherOrganization?.baseUrl]
  return new Set(urls.flatMap((url) => (url === undefined ? [] : [new URL(url).origin])))
}

/** Returns requests as what stands in front wants them. Exchanges are recorded without these changes. */
export const forwarding = (profile: Profile, reveal: (text: string) => string) => {
  const origins = originsOf(profile)
  const plain = [profile.newer.plainHttpUrl, profile.legacy?.plainHttpUrl].flatMap((url) =>
    url === undefined ? [] : [new URL(url).origin]
  )
  const further = Object.entries(profile.network?.headers ?? {}).map(([name, value]) => [name, reveal(value)] as const)
  return (request: Request): Request => {
    const { origin } = new URL(request.url)
    if (!origins.has(origin) && !plain.includes(origin)) return request
    const path = request.url.slice(origin.length)
    const [pathname = ""] = path.split(/[?#]/, 1)
    const own = new Set(request.headers.map(([name]) => name.toLowerCase()))
    const added = origins.has(origin) ? further.filter(([name]) => !own.has(name.toLowerCase())) : []
    return {
      ...request,
      url: `${origin}${prefixOf(profile, pathname)}${path}`,
      headers: [...request.headers, ...added]
    }
  }
}
