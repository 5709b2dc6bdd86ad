import type { Instant } from "./Instant.ts"

/** A key pair that signs access tokens. Two overlap: the newest signs, an older one still verifies what it signed. */
export interface SigningKey {
  /** Names the key in a token's header and in JWKS (RFC 7517, section 4.5). */
  readonly kid: string
  /** The private JWK, encrypted under the master key. */
  readonly sealedPrivateKey: string
  readonly createdAt: Instant
}

/** How long a key signs before the next takes over. */
export const signingMillis = 90 * 24 * 3600 * 1000

/** How long a key verifies after it stopped signing: as long as a token of its can live. */
export const retiredMillis = 24 * 3600 * 1000

/** Whether a key may sign at a moment. */
export const isCurrent = ({ createdAt }: Pick<SigningKey, "createdAt">, now: Instant): boolean =>
  now < createdAt + signingMillis

/** Whether a token that a key signed may still be accepted at a moment. */
export const isVerifying = ({ createdAt }: Pick<SigningKey, "createdAt">, now: Instant): boolean =>
  now < createdAt + signingMillis + retiredMillis
