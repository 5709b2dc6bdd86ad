import { Clock, Effect, Option, Redacted, Schema } from "effect"
import type { Instant } from "../shared/Instant.ts"
import type { Seal } from "../shared/Seal.ts"

/** Longer tokens are refused without decryption. */
const maxLength = 2048

/** Encrypted tokens for one purpose. The server does not store them. */
export interface SealedTokens<A> {
  readonly make: (value: A, lifetimeMillis: number) => Effect.Effect<Redacted.Redacted>
  /**
   * Returns the value of a token that `make` returned for this purpose; none if the token is invalid or has expired.
   */
  readonly read: (token: Redacted.Redacted) => Effect.Effect<Option.Option<A>>
}

/** Returns the tokens of a purpose. A token of another purpose is never accepted. */
export const sealedTokens = <A>(
  seal: Seal["Service"],
  purpose: string,
  schema: Schema.Codec<A, unknown>
): SealedTokens<A> => {
  const Text = Schema.fromJsonString(Schema.Struct({ value: schema, expiresAt: Schema.Finite }))
  const encode = Schema.encodeSync(Text)
  const decode = Schema.decodeUnknownOption(Text)
  return {
    make: (value, lifetimeMillis) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.map(seal.seal(purpose, Redacted.make(encode({ value, expiresAt: now + lifetimeMillis }))), Redacted.make)
      ),
    read: (token) =>
      Redacted.value(token).length > maxLength
        ? Effect.succeedNone
        : Effect.gen(function* () {
            const now: Instant = yield* Clock.currentTimeMillis
            const opened = yield* Effect.option(seal.open(purpose, Redacted.value(token)))
            return opened.pipe(
              Option.flatMap((text) => decode(Redacted.value(text))),
              Option.filter(({ expiresAt }) => now < expiresAt),
              Option.map(({ value }) => value)
            )
          })
  }
}
