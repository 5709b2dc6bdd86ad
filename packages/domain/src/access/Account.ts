import type { Instant } from "../shared/Instant.ts"
import type { Role } from "./Privilege.ts"
import type { RateLimit } from "./RateLimitTier.ts"

/**
 * Who acts: a user, or the tenant's one service account, as which every OAuth client acts (§5.2, item 6).
 */
export interface Account {
  readonly id: string
  readonly tenantId: string
  readonly kind: "user" | "service"
  /** The user's email in lower case; null for the service account. */
  readonly email: string | null
  readonly role: Role
  /** How often it may call; null: as often as the deployment lets everybody. */
  readonly rateLimit: RateLimit | null
  /** Unix milliseconds; a deactivated account's tokens are dead. */
  readonly deactivatedAt: Instant | null
  readonly createdAt: Instant
}

/** `urn:wcs:account:<id>`, as refusals and the audit history name an account. */
export const accountUrn = (id: string): string => `urn:wcs:account:${id}`

/** The id in an account's URN. */
export const accountIdOf = (urn: string): string => urn.slice(accountUrn("").length)

/** The address in the form in which users are told apart: trimmed, lower case. */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase()

/** A plausible address: one `@`, no white space, at most 254 characters (RFC 5321, section 4.5.3.1.3). */
export const isEmail = (text: string): boolean =>
  text.length <= 254 && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+\.[^\s@.\p{Cc}]+$/u.test(text)
