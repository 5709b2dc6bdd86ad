import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { generate, open } from "@wcs/keys/SigningKeyPair"
import { Effect } from "effect"
import { sealing } from "./Stored.ts"

describe("SigningKeyPair", () => {
  it.effect("verifies with the public half what the private half signed", () =>
    Effect.gen(function* () {
      const { privateKey, publicKey } = yield* Effect.flatMap(generate("access", 0), open)
      const text = new TextEncoder().encode("text")
      const verified = yield* Effect.promise(async () =>
        crypto.subtle.verify("Ed25519", publicKey, await crypto.subtle.sign("Ed25519", privateKey, text), text)
      )
      assert.isTrue(verified)
    }).pipe(Effect.provide(sealing(1)))
  )

  it.effect("generates a new pair each time, named by its public thumbprint (RFC 7638; RFC 8037, appendix A.3)", () =>
    Effect.gen(function* () {
      const pairs = yield* Effect.all([
        Effect.flatMap(generate("access", 7), open),
        Effect.flatMap(generate("access", 7), open)
      ])
      for (const { createdAt, kid, x } of pairs) {
        const required = `{"crv":"Ed25519","kty":"OKP","x":"${x}"}`
        assert.strictEqual(kid, createHash("sha256").update(required).digest("base64url"))
        assert.strictEqual(createdAt, 7)
      }
      assert.notStrictEqual(pairs[0].kid, pairs[1].kid)
    }).pipe(Effect.provide(sealing(1)))
  )

  it.effect("does not export the private half of an opened key", () =>
    Effect.gen(function* () {
      const { privateKey } = yield* Effect.flatMap(generate("access", 0), open)
      assert.isFalse(privateKey.extractable)
      assert.deepStrictEqual(privateKey.usages, ["sign"])
    }).pipe(Effect.provide(sealing(1)))
  )

  it.effect("does not open a stored key under another key's name", () =>
    Effect.gen(function* () {
      const [one, two] = yield* Effect.all([generate("access", 0), generate("access", 0)])
      const error = yield* Effect.flip(open({ ...one, sealedPrivateKey: two.sealedPrivateKey }))
      assert.strictEqual(error._tag, "SealBroken")
      assert.strictEqual(error.purpose, `signing key ${one.kid}`)
    }).pipe(Effect.provide(sealing(1)))
  )
})
