import type { Instant } from "../shared/Instant.ts"

/** A user's identity as proven by an identity provider. */
export interface ProvenLogin {
  /** The identity provider's permanent name of the user. */
  readonly subject: string
  /** The only email address, or null. */
  readonly email: string | null
  /** Whether the identity provider has verified the address; null if it does not say. */
  readonly emailVerified: boolean | null
  /** When the user authenticated. */
  readonly authenticatedAt: Instant
  /** The latest end of the session, or null. */
  readonly sessionLimit: Instant | null
  /** The parts of the proof that may be used only once. After `expiresAt` they are refused as too old. */
  readonly once: ReadonlyArray<{ readonly value: string; readonly expiresAt: Instant }>
}
