import type { Instant } from "../shared/Instant.ts"

/** What an identity provider proves about a person. */
export interface ProvenLogin {
  /** The name that the identity provider has for the person for good. */
  readonly subject: string
  /** The one e-mail address, or null. */
  readonly email: string | null
  /** Whether the identity provider vouches for the address. */
  readonly emailVerified: boolean
  /** When the person proved who they are. */
  readonly authenticatedAt: Instant
  /** When the session must end at the latest, or null. */
  readonly sessionLimit: Instant | null
  /** What counts once of the proof, with the moment from which its age refuses it. */
  readonly once: ReadonlyArray<{ readonly value: string; readonly expiresAt: Instant }>
}
