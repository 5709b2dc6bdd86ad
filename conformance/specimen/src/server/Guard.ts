import { randomUUID } from "node:crypto"
import { type Answer, Refusal, type Request } from "./Call.ts"
import type { Operation } from "./Group.ts"
import * as Jwt from "./Jwt.ts"
import type { Place } from "./Place.ts"
import type { Account, Fields, Tenant, Token, World } from "./World.ts"

type At = (point: string, more?: Place) => boolean

/** A token that the server takes although it should not. */
const wrongly = (account: Account, label: string, kind: Token["kind"] = "oauth"): Token => ({
  id: label,
  kind,
  label,
  account,
  expiresAt: Number.POSITIVE_INFINITY,
  isRevoked: false
})

/** A caller with every privilege, whom the server takes for the real one. */
export const impostor = ({ service }: Tenant): Token => wrongly(service, "nobody")

/** The tokens of a request outside of its Authorization header. */
const elsewhere = ({ body, headers, url }: Request): ReadonlyArray<readonly [where: string, secret: string]> => {
  const [, cookie = ""] = /(?:^|; )access_token=([^;]+)/.exec(headers["cookie"] ?? "") ?? []
  const [, field = ""] = /access_token["=:\s]+([\w.-]+)/.exec(body) ?? []
  return [
    ["query", url.searchParams.get("access_token") ?? ""],
    ["another header", headers["x-api-key"] ?? headers["x-access-token"] ?? ""],
    ["cookie", cookie],
    ["body", field]
  ]
}

const isOfOther = (world: World, tenant: Tenant, secret: string): Token | undefined =>
  world.tenants.find((other) => other !== tenant && other.tokens.has(secret))?.tokens.get(secret)

/** The token of a call, or the cause of the 401. */
export const authenticate = (world: World, tenant: Tenant, request: Request, at: At): Token | string => {
  const header = request.headers["authorization"]
  const service = impostor(tenant)
  if (header === undefined) {
    const known = elsewhere(request).filter(([, secret]) => tenant.tokens.has(secret))
    if (known.some(([where]) => at("a token outside of the header is accepted", { where }))) return service
    return at("no Authorization is accepted") ? service : "none"
  }
  const [, scheme = "", secret = ""] = /^(\S+) +(\S+)$/.exec(header) ?? []
  const bare = tenant.tokens.get(header.trim())
  if (bare !== undefined) return at("a token without its prefix is accepted") ? bare : "bare token"
  if (scheme.toLowerCase() !== "bearer") {
    if (scheme.toLowerCase() === "basic" && at("Basic is accepted")) return service
    const other = tenant.tokens.get(secret)
    return other !== undefined && at("another scheme is accepted") ? other : `scheme ${scheme.toLowerCase()}`
  }
  const form = scheme === "Bearer" || scheme === "bearer" || scheme === "BEARER" ? scheme : "mixed"
  const known = tenant.tokens.get(secret)
  if (known === undefined) return unknown(world, tenant, secret, at)
  const place = { form, caller: known.label, kind: known.kind }
  if (at("a form of the prefix is refused", place)) return "prefix"
  if (at("a valid token is refused", place)) return "valid"
  if (known.isRevoked) return at("a revoked token is accepted", place) ? known : "revoked"
  if (known.expiresAt <= Date.now() / 1000) return at("an expired token is accepted", place) ? known : "expired"
  return known
}

/** How a text resembles a token of the tenant. */
const likenessOf = ({ tokens }: Tenant, secret: string): string => {
  for (const known of tokens.keys()) {
    if (known.toLowerCase() === secret.toLowerCase()) return "another case"
    if (secret.startsWith(known)) return "longer"
    if (known.startsWith(secret)) return "shorter"
    const isNear =
      known.length === secret.length && [...known].filter((char, index) => char !== secret[index]).length === 1
    if (isNear) return "one character"
  }
  return "nothing"
}

const unknown = (world: World, tenant: Tenant, secret: string, at: At): Token | string => {
  const other = isOfOther(world, tenant, secret)
  if (other !== undefined) {
    return at("another tenant's token is accepted", { kind: other.kind })
      ? { ...other, account: tenant.service }
      : "tenant"
  }
  const wasIssued = (payload: string) => world.issued.has(payload)
  const flaw = Jwt.flawOf(secret, world.key, wasIssued)
  const isLegacy = world.legacyTokens.has(secret)
  const cause = isLegacy ? "legacy token" : secret.startsWith("state-") ? "state" : (flaw ?? "unknown")
  const part = Jwt.changedPart(secret, world.key, wasIssued)
  const place = { flaw: cause, part, like: likenessOf(tenant, secret) }
  return at("a malformed token is accepted", place) ? impostor(tenant) : cause
}

/** Refuses a caller without the privilege. `also` are further privileges that the call needs. */
export const authorize = (account: Account, type: string, operation: Operation, at: At): void => {
  const { grants, urn } = account
  const needed = `${type}:${operation}`
  if (grants === "all" || grants.has(needed)) {
    if (grants !== "all" && at("a privilege is not enough", { needed })) throw forbidden(urn, type, operation, at)
    return
  }
  const own = [...grants].filter((grant) => grant.startsWith(`${type}:`)).map((grant) => grant.slice(type.length + 1))
  const other = [...grants].find((grant) => grant.endsWith(`:${operation}`))
  const has = own.length === 0 ? (other ?? [...grants][0] ?? "nothing") : own.length === 1 ? `${own[0]}` : "several"
  if (at("a privilege is not checked", { needed, has })) return
  throw forbidden(urn, type, operation, at)
}

const forbidden = (urn: string, type: string, operation: Operation, at: At) => {
  const other = `urn:stranger:acct:${randomUUID()}`
  const whom = at("a refusal names nobody") ? "The caller" : at("a refusal names another account") ? other : urn
  const wrong = operation === "DELETE" ? "CREATE" : "DELETE"
  const what = at("a refusal names another operation") ? wrong : operation
  return new Refusal(403, "FORBIDDEN", "privilege", `${whom} is unauthorized to ${what} ${type}s.`)
}

const limits = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"] as const

/** Counts a call, and returns the headers of its limit. Fails above the limit. */
export const count = (account: Account): { readonly headers: Record<string, string>; readonly isOver: boolean } => {
  const now = Date.now()
  if (now >= account.resetsAt) {
    account.resetsAt = now + account.windowMillis
    account.used = 0
  }
  account.used += 1
  const left = Math.max(0, account.limit - account.used)
  const seconds = (account.resetsAt - now) / 1000
  // a window of less than a second ends in a fraction of one
  const wait = account.windowMillis < 1000 ? seconds.toFixed(3) : String(Math.max(1, Math.ceil(seconds)))
  const headers = {
    "x-ratelimit-limit": String(account.limit),
    "x-ratelimit-remaining": String(left),
    "x-ratelimit-reset": wait
  }
  return { headers, isOver: account.used > account.limit }
}

/** The headers as sent: a fault takes one away or changes it. */
export const limitHeaders = (headers: Answer["headers"], at: At, status: string): Answer["headers"] => {
  const sent: Record<string, string> = { ...headers }
  for (const name of limits) {
    const lower = name.toLowerCase()
    if (at("no header", { header: name, status })) delete sent[lower]
    if (at("a header is no number", { header: name, status })) sent[lower] = "many"
    if (at("a header is negative", { header: name, status })) sent[lower] = "-1"
  }
  const [limit, left] = [Number(headers["x-ratelimit-limit"]), Number(headers["x-ratelimit-remaining"])]
  if (at("the remaining calls do not fall", { status })) sent["x-ratelimit-remaining"] = String(limit)
  if (at("the used calls are told for the remaining", { status })) sent["x-ratelimit-remaining"] = String(limit - left)
  if (at("more calls remain than the limit", { status })) sent["x-ratelimit-remaining"] = String(limit + 1)
  if (at("the reset is a Unix time", { status })) sent["x-ratelimit-reset"] = String(Math.ceil(Date.now() / 1000))
  return sent
}

export const tooMany = (wait: string, at: At): Refusal => {
  const headers: Fields & Record<string, string> = { "retry-after": String(Math.ceil(Number(wait))) }
  if (at("no header", { header: "Retry-After", status: "429" })) delete headers["retry-after"]
  if (at("Retry-After is a date")) headers["retry-after"] = new Date(Date.now() + 1000).toUTCString()
  return new Refusal(429, "TOO_MANY_REQUESTS", "limit", "The limit is reached.", headers)
}
