import { Context, Data, type Effect, type Option, type Redacted } from "effect"

/**
 * The sealed text cannot be opened: another master key or purpose, or the text was altered. The error does not say
 * which and reveals nothing of the secret.
 */
export class SealBroken extends Data.TaggedError("SealBroken")<{ readonly purpose: string }> {
  override get message(): string {
    return `the stored ${this.purpose} cannot be decrypted with this master key`
  }
}

/** Encrypts secrets at rest that must be read back (DECISIONS.md#access). */
export class Seal extends Context.Service<
  Seal,
  {
    /**
     * Returns the encrypted secret, different each time. The purpose names the secret's owner (`signing key <kid>`). A
     * sealed text opens only for the same purpose, so stored values cannot be swapped. Never fails.
     */
    readonly seal: (purpose: string, secret: Redacted.Redacted) => Effect.Effect<string>
    /** Returns the secret in a text that `seal` made for the same purpose. */
    readonly open: (purpose: string, sealed: string) => Effect.Effect<Redacted.Redacted, SealBroken>
    /**
     * Returns the secret of a sealed text, encrypted under the current master key. None if the text is already sealed
     * under the current key.
     */
    readonly reseal: (purpose: string, sealed: string) => Effect.Effect<Option.Option<string>, SealBroken>
  }
>()("@wcs/domain/Seal") {}
