import type { Instant } from "../shared/Instant.ts"

const day = 24 * 3600 * 1000

/**
 * What keys sign: the access tokens of the newer surface, or the tokens of the legacy one. Each kind has keys of its
 * own, so that no token of one surface can be one of the other (DECISIONS.md#access). A key verifies after it stopped
 * signing for as long as a token of its can live.
 */
export const uses = {
  access: { retiredMillis: day },
  legacy: { retiredMillis: 90 * day }
} as const satisfies Record<string, { readonly retiredMillis: number }>

export type SigningKeyUse = keyof typeof uses

/** A key pair that signs tokens. Two overlap: the newest signs, an older one still verifies what it signed. */
export interface SigningKey {
  readonly use: SigningKeyUse
  /** Names the key in a token's header and in JWKS (RFC 7517, section 4.5). */
  readonly kid: string
  /** The private JWK, encrypted under the master key. */
  readonly sealedPrivateKey: string
  readonly createdAt: Instant
}

/** How long a key signs before the next takes over. */
export const signingMillis = 90 * day

/** Whether a key may sign at a moment. */
export const isCurrent = ({ createdAt }: Pick<SigningKey, "createdAt">, now: Instant): boolean =>
  now < createdAt + signingMillis

/** Whether a token that a key signed may still be accepted at a moment. */
export const isVerifying = ({ createdAt, use }: Pick<SigningKey, "createdAt" | "use">, now: Instant): boolean =>
  now < createdAt + signingMillis + uses[use].retiredMillis
