import { readFile, writeFile } from "node:fs/promises"
import { toRfc3339 } from "@wcs/domain/shared/Instant"
import { type FileKey, fileKeysOf, isSameCode } from "@wcs/keys/FileCodes"
import type { MasterKey } from "@wcs/keys/MasterKey"
import { describe } from "@wcs/node-server/StartRefused"
import { Deletion } from "@wcs/store-sql/erasure/DeletionList"
import { Listed } from "@wcs/store-sql/erasure/ErasureList"
import { Clock, Effect, Option, Schema } from "effect"
import { Misused, Refused } from "../Output.ts"

/** The form of the file. The first one has no deletions. */
const form = "wcs erasures 2"

/** The form that names the key of both. */
const keyForm = "wcs erasures 1"

/** The keys of lists: the one for new lists first. */
export const listKeysOf = (masterKey: MasterKey["Service"]) => fileKeysOf(masterKey, keyForm)

const shared = { writtenAt: Schema.String, key: Schema.String, erasures: Schema.Array(Listed), code: Schema.String }
const ErasuresFile = Schema.Union([
  Schema.Struct({ form: Schema.Literal(form), ...shared, deletions: Schema.Array(Deletion) }),
  Schema.Struct({ form: Schema.Literal(keyForm), ...shared })
])

/** What a restored store must not bring back. */
export interface Gone {
  readonly erasures: ReadonlyArray<Listed>
  /** Undefined in a list of the first form. */
  readonly deletions?: ReadonlyArray<Deletion>
}

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(ErasuresFile))

/** The authentication code of a list. A false list would erase people from the restored store. */
const codeOf = (key: FileKey, { deletions, erasures }: Gone, writtenAt: string): string => {
  const code = key.begin()
  code.add(JSON.stringify([writtenAt, erasures, ...(deletions === undefined ? [] : [deletions])]))
  return code.end()
}

/** Writes a list to a new file of mode 0600. */
export const writeErasures = Effect.fnUntraced(function* (file: string, key: FileKey, gone: Required<Gone>) {
  const writtenAt = toRfc3339(yield* Clock.currentTimeMillis)
  const text = JSON.stringify({ form, writtenAt, key: key.id, ...gone, code: codeOf(key, gone, writtenAt) })
  yield* Effect.tryPromise({
    try: () => writeFile(file, `${text}\n`, { flag: "wx", mode: 0o600 }),
    catch: (cause) => new Misused({ message: `${file} cannot be created: ${describe(cause)}` })
  })
})

/** Reads a list. Fails if it was not written with one of the keys. */
export const readList = Effect.fnUntraced(function* (file: string, keys: ReadonlyArray<FileKey>) {
  const text = yield* Effect.tryPromise({
    try: () => readFile(file, "utf8"),
    catch: (cause) => new Misused({ message: `${file} cannot be read: ${describe(cause)}` })
  })
  const list = Option.getOrUndefined(decode(text))
  if (list === undefined) return yield* new Refused({ message: `${file} is not a list that wcs erasures wrote` })
  const key = keys.find(({ id }) => id === list.key)
  if (key === undefined || !isSameCode(codeOf(key, list, list.writtenAt), list.code)) {
    return yield* new Refused({ message: `${file} was altered, or was written with another master key` })
  }
  return { deletions: [], ...list } satisfies Gone
})
