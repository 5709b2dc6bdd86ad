import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { type Seal as Port, SealBroken } from "@wcs/domain/shared/Seal"
import * as MasterKey from "@wcs/keys/MasterKey"
import * as Seal from "@wcs/keys/Seal"
import { Effect, Layer, Option, Redacted, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import * as fc from "fast-check"

const sealWith = (...fills: ReadonlyArray<number>): Port["Service"] =>
  Effect.runSync(
    Seal.make.pipe(
      Effect.provide(
        Layer.merge(
          MasterKey.layer(
            Result.getOrThrow(
              MasterKey.fromText(fills.map((fill) => Buffer.alloc(32, fill).toString("hex")).join("\n"))
            )
          ),
          SecureRandom.layerWebCrypto
        )
      )
    )
  )

const seal = sealWith(1)
const make = (secret: string, purpose = "test") => Effect.runSync(seal.seal(purpose, Redacted.make(secret)))
const open = (sealed: string, purpose = "test", by = seal) =>
  Effect.runSync(Effect.result(Effect.map(by.open(purpose, sealed), Redacted.value)))
const isBroken = (opened: ReturnType<typeof open>) => Result.isFailure(opened) && opened.failure instanceof SealBroken

const text = fc.string({ unit: "binary", maxLength: 200 })

describe("Seal", () => {
  it("opens what it sealed", () => {
    fc.assert(
      fc.property(text, text, (secret, purpose) => {
        assert.deepStrictEqual(open(make(secret, purpose), purpose), Result.succeed(secret))
      })
    )
  })

  it("seals the same secret differently each time", () => {
    assert.strictEqual(new Set(Array.from({ length: 100 }, () => make("secret"))).size, 100)
  })

  it("does not open with any character changed, removed or added", () => {
    const changed = fc.tuple(text, fc.nat(), fc.constantFrom(..."ABCDwxyz019-_.=v+ "), fc.nat(2))
    fc.assert(
      fc.property(changed, ([secret, position, character, kind]) => {
        const sealed = make(secret)
        const at = position % sealed.length
        const altered = sealed.slice(0, at) + (kind === 0 ? "" : character) + sealed.slice(kind === 2 ? at : at + 1)
        fc.pre(altered !== sealed)
        assert.isTrue(isBroken(open(altered)))
      }),
      { numRuns: 1000 }
    )
  })

  it("does not open in another spelling of the same bytes", () => {
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    // 33 bytes of nonce, ciphertext and tag fill 44 letters. 34 leave 4 unused bits in the last letter, 35 leave 2.
    for (const secret of ["12345", "123456", "1234567"]) {
      const sealed = make(secret)
      const others = [...alphabet].map((letter) => sealed.slice(0, -1) + letter).filter((other) => other !== sealed)
      for (const other of [...others, `${sealed}=`, `${sealed}==`, `${sealed}\n`, sealed.replace("v1.", "v1.\n")]) {
        assert.isTrue(isBroken(open(other)))
      }
    }
  })

  it("does not open when truncated anywhere", () => {
    const sealed = make("secret")
    for (let length = 0; length < sealed.length; length++) assert.isTrue(isBroken(open(sealed.slice(0, length))))
  })

  it("does not open for another purpose", () => {
    fc.assert(
      fc.property(text, text, (one, two) => {
        fc.pre(one !== two)
        assert.isTrue(isBroken(open(make("secret", one), two)))
      })
    )
  })

  it("does not open under another master key", () => {
    assert.isTrue(isBroken(open(make("secret"), "test", sealWith(2))))
  })

  it("opens under the current and the previous master key, and seals under the current one", () => {
    const [rotating, rotated] = [sealWith(2, 1), sealWith(2)]
    assert.deepStrictEqual(open(make("secret"), "test", rotating), Result.succeed("secret"))
    const fresh = Effect.runSync(rotating.seal("test", Redacted.make("secret")))
    assert.deepStrictEqual(open(fresh, "test", rotated), Result.succeed("secret"))
    assert.isTrue(isBroken(open(fresh)))
    assert.isTrue(isBroken(open(make("secret"), "other", rotating)), "the previous key opens one purpose only, too")
  })

  it("reseals what only the previous master key opens", () => {
    const [rotating, rotated] = [sealWith(2, 1), sealWith(2)]
    const resealed = Effect.runSync(rotating.reseal("test", make("secret")))
    assert.isTrue(Option.isSome(resealed))
    const fresh = Option.getOrThrow(resealed)
    assert.deepStrictEqual(open(fresh, "test", rotated), Result.succeed("secret"))
    assert.deepStrictEqual(Effect.runSync(rotating.reseal("test", fresh)), Option.none())
    for (const [by, purpose] of [
      [rotated, "test"],
      [sealWith(2, 3), "test"],
      [rotating, "other"]
    ] as const) {
      assert.instanceOf(Effect.runSync(Effect.flip(by.reseal(purpose, make("secret")))), SealBroken)
    }
  })

  it("discloses neither the secret nor the key when it does not open", () => {
    const opened = open(make("hunter2hunter2"), "webhook")
    assert.isTrue(Result.isFailure(opened))
    const told = inspect(opened, { depth: 10 }) + JSON.stringify(opened)
    assert.notMatch(told, /hunter2|0101/)
  })

  it("is AES-256-GCM over nonce, ciphertext and tag, under a key by HKDF: Web Crypto opens it", async () => {
    const sealed = make("sécret", "signing key x")
    assert.match(sealed, /^v1\.[\w-]+$/)
    const bytes = Buffer.from(sealed.slice(3), "base64url")
    const additionalData = new TextEncoder().encode("v1.signing key x")
    const master = await crypto.subtle.importKey("raw", new Uint8Array(32).fill(1), "HKDF", false, ["deriveKey"])
    const key = await crypto.subtle.deriveKey(
      { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: additionalData },
      master,
      { name: "AES-GCM", length: 256 },
      false,
      ["decrypt"]
    )
    const opened = await crypto.subtle.decrypt(
      { name: "AES-GCM", iv: bytes.subarray(0, 12), additionalData, tagLength: 128 },
      key,
      bytes.subarray(12)
    )
    assert.strictEqual(new TextDecoder().decode(opened), "sécret")
  })
})
