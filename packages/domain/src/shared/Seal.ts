import { Context, Data, type Effect, type Redacted } from "effect"

/**
 * What is kept cannot be opened: it was sealed under another master key or for another purpose, or it was altered.
 * Which of these is not known, and nothing of the secret is told.
 */
export class SealBroken extends Data.TaggedError("SealBroken")<{ readonly purpose: string }> {
  override get message(): string {
    return `what is kept as ${this.purpose} does not open under this master key`
  }
}

/** Encryption at rest of the secrets that must be read back (DECISIONS.md#access). */
export class Seal extends Context.Service<
  Seal,
  {
    /**
     * The secret as it may be stored, different each time. The purpose names the one thing that it is the secret of
     * (`signing key <kid>`): under another it does not open, so that no stored value can stand in for another. Never
     * fails.
     */
    readonly seal: (purpose: string, secret: Redacted.Redacted) => Effect.Effect<string>
    /** The secret of a text that `seal` made for the same purpose. */
    readonly open: (purpose: string, sealed: string) => Effect.Effect<Redacted.Redacted, SealBroken>
  }
>()("@wcs/domain/Seal") {}
