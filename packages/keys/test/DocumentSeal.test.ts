import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { purposeOf } from "@wcs/domain/document/Document"
import { DocumentSeal, type PiecePlace } from "@wcs/domain/document/DocumentSeal"
import { Seal } from "@wcs/domain/shared/Seal"
import * as DocumentSealLayer from "@wcs/keys/DocumentSeal"
import { Effect, Layer, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { sealing } from "./Stored.ts"

const under = (fill: number) =>
  DocumentSealLayer.layer.pipe(Layer.provideMerge(sealing(fill)), Layer.provide(SecureRandom.layerWebCrypto))

const begin = (id: string) => DocumentSeal.use((seal) => seal.begin(id))
const open = (id: string, sealedKey: string) => DocumentSeal.use((seal) => seal.open(id, sealedKey))

const [first, last]: ReadonlyArray<PiecePlace> = [
  { piece: 0, isLast: false },
  { piece: 1, isLast: true }
]
const bytes = (fill: number, length = 1000) => new Uint8Array(length).fill(fill)

describe("threat 87: a document at rest", () => {
  it.effect("opens each piece at its place only, and hashes the content", () =>
    Effect.gen(function* () {
      assert.isDefined(first)
      assert.isDefined(last)
      const { seal, sealedKey, sha256 } = yield* begin("doc_1")
      const [one, two] = [seal(first, bytes(1)), seal(last, bytes(2, 10))]
      const hash = createHash("sha256").update(bytes(1)).update(bytes(2, 10)).digest("hex")
      assert.strictEqual(sha256(), hash)
      assert.isFalse(Buffer.from(one).includes(Buffer.from(bytes(1, 8))))
      const read = yield* open("doc_1", sealedKey)
      assert.deepStrictEqual(Result.map(read(first, one), Array.from), Result.succeed([...bytes(1)]))
      assert.deepStrictEqual(Result.map(read(last, two), Array.from), Result.succeed([...bytes(2, 10)]))
      const altered = Uint8Array.from(two)
      altered[0] = (altered[0] ?? 0) ^ 1
      const wrong: ReadonlyArray<readonly [PiecePlace, Uint8Array]> = [
        [first, two],
        [last, one],
        [{ piece: 0, isLast: true }, one], // a document that was cut after its first piece
        [{ piece: 1, isLast: false }, two],
        [last, altered],
        [last, two.subarray(0, -1)],
        [last, new Uint8Array()]
      ]
      for (const [place, piece] of wrong) assert.isTrue(Result.isFailure(read(place, piece)))
    }).pipe(Effect.provide(under(1)))
  )

  it.effect("has a key of its own that opens under its id and master key only", () =>
    Effect.gen(function* () {
      assert.isDefined(last)
      const [one, other] = [yield* begin("doc_1"), yield* begin("doc_2")]
      assert.notStrictEqual(one.sealedKey, other.sealedKey)
      const piece = one.seal(last, bytes(1))
      const readOther = yield* open("doc_2", other.sealedKey)
      assert.isTrue(Result.isFailure(readOther(last, piece)))
      assert.isTrue(Result.isFailure(yield* Effect.result(open("doc_2", one.sealedKey))))
      const foreign = yield* Effect.result(Effect.provide(open("doc_1", one.sealedKey), under(2), { local: true }))
      assert.isTrue(Result.isFailure(foreign))
      const resealed = yield* Seal.use((seal) => seal.reseal(purposeOf("doc_1"), one.sealedKey))
      assert.strictEqual(resealed._tag, "None") // it is sealed as other secrets are, so that a rotation covers it
    }).pipe(Effect.provide(under(1)))
  )
})
