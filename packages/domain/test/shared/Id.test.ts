import { assert, describe, it } from "@effect/vitest"
import {
  ApplicantId,
  CredentialId,
  type IdKind,
  Ids,
  isId,
  layer,
  prefixes,
  randomText,
  WorkerId
} from "@wcs/domain/shared/Id"
import { Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import * as fc from "fast-check"

const kinds = Object.keys(prefixes) as ReadonlyArray<IdKind>
const ids = Layer.provide(layer, SecureRandom.layerWebCrypto)

describe("Id", () => {
  it("WRK-03, CRD-03, CRD-10: has the prefix of the specification", () => {
    assert.include(prefixes, { worker: "wkr_", credential: "cred_", applicant: "app_" })
    assert.lengthOf(new Set(Object.values(prefixes)), kinds.length)
  })

  it.effect.each(kinds)("of a %s is the prefix and 16 letters or digits, and is not an id of another kind", (kind) =>
    Effect.gen(function* () {
      const { mint, source } = yield* Ids
      const next = source(kind)
      for (const id of [yield* mint(kind), next(), next()]) {
        assert.match(id, new RegExp(`^${prefixes[kind]}[0-9A-Za-z]{16}$`))
        assert.deepStrictEqual(
          kinds.filter((other) => isId(other, id)),
          [kind]
        )
      }
    }).pipe(Effect.provide(ids))
  )

  it.effect("WRK-04, CRD-03: 20,000 ids are all different", () =>
    Effect.gen(function* () {
      const next = (yield* Ids).source("worker")
      assert.strictEqual(new Set(Array.from({ length: 20_000 }, next)).size, 20_000)
    }).pipe(Effect.provide(ids))
  )

  it.effect("a ULID has 26 characters of Crockford's alphabet and is new each time", () =>
    Effect.gen(function* () {
      const { ulid } = yield* Ids
      const minted = yield* Effect.replicateEffect(ulid, 1000)
      for (const id of minted) assert.match(id, /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/)
      assert.strictEqual(new Set(minted).size, 1000)
    }).pipe(Effect.provide(ids))
  )

  it.effect("a secret has the requested length", () =>
    Effect.gen(function* () {
      const { secret } = yield* Ids
      for (const length of [0, 1, 16, 36, 41, 500]) {
        const text = yield* secret(length)
        assert.match(text, new RegExp(`^[0-9A-Za-z]{${length}}$`))
      }
    }).pipe(Effect.provide(ids))
  )

  it.each([
    ["empty text", ""],
    ["the prefix alone", "wkr_"],
    ["15 characters", "wkr_0123456789abcde"],
    ["17 characters", "wkr_0123456789abcdefg"],
    ["another prefix", "wrk_0123456789abcdef"],
    ["the prefix in capitals", "WKR_0123456789abcdef"],
    ["another kind's prefix", "app_0123456789abcdef"],
    ["a hyphen", "wkr_0123456789abcde-"],
    ["an underscore", "wkr_0123456789abcde_"],
    ["a letter outside ASCII", "wkr_0123456789abcdé"],
    ["a trailing line break", "wkr_0123456789abcde\n"],
    ["a NUL", "wkr_0123456789abcde\0"],
    ["leading white space", " wkr_0123456789abcde"]
  ])("ENV-08: refuses %s", (_name, text) => {
    assert.isFalse(isId("worker", text))
    assert.isFalse(Schema.is(WorkerId)(text))
  })

  it("the schema and `isId` agree", () => {
    const almost = fc
      .tuple(
        fc.constantFrom(...Object.values(prefixes)),
        fc.string({ unit: fc.constantFrom(..."aZ09_-é\n"), minLength: 14, maxLength: 18 })
      )
      .map((parts) => parts.join(""))
    fc.assert(
      fc.property(fc.oneof(almost, fc.string()), (text) => {
        assert.strictEqual(Schema.is(WorkerId)(text), isId("worker", text))
        assert.strictEqual(Schema.is(ApplicantId)(text), isId("applicant", text))
        assert.strictEqual(Schema.is(CredentialId)(text), isId("credential", text))
      })
    )
  })
})

describe("randomText", () => {
  /** Returns all byte values in turn. */
  const everyByte = () => {
    let next = 0
    return (size: number) => Uint8Array.from({ length: size }, () => next++ % 256)
  }

  it("draws every character equally often for any alphabet", () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 256 }), (size) => {
        const letters = Array.from({ length: size }, (_, index) => String.fromCharCode(0x4e00 + index)).join("")
        const perRound = 256 - (256 % size)
        const drawn = randomText(perRound, letters, everyByte())
        const counts = new Map<string, number>()
        for (const letter of drawn) counts.set(letter, (counts.get(letter) ?? 0) + 1)
        assert.strictEqual(counts.size, size)
        assert.deepStrictEqual(new Set(counts.values()), new Set([perRound / size]))
      })
    )
  })

  it("draws more bytes after discarding some", () => {
    const rounds = [255, 255, 7]
    const source = (size: number) => new Uint8Array(size).fill(rounds.shift() ?? 8)
    assert.strictEqual(randomText(3, "0123456789", source), "777")
  })
})
