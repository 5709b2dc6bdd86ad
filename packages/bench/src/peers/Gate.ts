import { hash } from "node:crypto"
import type { IncomingMessage } from "node:http"
import { privilegesOf, type Role } from "@wcs/domain/access/Privilege"
import type { Limits } from "../Side.ts"
import { type Answer, refusal, unauthorized } from "./Answer.ts"
import type { TokenRow } from "./Store.ts"

/** The store operations of the checks, as prepared statements. */
export interface Access {
  readonly tenantOfHost: { readonly get: (host: string) => Record<string, unknown> | undefined }
  readonly token: { readonly get: (digest: string) => unknown }
  readonly touch: { readonly run: (now: number, tokenId: string) => unknown }
  readonly revoke: { readonly run: (now: number, tenantId: string, tokenId: string) => unknown }
}

/** The authenticated caller. */
export interface Caller {
  readonly tenantId: string
  readonly account: string
  readonly tokenId: string
  readonly privileges: ReadonlySet<string>
}

/** The headers of every response. */
export type Headers = Record<string, string>

interface Verified {
  readonly caller: Caller
  readonly expiresAt: number | null
  readonly epoch: number
  touchedAt: number
}

interface Window {
  startedAt: number
  used: number
}

const windowMillis = 60_000
const touchEveryMillis = 60_000
const keysMax = 100_000
const uriLimitBytes = 8 * 1024

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const ulid = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/i

export const hostOf = (authority: string): string => authority.replace(/:\d*$/, "").toLowerCase().replace(/\.$/, "")

/** The stored digest of a bearer token; undefined if there is no token. */
export const digestOf = (authorization: string): string | undefined =>
  authorization.length > 4096 || authorization.slice(0, 7).toLowerCase() !== "bearer "
    ? undefined
    : hash("sha256", authorization.slice(7), "hex")

/** The client's address: the right-most one that is not the proxy's. */
const addressOf = (request: IncomingMessage): string => {
  const remote = request.socket.remoteAddress ?? "unknown"
  const forwarded = request.headers["x-forwarded-for"]
  if (remote !== "127.0.0.1" || typeof forwarded !== "string") return remote
  return forwarded.slice(forwarded.lastIndexOf(",") + 1).trim()
}

export const headersOf = (request: IncomingMessage, requestId: string): Headers => {
  const headers: Headers = {
    "x-request-id": requestId,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff"
  }
  if (request.headers["x-forwarded-proto"] === "https") headers["strict-transport-security"] = "max-age=31536000"
  const inbound = request.headers["x-request-id"]
  if (typeof inbound === "string" && (uuid.test(inbound) || ulid.test(inbound))) {
    headers["x-client-request-id"] = inbound
  }
  return headers
}

/**
 * The checks before every call, in the order of the design: transport, length, tenant by host, bearer, rate limit,
 * privilege. Floor and peers share them.
 */
export class Gate {
  readonly #store: Access
  readonly #limits: Limits
  readonly #tokens = new Map<string, Verified>()
  readonly #tenants = new Map<string, { readonly tenantId: string; readonly epoch: number }>()
  readonly #windows = new Map<string, Window>()
  #epoch = 0

  constructor(store: Access, limits: Limits) {
    this.#store = store
    this.#limits = limits
  }

  /** Revokes a token immediately. */
  async revoke(tenantId: string, tokenId: string): Promise<void> {
    await this.#store.revoke.run(Date.now(), tenantId, tokenId)
    this.#epoch++
  }

  /** Refuses a request before authentication. */
  refuseTransport(request: IncomingMessage, requestId: string): Answer | undefined {
    if (request.headers["x-forwarded-proto"] !== "https") {
      return refusal(400, "BAD_REQUEST", "HTTPS is required.", requestId)
    }
    return (request.url ?? "").length > uriLimitBytes
      ? refusal(414, "URI_TOO_LONG", `The path and query are longer than ${uriLimitBytes} bytes.`, requestId)
      : undefined
  }

  /** The caller, or the response that refuses the call. Writes the three rate-limit headers into `headers`. */
  enter(
    request: IncomingMessage,
    headers: Headers,
    requestId: string,
    now: number,
    privilege: { readonly name: string; readonly text: string } | undefined
  ): Caller | Answer {
    const tenantId = this.#tenantOf(request.headers.host ?? "")
    if (tenantId === undefined) {
      return refusal(404, "NOT_FOUND", "There is no tenant at this host.", requestId)
    }
    const caller = this.#callerOf(request.headers.authorization ?? "", tenantId, now)
    if (caller === undefined) {
      const key = `unauthenticated ${addressOf(request)}`
      return this.#count(key, this.#limits.unauthenticated, headers, requestId, now) ?? unauthorized
    }
    const exceeded = this.#count(`standard ${caller.account}`, this.#limits.standard, headers, requestId, now)
    if (exceeded !== undefined) return exceeded
    if (privilege === undefined || caller.privileges.has(privilege.name)) return caller
    return refusal(403, "FORBIDDEN", `${caller.account} is unauthorized to ${privilege.text}.`, requestId)
  }

  #tenantOf(authority: string): string | undefined {
    const host = hostOf(authority)
    const known = this.#tenants.get(host)
    if (known?.epoch === this.#epoch) return known.tenantId
    const row = this.#store.tenantOfHost.get(host)
    if (row === undefined) return undefined
    const tenantId = String(row["tenant_id"])
    this.#tenants.set(host, { tenantId, epoch: this.#epoch })
    return tenantId
  }

  /**
   * Looks a token up in the table of verified tokens. Revocation (by epoch) and expiry (by clock) are checked at every
   * call.
   */
  #callerOf(authorization: string, tenantId: string, now: number): Caller | undefined {
    const digest = digestOf(authorization)
    if (digest === undefined) return undefined
    const known = this.#tokens.get(digest)
    const verified = known?.epoch === this.#epoch ? known : this.#verify(digest, now)
    if (verified === undefined || verified.caller.tenantId !== tenantId) return undefined
    if (verified.expiresAt !== null && now >= verified.expiresAt * 1000) return undefined
    if (now - verified.touchedAt >= touchEveryMillis) {
      verified.touchedAt = now
      setImmediate(() => this.#store.touch.run(now, verified.caller.tokenId))
    }
    return verified.caller
  }

  #verify(digest: string, now: number): Verified | undefined {
    const row = this.#store.token.get(digest) as TokenRow | undefined
    if (row === undefined) return undefined
    if ((row.revoked_at ?? now + 1) <= now || (row.deactivated_at ?? now + 1) <= now) return undefined
    const role: Role = JSON.parse(row.role)
    const caller: Caller = {
      tenantId: row.tenant_id,
      account: `urn:wcs:account:${row.account_id}`,
      tokenId: row.id,
      privileges: privilegesOf(role)
    }
    const verified = { caller, expiresAt: row.expires_at, epoch: this.#epoch, touchedAt: row.last_used_at ?? 0 }
    this.#tokens.set(digest, verified)
    return verified
  }

  #count(key: string, limit: number, headers: Headers, requestId: string, now: number): Answer | undefined {
    const window = this.#windowOf(key, now)
    const exceeded = window.used >= limit
    if (!exceeded) window.used++
    const reset = String(Math.max(1, Math.ceil((window.startedAt + windowMillis - now) / 1000)))
    headers["x-ratelimit-limit"] = String(limit)
    headers["x-ratelimit-remaining"] = String(limit - window.used)
    headers["x-ratelimit-reset"] = reset
    if (!exceeded) return undefined
    const message = `The rate limit is exceeded. Try again in ${reset} seconds.`
    return refusal(429, "TOO_MANY_REQUESTS", message, requestId, { "retry-after": reset })
  }

  #windowOf(key: string, now: number): Window {
    const known = this.#windows.get(key)
    if (known !== undefined && now < known.startedAt + windowMillis && now >= known.startedAt) return known
    this.#windows.delete(key)
    const [oldest] = this.#windows.size >= keysMax ? this.#windows.keys() : []
    if (oldest !== undefined) this.#windows.delete(oldest)
    const window = { startedAt: now, used: 0 }
    this.#windows.set(key, window)
    return window
  }
}
