import { chmod, readdir, stat } from "node:fs/promises"
import { isAbsolute, join, relative, resolve } from "node:path"
import * as MasterKey from "@wcs/keys/MasterKey"
import { Context, Effect, Layer, Option, Redacted, Result } from "effect"
import { Settings } from "../Settings.ts"
import { reasonOf, StartRefused } from "../StartRefused.ts"
import {
  isOpenToOthers,
  makeDirectory,
  offerSecret,
  privateDirectoryMode,
  readSecret,
  removeFile,
  settleName
} from "./PrivateFile.ts"

/** The data directory, found or made, with the master key that belongs to its store (DECISIONS.md#operation). */
export class DataDirectory extends Context.Service<
  DataDirectory,
  {
    readonly path: string
    readonly storeFile: string
    /** The Unix socket of `wcs admin`, short enough for the system's limit. */
    readonly socketFile: string
    readonly masterKey: MasterKey.MasterKey["Service"]
    /** Whether no first run was ever completed here: only then may there be no store. */
    readonly isNew: boolean
    /** Says that the first run is complete: from now on the key is that of a store which is there. */
    readonly complete: Effect.Effect<void, StartRefused>
  }
>()("@wcs/http-node/DataDirectory") {}

const storeName = "wcs.sqlite"
const keyName = "master.key"
/** The key of a first run that is under way. */
const newKeyName = "master.key.new"
const socketName = "admin.sock"

/** `sun_path` holds 108 bytes on Linux, 104 on macOS, the final NUL among them. */
const socketPathBytes = 103

/** The shorter of the two ways to write a path. */
const shortest = (path: string): string => {
  const fromHere = relative(process.cwd(), path)
  return fromHere.length < path.length && !isAbsolute(fromHere) ? `./${fromHere}` : path
}

/** Where the socket of a data directory is. */
export const socketOf = (directory: string) => {
  const path = shortest(join(resolve(directory), socketName))
  return Buffer.byteLength(path) <= socketPathBytes
    ? Effect.succeed(path)
    : Effect.fail(
        new StartRefused({
          message: `WCS_DATA must be a shorter path: a socket's has at most ${socketPathBytes} bytes.`
        })
      )
}

/** What is in the directory, which is made where it is not there, and closed to others where it is still empty. */
const enter = Effect.fnUntraced(function* (path: string) {
  yield* makeDirectory(path)
  const { mode, names } = yield* Effect.tryPromise({
    try: async () => ({ mode: (await stat(path)).mode, names: await readdir(path) }),
    catch: (cause) => new StartRefused({ message: `The data directory ${path} cannot be read: ${reasonOf(cause)}.` })
  })
  if (!isOpenToOthers(mode)) return names
  // A directory with something in it may be somebody's home: it is theirs to close.
  if (names.length > 0) {
    return yield* new StartRefused({
      message: `The data directory ${path} is open to other users of this machine; run chmod 700 ${path} first.`
    })
  }
  yield* Effect.tryPromise({
    try: () => chmod(path, privateDirectoryMode),
    catch: (cause) => new StartRefused({ message: `The data directory ${path} cannot be closed: ${reasonOf(cause)}.` })
  })
  return names
})

const readKey = Effect.fnUntraced(function* (file: string) {
  const text = yield* readSecret(file, "The master key")
  if (Option.isNone(text)) return Option.none()
  const key = MasterKey.fromText(text.value)
  if (Result.isSuccess(key)) return Option.some(key.success)
  return yield* new StartRefused({
    message: `${file} is no master key: ${key.failure.message}; put the right one back.`
  })
})

/** The key, and whether it is that of a first run which is not complete. */
const findKey = Effect.fnUntraced(function* (path: string) {
  const kept = yield* readKey(join(path, keyName))
  if (Option.isSome(kept)) return Option.some({ masterKey: kept.value, isNew: false })
  const begun = yield* readKey(join(path, newKeyName))
  if (Option.isSome(begun)) return Option.some({ masterKey: begun.value, isNew: true })
  // Another process may have completed its first run between the two.
  return Option.map(yield* readKey(join(path, keyName)), (masterKey) => ({ masterKey, isNew: false }))
})

/**
 * The key of the store. A new one is made only where there is no store yet: a lost key is never papered over. Until the
 * store is whole the key has another name, so that `master.key` without a store means that the store was lost, however
 * a first run was cut short.
 */
const masterKeyOf = Effect.fnUntraced(function* (path: string, names: ReadonlyArray<string>) {
  const found = yield* findKey(path)
  if (Option.isSome(found)) {
    const isLeftOver = names.includes(newKeyName) && !found.value.isNew // cut short between its two names
    if (isLeftOver) yield* removeFile(join(path, newKeyName))
    return found.value
  }
  if (names.includes(storeName)) {
    return yield* new StartRefused({
      message: `The store in ${path} has lost its master key: put ${keyName} back from a backup; nothing was changed.`
    })
  }
  const made = yield* MasterKey.generate
  yield* offerSecret(join(path, newKeyName), `${Redacted.value(MasterKey.toText(made))}\n`)
  // Another process that starts on the same directory may have been faster: its key is the key.
  return Option.getOrElse(yield* findKey(path), () => ({ masterKey: made, isNew: true }))
})

/** The key that the settings name, which is never made: it is nowhere to be put that its other servers would find. */
const givenKey = Effect.fnUntraced(function* (file: string, names: ReadonlyArray<string>) {
  const key = yield* readKey(file)
  if (Option.isSome(key)) return { masterKey: key.value, isNew: !names.includes(storeName) }
  return yield* new StartRefused({
    message: `WCS_MASTER_KEY_FILE must be the path of a file with 64 hex digits, and ${file} is not there.`
  })
})

/** Whoever has the store does this, so that nobody else does it at once. */
const completeAt = Effect.fnUntraced(function* (path: string) {
  const file = join(path, keyName)
  // A process that had the store just before us may have completed what we have found under way.
  if (Option.isNone(yield* readKey(file))) yield* settleName(join(path, newKeyName), file)
})

export const make = Effect.gen(function* () {
  const settings = yield* Settings
  const path = resolve(settings.dataDirectory)
  const socketFile = yield* socketOf(path)
  const names = yield* enter(path)
  const { isNew, masterKey } = Option.isSome(settings.masterKeyFile)
    ? yield* givenKey(settings.masterKeyFile.value, names)
    : yield* masterKeyOf(path, names)
  return DataDirectory.of({
    path,
    storeFile: join(path, storeName),
    socketFile,
    masterKey,
    isNew,
    complete: isNew && Option.isNone(settings.masterKeyFile) ? completeAt(path) : Effect.void
  })
})

export const layer = Layer.effect(DataDirectory, make)
