import { Context } from "effect"

/** One-way forms of secrets that we mint, which have too many bits of their own to be guessed. */
export class Digest extends Context.Service<
  Digest,
  {
    /** SHA-256 of the text's UTF-8, hex. */
    readonly sha256: (text: string) => string
    /** Whether two digests are equal, in a time that does not depend on where they differ. */
    readonly equals: (one: string, two: string) => boolean
  }
>()("@wcs/domain/Digest") {}
