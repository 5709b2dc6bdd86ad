import type { Instant } from "../shared/Instant.ts"

/** The facts that a login depends on, as stored when its session is. */
export interface LoginBasis {
  readonly deactivatedAt: Instant | null
  readonly passwordHash: string | null
  /** When the second factor was confirmed; null if none is in force. */
  readonly factorConfirmedAt: Instant | null
  /**
   * Whether the tenant has the session's identity provider, active and not deleted. True if the session has none. It is
   * the resource `IdentityProvider`, stored by `ResourceStore`.
   */
  readonly isProviderActive: boolean
}

/** What a login has checked. An absent field was not part of the login. */
export interface CheckedLogin {
  /** The hash that the password was compared with. */
  readonly passwordHash?: string | null
  /** Whether a second factor was in force. */
  readonly hasSecondFactor?: boolean
}

/**
 * Returns whether a login still holds: checking a password, a code or an identity provider's answer takes time, and
 * meanwhile somebody may have ended what the login relied on. `undefined` is an account that no longer exists.
 */
export const stillHolds = (checked: CheckedLogin, basis: LoginBasis | undefined): boolean =>
  basis !== undefined &&
  basis.deactivatedAt === null &&
  basis.isProviderActive &&
  (checked.passwordHash === undefined || checked.passwordHash === basis.passwordHash) &&
  (checked.hasSecondFactor === undefined || checked.hasSecondFactor === (basis.factorConfirmedAt !== null))
