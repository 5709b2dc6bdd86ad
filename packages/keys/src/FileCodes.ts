import { createHmac, type Hmac, hkdfSync } from "node:crypto"
import { Redacted } from "effect"
import * as Digest from "./Digest.ts"
import { type MasterKey, publicIdsOf } from "./MasterKey.ts"

/** Computes the authentication code of a file from its parts in their order. */
export interface FileCode {
  readonly add: (part: string) => void
  /** The code of all parts, as hex. Ends the computation. */
  readonly end: () => string
}

/** Authenticates files of one form under one key. */
export interface FileKey {
  /** A public id of the key, by which a reader finds it. It reveals nothing about the key. */
  readonly id: string
  readonly begin: () => FileCode
}

const keyBytes = 32

const codeOf = (hmac: Hmac): FileCode => ({
  add: (part) => void hmac.update(part),
  end: () => hmac.digest("hex")
})

/**
 * HMAC-SHA256 (RFC 2104) under keys that are derived from the master key for a form of file (RFC 5869): the key for new
 * files, then the previous one while the master key is rotated.
 */
export const fileKeysOf = (
  key: MasterKey["Service"],
  form: string
): readonly [current: FileKey, ...previous: ReadonlyArray<FileKey>] => {
  const ids = publicIdsOf(key, form)
  const keyOf = (master: Uint8Array, index: number): FileKey => {
    const derived = new Uint8Array(hkdfSync("sha256", master, new Uint8Array(), `authentication of ${form}`, keyBytes))
    return { id: ids[index] ?? "", begin: () => codeOf(createHmac("sha256", derived)) }
  }
  const [current, ...previous] = Redacted.value(key)
  return [keyOf(current, 0), ...previous.map((master, index) => keyOf(master, index + 1))]
}

/** Compares two codes in a time that does not depend on where they differ. */
export const isSameCode = Digest.make.equals
