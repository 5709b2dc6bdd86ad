import { readFile, writeFile } from "node:fs/promises"
import { toRfc3339 } from "@wcs/domain/shared/Instant"
import { type FileKey, isSameCode } from "@wcs/keys/FileCodes"
import { describe } from "@wcs/node-server/StartRefused"
import { Listed } from "@wcs/store-sql/erasure/ErasureList"
import { Clock, Effect, Option, Schema } from "effect"
import { Misused, Refused } from "../Output.ts"

/** The form of the file, which also names its key. */
export const form = "wcs erasures 1"

const ErasuresFile = Schema.Struct({
  form: Schema.Literal(form),
  writtenAt: Schema.String,
  key: Schema.String,
  erasures: Schema.Array(Listed),
  code: Schema.String
})

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(ErasuresFile))

/** The authentication code of a list. A false list would erase people from the restored store. */
const codeOf = (key: FileKey, erasures: ReadonlyArray<Listed>, writtenAt: string): string => {
  const code = key.begin()
  code.add(JSON.stringify([writtenAt, erasures]))
  return code.end()
}

/** Writes a list to a new file of mode 0600. */
export const writeErasures = Effect.fnUntraced(function* (file: string, key: FileKey, erasures: ReadonlyArray<Listed>) {
  const writtenAt = toRfc3339(yield* Clock.currentTimeMillis)
  const text = JSON.stringify({ form, writtenAt, key: key.id, erasures, code: codeOf(key, erasures, writtenAt) })
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
  if (key === undefined || !isSameCode(codeOf(key, list.erasures, list.writtenAt), list.code)) {
    return yield* new Refused({ message: `${file} was altered, or was written with another master key` })
  }
  return list.erasures
})
