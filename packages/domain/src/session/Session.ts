import type { Account } from "../access/Account.ts"
import type { Instant } from "../shared/Instant.ts"

/** How the user authenticated. */
export const signInMethods = ["password", "saml", "oidc"] as const
export type SignInMethod = (typeof signInMethods)[number]

/** A login of a person in a browser (§5.2, item 9). The bearer is a cookie; the privileges are the account's own. */
export interface Session {
  readonly id: string
  readonly tenantId: string
  readonly accountId: string
  /** SHA-256 of the cookie's value, hex. */
  readonly tokenHash: string
  readonly method: SignInMethod
  /** The identity provider of the login; null for a login with a password. */
  readonly providerId: string | null
  /** The browser's User-Agent for the list of sessions, at most `userAgentMaxLength` characters. */
  readonly userAgent: string
  readonly createdAt: Instant
  /** Time of the last authentication, at login or step-up. */
  readonly authenticatedAt: Instant
  /** Time of the last use, to the minute. */
  readonly seenAt: Instant
  /** The absolute limit. The session ends at this time even if in use. */
  readonly expiresAt: Instant
  /** When the session was revoked, or null. */
  readonly revokedAt: Instant | null
}

/** A session with its account. */
export interface OwnedSession {
  readonly session: Session
  readonly account: Account
}

/** A session ends after this time without use. */
export const idleLimitMillis = 30 * 60 * 1000
/** A session ends this long after login. */
export const absoluteLimitMillis = 12 * 60 * 60 * 1000
/** Changes of secrets, second factors and single sign-on settings need an authentication newer than this. */
export const stepUpLimitMillis = 15 * 60 * 1000
/** The last use of a session or personal token is stored at most this often. */
export const touchEveryMillis = 60 * 1000
export const userAgentMaxLength = 200

/** Returns the absolute limit of a new session. An identity provider may set an earlier one (`SessionNotOnOrAfter`). */
export const expiryOf = (now: Instant, providerLimit: Instant | null = null): Instant =>
  Math.min(now + absoluteLimitMillis, providerLimit ?? Number.POSITIVE_INFINITY)

/** Returns whether the session was unused for longer than the idle limit. */
export const isIdle = ({ seenAt }: Pick<Session, "seenAt">, now: Instant): boolean => now >= seenAt + idleLimitMillis

/** Returns whether the session is accepted now. */
export const isLive = (session: Pick<Session, "expiresAt" | "revokedAt" | "seenAt">, now: Instant): boolean =>
  session.revokedAt === null && now < session.expiresAt && !isIdle(session, now)

/** Returns whether the last authentication is recent enough for a call that needs step-up. */
export const isFresh = ({ authenticatedAt }: Pick<Session, "authenticatedAt">, now: Instant): boolean =>
  now < authenticatedAt + stepUpLimitMillis
