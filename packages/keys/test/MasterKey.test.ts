import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import * as MasterKey from "@wcs/keys/MasterKey"
import { Effect, Redacted, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import * as fc from "fast-check"

const key = fc.uint8Array({ minLength: 32, maxLength: 32 })
const keysOf = (made: ReturnType<typeof MasterKey.fromText>) => Redacted.value(Result.getOrThrow(made))
const bytesOf = (made: ReturnType<typeof MasterKey.fromText>) => keysOf(made)[0]

describe("MasterKey", () => {
  it("reads hex, base64 and base64url, with or without padding and surrounding white space", () => {
    fc.assert(
      fc.property(key, fc.constantFrom("", "\n", " ", "\r\n"), (bytes, space) => {
        const buffer = Buffer.from(bytes)
        const hex = buffer.toString("hex")
        const texts = [hex, hex.toUpperCase(), buffer.toString("base64"), buffer.toString("base64url")]
        for (const text of texts) assert.deepStrictEqual(bytesOf(MasterKey.fromText(space + text + space)), bytes)
      })
    )
  })

  it("reads back what it writes", () => {
    fc.assert(
      fc.property(key, (bytes) => {
        const made = Result.getOrThrow(MasterKey.fromBytes(bytes))
        assert.deepStrictEqual(bytesOf(MasterKey.fromText(Redacted.value(MasterKey.toText(made)))), bytes)
      })
    )
  })

  it("derives public ids that differ by key and subject, one for each key, and contain no key", () => {
    const ids = (bytes: Uint8Array, subject: string) =>
      MasterKey.publicIdsOf(Result.getOrThrow(MasterKey.fromBytes(bytes)), subject)
    fc.assert(
      fc.property(key, key, (one, two) => {
        fc.pre(Buffer.compare(one, two) !== 0)
        assert.deepStrictEqual(ids(one, "a"), ids(one, "a"))
        assert.strictEqual(new Set([ids(one, "a"), ids(one, "b"), ids(two, "a")].flat()).size, 3)
        assert.match(ids(one, "a").join(), /^[0-9a-f]{24}$/)
        assert.notInclude(Buffer.from(one).toString("hex"), ids(one, "a").join())
        const both = Result.getOrThrow(
          MasterKey.fromText([one, two].map((bytes) => Buffer.from(bytes).toString("hex")).join("\n"))
        )
        assert.deepStrictEqual(MasterKey.publicIdsOf(both, "a"), [...ids(one, "a"), ...ids(two, "a")])
      })
    )
  })

  it("reads a second key on a line of its own, and writes it back", () => {
    fc.assert(
      fc.property(key, key, fc.constantFrom("\n", "\r\n", "\n\n", " \n "), (one, two, space) => {
        const text = `${Buffer.from(one).toString("hex")}${space}${Buffer.from(two).toString("base64")}\n`
        const made = Result.getOrThrow(MasterKey.fromText(text))
        assert.deepStrictEqual(Redacted.value(made), [one, two])
        assert.isTrue(MasterKey.isRotating(made))
        assert.deepStrictEqual(keysOf(MasterKey.fromText(Redacted.value(MasterKey.toText(made)))), [one, two])
        assert.isFalse(MasterKey.isRotating(Result.getOrThrow(MasterKey.fromBytes(one))))
      })
    )
  })

  const refused: ReadonlyArray<readonly [name: string, text: string, reason: MasterKey.MasterKeyMalformed["reason"]]> =
    [
      ["nothing", "", "length"],
      ["white space", " \n", "length"],
      ["31 bytes of hex", "ab".repeat(31), "length"],
      ["33 bytes of hex", "ab".repeat(33), "length"],
      ["31 bytes of base64", Buffer.alloc(31, 7).toString("base64"), "length"],
      ["33 bytes of base64", Buffer.alloc(33, 7).toString("base64"), "length"],
      ["a passphrase", "correct horse battery staple", "encoding"],
      ["64 characters that are not hex", "z!".repeat(32), "encoding"],
      ["three keys", Array.from({ length: 3 }, () => "ab".repeat(32)).join("\n"), "lines"],
      ["a second key that is none", `${"ab".repeat(32)}\nno key`, "encoding"],
      ["a PEM block", "-----BEGIN PRIVATE KEY-----", "encoding"]
    ]
  it.each(refused)("refuses %s, and does not repeat it", (_name, text, reason) => {
    const error = Result.getOrThrow(Result.flip(MasterKey.fromText(text)))
    assert.strictEqual(error._tag, "MasterKeyMalformed")
    assert.strictEqual(error.reason, reason)
    if (text.trim() !== "") assert.notInclude(inspect(error) + error.message, text.trim())
  })

  it("refuses any other number of bytes than 32", () => {
    const others = fc.uint8Array({ maxLength: 64 }).filter(({ length }) => length !== 32)
    fc.assert(fc.property(others, (bytes) => Result.isFailure(MasterKey.fromBytes(bytes))))
  })

  it("is not shown by printing, and does not change with its source array", () => {
    const bytes = new Uint8Array(32).fill(0xab)
    const made = Result.getOrThrow(MasterKey.fromBytes(bytes))
    bytes.fill(0)
    assert.deepStrictEqual(Redacted.value(made), [new Uint8Array(32).fill(0xab)])
    for (const text of [String(made), JSON.stringify({ made }), inspect(made)]) assert.notMatch(text, /ab|171/)
  })

  it.effect("generates different keys", () =>
    Effect.gen(function* () {
      const keys = yield* Effect.all(Array.from({ length: 50 }, () => MasterKey.generate))
      assert.strictEqual(new Set(keys.map((made) => Redacted.value(MasterKey.toText(made)))).size, 50)
    }).pipe(Effect.provide(SecureRandom.layerWebCrypto))
  )
})
