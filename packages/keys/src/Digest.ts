import { hash, timingSafeEqual } from "node:crypto"
import { Digest } from "@wcs/domain/shared/Digest"
import { Layer } from "effect"

/** Implements the domain's digests with `node:crypto`. */
export const make: Digest["Service"] = {
  sha256: (text) => hash("sha256", text, "hex"),
  equals: (one, two) => {
    const [left, right] = [Buffer.from(one), Buffer.from(two)]
    // Only a difference in length returns early, and the length of a digest is no secret.
    return left.length === right.length && timingSafeEqual(left, right)
  }
}

export const layer = Layer.succeed(Digest, make)
