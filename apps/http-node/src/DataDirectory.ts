import { chmod, readdir, stat } from "node:fs/promises"
import { isAbsolute, join, relative, resolve } from "node:path"
import * as MasterKey from "@wcs/keys/MasterKey"
import { Context, Effect, Layer, Option, Redacted, Result } from "effect"
import { isOpenToOthers, makeDirectory, offerSecret, privateDirectoryMode, readSecret } from "./PrivateFile.ts"
import { Settings } from "./Settings.ts"
import { reasonOf, StartRefused } from "./StartRefused.ts"

/** The data directory, found or made, with the master key that belongs to its store (decisions, section 7). */
export class DataDirectory extends Context.Service<
  DataDirectory,
  {
    readonly path: string
    readonly storeFile: string
    /** The Unix socket of `wcs admin`, short enough for the system's limit. */
    readonly socketFile: string
    readonly masterKey: MasterKey.MasterKey["Service"]
  }
>()("@wcs/http-node/DataDirectory") {}

const storeName = "wcs.sqlite"
const keyName = "master.key"
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

/** The key of the store. A new one is made only where there is no store yet: a lost key is never papered over. */
const masterKeyOf = Effect.fnUntraced(function* (path: string, names: ReadonlyArray<string>) {
  const file = join(path, keyName)
  const kept = yield* readKey(file)
  if (Option.isSome(kept)) return kept.value
  if (names.includes(storeName)) {
    return yield* new StartRefused({
      message: `The store in ${path} has lost its master key: put ${keyName} back from a backup; nothing was changed.`
    })
  }
  const made = yield* MasterKey.generate
  const isFirst = yield* offerSecret(file, `${Redacted.value(MasterKey.toText(made))}\n`)
  // Another process that starts on the same directory was faster: its key is the key.
  return isFirst ? made : Option.getOrElse(yield* readKey(file), () => made)
})

export const make = Effect.gen(function* () {
  const settings = yield* Settings
  const path = resolve(settings.dataDirectory)
  const socketFile = yield* socketOf(path)
  const names = yield* enter(path)
  const masterKey = yield* masterKeyOf(path, names)
  return DataDirectory.of({ path, storeFile: join(path, storeName), socketFile, masterKey })
})

export const layer = Layer.effect(DataDirectory, make)
