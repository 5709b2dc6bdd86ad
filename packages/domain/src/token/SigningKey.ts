import { Context, type Effect } from "effect"
import type { Actor } from "../audit/AuditEntry.ts"
import type { Instant } from "../shared/Instant.ts"

const day = 24 * 3600 * 1000

/**
 * The uses of signing keys: access tokens of the newer surface, tokens of the legacy surface, seals of the audit log.
 * Each use has its own keys, so a token of one surface is never valid on the other (DECISIONS.md#access).
 * `retiredMillis`: how long a key still verifies after it stops signing, at least the longest token lifetime. Seals have
 * no expiry. `sealedAs`: the start of the encryption purpose. Stored keys are encrypted with it, so it never changes.
 */
export const uses = {
  access: { retiredMillis: day, sealedAs: "signing key" },
  legacy: { retiredMillis: 90 * day, sealedAs: "legacy signing key" },
  audit: { retiredMillis: Number.POSITIVE_INFINITY, sealedAs: "audit signing key" }
} as const satisfies Record<string, { readonly retiredMillis: number; readonly sealedAs: string }>

export type SigningKeyUse = keyof typeof uses

export const signingKeyUses = ["access", "legacy", "audit"] as const satisfies ReadonlyArray<SigningKeyUse>

/** A key pair that signs tokens. The newest key signs; older keys still verify. */
export interface SigningKey {
  readonly use: SigningKeyUse
  /** Names the key in a token's header and in JWKS (RFC 7517, section 4.5). */
  readonly kid: string
  /** The private JWK, encrypted with the master key. */
  readonly sealedPrivateKey: string
  readonly createdAt: Instant
}

/** The encryption purpose of a private key. */
export const purposeOf = ({ kid, use }: Pick<SigningKey, "use" | "kid">): string => `${uses[use].sealedAs} ${kid}`

/** How long a key signs before the next key replaces it. */
export const signingMillis = 90 * day

/** Returns whether a key may sign now. */
export const isCurrent = ({ createdAt }: Pick<SigningKey, "createdAt">, now: Instant): boolean =>
  now < createdAt + signingMillis

/** Returns whether a token signed by the key may still be accepted now. */
export const isVerifying = ({ createdAt, use }: Pick<SigningKey, "createdAt" | "use">, now: Instant): boolean =>
  now < createdAt + signingMillis + uses[use].retiredMillis

/** Replaces signing keys before their time, while servers run. */
export class SigningKeyRotation extends Context.Service<
  SigningKeyRotation,
  {
    /**
     * Creates the next key of a use and returns its kid. It signs from now on, in other servers within a second. Older
     * keys verify for as long as their signatures can live.
     */
    readonly rotate: (use: SigningKeyUse, actor: Actor) => Effect.Effect<string>
  }
>()("@wcs/domain/SigningKeyRotation") {}
