import { codeDigits, seedBytes, stepSeconds } from "@wcs/domain/second-factor/SecondFactor"
import { Totp } from "@wcs/domain/second-factor/Totp"
import { Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { Secret, TOTP } from "otpauth"

const appOf = (seed: Redacted.Redacted, label = "", issuer = "") =>
  new TOTP({
    issuer,
    label,
    algorithm: "SHA1",
    digits: codeDigits,
    period: stepSeconds,
    secret: Secret.fromBase32(Redacted.value(seed))
  })

/** A colon separates issuer and account in the URI, so apps read a name with a colon as another issuer and account. */
const withoutColons = (name: string): string => name.replaceAll(/\s*:\s*/g, " ").trim()

/** Implements the domain's one-time passwords with `otpauth`. */
export const make = Effect.gen(function* () {
  const random = yield* SecureRandom.SecureRandom
  return Totp.of({
    seed: Effect.map(random.randomBytes(seedBytes), (bytes) =>
      Redacted.make(new Secret({ buffer: Uint8Array.from(bytes).buffer }).base32)
    ),
    codeAt: (seed, step) => appOf(seed).generate({ timestamp: step * stepSeconds * 1000 }),
    uri: (issuer, email, seed) => Redacted.make(appOf(seed, email, withoutColons(issuer)).toString())
  })
})

export const layer = Layer.effect(Totp, make)
