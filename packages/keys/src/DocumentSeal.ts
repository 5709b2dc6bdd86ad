import { createCipheriv, createDecipheriv, createHash } from "node:crypto"
import { purposeOf } from "@wcs/domain/document/Document"
import { DocumentSeal, type PiecePlace } from "@wcs/domain/document/DocumentSeal"
import { Seal, SealBroken } from "@wcs/domain/shared/Seal"
import { Effect, Layer, Redacted, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"

const algorithm = "aes-256-gcm"
const keyBytes = 32
const tagBytes = 16

/** The number of the piece. A key encrypts one document, each piece once, so no nonce comes twice. */
const nonceOf = ({ piece }: PiecePlace): Uint8Array => {
  const nonce = new Uint8Array(12)
  new DataView(nonce.buffer).setUint32(8, piece)
  return nonce
}

/** Authenticates the document, and whether the piece is its last one, so that nobody can cut a document short. */
const associated = (documentId: string, { isLast }: PiecePlace): Buffer =>
  Buffer.from(`v1.${purposeOf(documentId)} ${isLast ? "last" : "more"}`)

/**
 * AES-256-GCM (NIST SP 800-38D) for each piece: ciphertext and tag, under a random key for each document. `Seal` encrypts
 * that key under the master key.
 */
export const make = Effect.gen(function* () {
  const seals = yield* Seal
  const random = yield* SecureRandom.SecureRandom

  return DocumentSeal.of({
    begin: Effect.fnUntraced(function* (documentId) {
      const key = yield* random.randomBytes(keyBytes)
      const sealedKey = yield* seals.seal(purposeOf(documentId), Redacted.make(Base64Url.encode(key)))
      const hash = createHash("sha256")
      return {
        sealedKey,
        seal: (place, bytes) => {
          hash.update(bytes)
          const cipher = createCipheriv(algorithm, key, nonceOf(place), { authTagLength: tagBytes })
          cipher.setAAD(associated(documentId, place))
          return Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
        },
        sha256: () => hash.digest("hex")
      }
    }),
    open: Effect.fnUntraced(function* (documentId, sealedKey) {
      const purpose = purposeOf(documentId)
      const broken = () => new SealBroken({ purpose })
      const opened = Redacted.value(yield* seals.open(purpose, sealedKey))
      const key = yield* Effect.fromResult(Result.mapError(Base64Url.decode(opened), broken))
      return (place, sealed) =>
        Result.try({
          try: () => {
            const decipher = createDecipheriv(algorithm, key, nonceOf(place), { authTagLength: tagBytes })
            decipher.setAAD(associated(documentId, place)).setAuthTag(sealed.subarray(-tagBytes))
            return Buffer.concat([decipher.update(sealed.subarray(0, -tagBytes)), decipher.final()])
          },
          catch: broken
        })
    })
  })
})

export const layer = Layer.effect(DocumentSeal, make)
