import type { Instant } from "../shared/Instant.ts"
import type { Role } from "./Privilege.ts"
import type { RateLimit } from "./RateLimitTier.ts"

/**
 * A principal: a user, or the tenant's only service account. Every OAuth client acts as the service account (§5.2, item
 * 6).
 */
export interface Account {
  readonly id: string
  readonly tenantId: string
  readonly kind: "user" | "service"
  /** The user's email in lower case; null for the service account. */
  readonly email: string | null
  readonly role: Role
  /** The account's own rate limit; null if only the deployment's limit applies. */
  readonly rateLimit: RateLimit | null
  /** The worker that the user is; null if none. */
  readonly workerId: string | null
  /** Unix milliseconds. Tokens of a deactivated account are invalid. */
  readonly deactivatedAt: Instant | null
  readonly createdAt: Instant
}

/** Returns `urn:wcs:account:<id>`, the name of an account in refusals and in the audit log. */
export const accountUrn = (id: string): string => `urn:wcs:account:${id}`

/** Returns the id in an account's URN. */
export const accountIdOf = (urn: string): string => urn.slice(accountUrn("").length)

/** Returns the email in the form that identifies a user: trimmed, in lower case. */
export const normalizeEmail = (email: string): string =>
  // The Kelvin sign is the only other character whose lower case is an ASCII letter: another address must stay another.
  email.trim().replaceAll(/[^\u212A]+/gu, (part) => part.toLowerCase())

/**
 * Returns whether text is a plausible email: one `@`, no white space, at most 254 characters (RFC 5321, section
 * 4.5.3.1.3).
 */
export const isEmail = (text: string): boolean =>
  text.length <= 254 && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+\.[^\s@.\p{Cc}]+$/u.test(text)
