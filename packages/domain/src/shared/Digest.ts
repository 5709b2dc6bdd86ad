import { Context } from "effect"

/** SHA-256 of the UTF-8 of a text, in hex. */
export type Sha256 = (text: string) => string

/** Hashes secrets that the service mints. These have enough entropy, so a slow hash is not needed. */
export class Digest extends Context.Service<
  Digest,
  {
    /** Returns the SHA-256 of the text's UTF-8, hex. */
    readonly sha256: Sha256
    /** Returns whether two digests are equal, in constant time. */
    readonly equals: (one: string, two: string) => boolean
  }
>()("@wcs/domain/Digest") {}
