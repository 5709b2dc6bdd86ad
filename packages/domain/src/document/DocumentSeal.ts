import { Context, type Effect, type Result } from "effect"
import type { SealBroken } from "../shared/Seal.ts"

/** The place of a piece. An encrypted piece opens only at its place, so pieces cannot be swapped or left out. */
export interface PiecePlace {
  readonly piece: number
  readonly isLast: boolean
}

/** Encrypts one document, and hashes its content. */
export interface DocumentSealing {
  /** The key of the document, sealed under the master key. */
  readonly sealedKey: string
  /** Encrypts a piece. Each place once, in order. */
  readonly seal: (place: PiecePlace, bytes: Uint8Array) => Uint8Array
  /** SHA-256 of all bytes so far, hex. Ends the hashing. */
  readonly sha256: () => string
}

/**
 * Encrypts documents at rest (DECISIONS.md#documents). Each document has a key of its own, which is sealed under the master
 * key. A new master key therefore needs no new encryption of the content, and a document without its key is gone.
 */
export class DocumentSeal extends Context.Service<
  DocumentSeal,
  {
    /** Makes a new key. */
    readonly begin: (documentId: string) => Effect.Effect<DocumentSealing>
    /** Returns the function that decrypts the pieces of a document. */
    readonly open: (
      documentId: string,
      sealedKey: string
    ) => Effect.Effect<(place: PiecePlace, sealed: Uint8Array) => Result.Result<Uint8Array, SealBroken>, SealBroken>
  }
>()("@wcs/domain/DocumentSeal") {}
