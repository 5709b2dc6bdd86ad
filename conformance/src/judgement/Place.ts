import type { Profile } from "../profile/Profile.ts"
import { newerRoot, tokenPath } from "../profile/Roots.ts"
import { type Exchange, isIn, type Request } from "../wire/Exchange.ts"
import type { Difference } from "./Difference.ts"

/** The callers between which a deployment can differ. */
export type Caller =
  | "an OAuth token"
  | "a personal token"
  /** An OAuth token or a personal one. */
  | "a valid token"
  | "a limited token"
  | "an expired token"
  | "a revoked token"
  | "the second tenant"
  | "another token"
  | "a Basic header"
  | "another scheme"
  | "nobody"

const principals: ReadonlyArray<readonly [name: RegExp, caller: Caller]> = [
  [/^(secondClient)$/, "an OAuth token"],
  [/^(personalToken|rateLimited|enrolledToken|externalToken|rotated\..*|revokedToken\.living)$/, "a personal token"],
  [/^limited\./, "a limited token"],
  [/^expiredToken$/, "an expired token"],
  [/^revokedToken\.revoked$/, "a revoked token"],
  [/^secondTenant\./, "the second tenant"]
]

const headerOf = ({ headers }: Request, name: string): string | undefined =>
  headers.find(([one]) => one.toLowerCase() === name)?.[1]

const schemes: ReadonlyArray<readonly [form: RegExp, caller: Caller]> = [
  [/^bearer( |$)/i, "another token"],
  [/^basic /i, "a Basic header"]
]

/** The caller of a request, as far as a rule can depend on the caller. */
const callerOf = ({ principal, request }: Exchange, { principals: { admin } }: Profile): Caller => {
  if (principal === "admin") return "oauth" in admin ? "an OAuth token" : "a personal token"
  if (principal !== null) return principals.find(([name]) => name.test(principal))?.[1] ?? "another token"
  const authorization = headerOf(request, "authorization")
  if (authorization === undefined) return "nobody"
  return schemes.find(([form]) => form.test(authorization))?.[1] ?? "another scheme"
}

/** A cache: the fixed segments of a profile's paths. */
const fixed = new WeakMap<Profile, ReadonlySet<string>>()

const segmentsIn = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") {
    return value.startsWith("/") ? (value.split("?")[0] ?? "").split("/").filter((part) => !part.includes("{{")) : []
  }
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(segmentsIn) : []
}

/** The segments of paths in the specification. */
const known = [
  ...[
    "api",
    "users",
    "me",
    "token",
    "organizations",
    "scan",
    "constituents",
    "oauth",
    "workers",
    "credentials",
    "verify"
  ],
  ...["link", "unlink", "transfer", "recruitment-checks", "fetch-requests", "exemptions", "webhooks", "rotate", "bans"],
  ...["applicants", "screening-packages"]
]

const fixedIn = (profile: Profile): ReadonlySet<string> => {
  const { audit, bulkFetchRequest, derivedReads, groups, legacy, readPaths, redrive } = profile
  const found =
    fixed.get(profile) ??
    new Set([...known, ...segmentsIn([audit, bulkFetchRequest, derivedReads, groups, legacy, readPaths, redrive])])
  fixed.set(profile, found)
  return found
}

/** The path of a call with `{id}` for each segment that is not fixed. */
const pathOf = ({ pathname }: URL, profile: Profile): string => {
  const segments = fixedIn(profile)
  const below = pathname.startsWith(`${newerRoot}/`) ? pathname.slice(newerRoot.length) : pathname
  return below
    .split("/")
    .map((part) => (part === "" || segments.has(part) ? part : "{id}"))
    .join("/")
}

/** The call of an exchange, such as `GET /workers/{id}`, and the host if it is not the tenant's. */
export const callOf = ({ request }: Exchange, profile: Profile): string => {
  const url = new URL(request.url)
  return `${request.method} ${pathOf(url, profile)}${isAtSecond(url, profile) ? " at the second host" : ""}`
}

/** A cache: the origin of a profile's second tenant, if it is another. */
const seconds = new WeakMap<Profile, string | undefined>()

const secondOf = (profile: Profile): string | undefined => {
  const { newer, secondTenant } = profile
  if (secondTenant === undefined || seconds.has(profile)) return seconds.get(profile)
  const [own, second] = [newer, secondTenant].map(({ tenantBaseUrl }) => new URL(tenantBaseUrl).origin)
  seconds.set(profile, own === second ? undefined : second)
  return seconds.get(profile)
}

const isAtSecond = ({ origin }: URL, profile: Profile): boolean => origin === secondOf(profile)

const newPlaceOf = (exchange: Exchange, profile: Profile): string => {
  const { kind, request } = exchange
  if (kind === "delivery") return isIn(exchange, 2) ? "a delivery" : "a delivery that is refused"
  if (kind === "web") return "the web login"
  const sender = callerOf(exchange, profile)
  const caller = kind === "call" && sender === "a Basic header" ? "another scheme" : sender
  const url = new URL(request.url)
  const host = isAtSecond(url, profile) ? " at the second host" : kind === "plain" ? " by plain HTTP" : ""
  return `${request.method} ${kind === "token" ? tokenPath : pathOf(url, profile)} by ${caller}${host}`
}

/** A cache: many rules ask for the places of all exchanges. */
const places = new WeakMap<Exchange, string>()

/**
 * The place of an exchange: its call, its caller and, if it is not the tenant's, its host. A deployment can break a
 * rule at a single place.
 */
export const placeOf = (exchange: Exchange, profile: Profile): string => {
  const known = places.get(exchange)
  if (known !== undefined) return known
  const place = newPlaceOf(exchange, profile)
  places.set(exchange, place)
  return place
}

/** The distinct places of exchanges. */
export const placesOf = (exchanges: ReadonlyArray<Exchange>, profile: Profile): ReadonlyArray<string> => [
  ...new Set(exchanges.map((exchange) => placeOf(exchange, profile)))
]

/** The differences with their places. */
export const placed = (
  differences: ReadonlyArray<Difference>,
  exchanges: ReadonlyArray<Exchange>,
  profile: Profile
): ReadonlyArray<Difference> =>
  differences.map((difference) => {
    const exchange = exchanges.find(({ number }) => number === difference.exchange)
    return exchange === undefined ? difference : { ...difference, place: placeOf(exchange, profile) }
  })
