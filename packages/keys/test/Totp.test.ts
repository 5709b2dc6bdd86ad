import { assert, describe, it } from "@effect/vitest"
import { stepOf } from "@wcs/domain/second-factor/SecondFactor"
import { Totp } from "@wcs/domain/second-factor/Totp"
import * as Keys from "@wcs/keys/Totp"
import { Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"

const withTotp = <A>(use: (totp: Totp["Service"]) => Effect.Effect<A>) =>
  Effect.provide(Totp.use(use), Layer.provide(Keys.layer, SecureRandom.layerWebCrypto))

/** RFC 6238, appendix B: the seed `12345678901234567890`, and the last six of the eight digits of each code. */
const rfcSeed = Redacted.make("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")
const rfcCodes = [
  [59, "287082"],
  [1111111109, "081804"],
  [1111111111, "050471"],
  [1234567890, "005924"],
  [2000000000, "279037"],
  [20000000000, "353130"]
] as const

describe("AUT-17: Totp", () => {
  it.effect.each(rfcCodes)("computes the code of RFC 6238, appendix B at %i seconds", ([seconds, code]) =>
    withTotp((totp) => Effect.sync(() => assert.strictEqual(totp.codeAt(rfcSeed, stepOf(seconds * 1000)), code)))
  )

  it.effect("generates a seed of 160 random bits in Base32", () =>
    withTotp((totp) =>
      Effect.gen(function* () {
        const [one, two] = [yield* totp.seed, yield* totp.seed]
        assert.match(Redacted.value(one), /^[A-Z2-7]{32}$/)
        assert.notStrictEqual(Redacted.value(one), Redacted.value(two))
      })
    )
  )

  it.effect("names issuer, account and parameters in the URI for the app", () =>
    withTotp((totp) =>
      Effect.sync(() => {
        const uri = new URL(Redacted.value(totp.uri("Aged & Care: Ltd", "ann@example.org", rfcSeed)))
        assert.strictEqual(uri.protocol, "otpauth:")
        assert.strictEqual(uri.searchParams.get("secret"), Redacted.value(rfcSeed))
        assert.strictEqual(uri.searchParams.get("period"), "30")
        assert.strictEqual(uri.searchParams.get("digits"), "6")
        assert.strictEqual(uri.searchParams.get("issuer"), "Aged & Care Ltd")
        assert.strictEqual(
          decodeURIComponent(uri.pathname).replace(/^\/+(?:totp\/)?/, ""),
          "Aged & Care Ltd:ann@example.org"
        )
      })
    )
  )
})
