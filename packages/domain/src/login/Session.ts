import type { Account } from "../access/Account.ts"
import type { Instant } from "../shared/Instant.ts"

/** How a person proved who they are. */
export const signInMethods = ["password", "saml", "oidc"] as const
export type SignInMethod = (typeof signInMethods)[number]

/** A login of a person in a browser (§5.2, item 9). Its bearer is a cookie; its privileges are the account's own. */
export interface Session {
  readonly id: string
  readonly tenantId: string
  readonly accountId: string
  /** SHA-256 of the cookie's value, hex. */
  readonly tokenHash: string
  readonly method: SignInMethod
  /** The identity provider of the login; null for a login with a password. */
  readonly providerId: string | null
  /** The browser's own name, for the list of sessions; at most `userAgentMaxLength` characters. */
  readonly userAgent: string
  readonly createdAt: Instant
  /** When the person last proved who they are, at login or at step-up. */
  readonly authenticatedAt: Instant
  /** When the session was last used, to the minute. */
  readonly seenAt: Instant
  /** The absolute limit: the session ends here however much it is used. */
  readonly expiresAt: Instant
  /** When it was ended before its limits, or null. */
  readonly revokedAt: Instant | null
}

/** A session with the account that it acts as. */
export interface OwnedSession {
  readonly session: Session
  readonly account: Account
}

/** A session ends when nobody has used it for so long. */
export const idleLimitMillis = 30 * 60 * 1000
/** A session ends so long after the login. */
export const absoluteLimitMillis = 12 * 60 * 60 * 1000
/** Secrets, second factors and single sign-on settings need an authentication that is no older. */
export const stepUpLimitMillis = 15 * 60 * 1000
/** The use of a session or a personal token is stored at most so often. */
export const touchEveryMillis = 60 * 1000
export const userAgentMaxLength = 200

/** The absolute limit of a login now; an identity provider may ask for a sooner one (`SessionNotOnOrAfter`). */
export const expiryOf = (now: Instant, providerLimit: Instant | null = null): Instant =>
  Math.min(now + absoluteLimitMillis, providerLimit ?? Number.POSITIVE_INFINITY)

/** Whether nobody has used the session for longer than the idle limit. */
export const isIdle = ({ seenAt }: Pick<Session, "seenAt">, now: Instant): boolean => now >= seenAt + idleLimitMillis

/** Whether the session is accepted now. */
export const isLive = (session: Pick<Session, "expiresAt" | "revokedAt" | "seenAt">, now: Instant): boolean =>
  session.revokedAt === null && now < session.expiresAt && !isIdle(session, now)

/** Whether the person proved who they are recently enough for a call that needs step-up. */
export const isFresh = ({ authenticatedAt }: Pick<Session, "authenticatedAt">, now: Instant): boolean =>
  now < authenticatedAt + stepUpLimitMillis
