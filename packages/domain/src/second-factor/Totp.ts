import { Context, type Effect, type Redacted } from "effect"

/** Time-based one-time passwords (RFC 6238 with SHA-1 and six digits, as authenticator apps expect). */
export class Totp extends Context.Service<
  Totp,
  {
    /** Returns a new seed of `seedBytes` bytes in Base32 without padding (RFC 4648, section 6). */
    readonly seed: Effect.Effect<Redacted.Redacted>
    /** Returns the code of a time step. `seed` must come from `seed`. */
    readonly codeAt: (seed: Redacted.Redacted, step: number) => string
    /** Returns the `otpauth:` URI that an authenticator app reads from a QR code. */
    readonly uri: (issuer: string, email: string, seed: Redacted.Redacted) => Redacted.Redacted
  }
>()("@wcs/domain/Totp") {}
