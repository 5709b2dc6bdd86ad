import { existsSync } from "node:fs"
import { chmod, readdir, stat } from "node:fs/promises"
import { isAbsolute, join, relative, resolve } from "node:path"
import * as MasterKey from "@wcs/keys/MasterKey"
import { type Exposure, exposureOf, type Permissions, privateModes, showPermissions } from "@wcs/node-server/Exposure"
import { makeDirectory, offerSecret, readSecret, removeFile, settleName } from "@wcs/node-server/PrivateFile"
import { describe, StartRefused } from "@wcs/node-server/StartRefused"
import { Context, Effect, Layer, Option, Redacted, Result } from "effect"
import { Settings } from "../Settings.ts"

/** The data directory with the master key of the store (DECISIONS.md#operation). */
export class DataDirectory extends Context.Service<
  DataDirectory,
  {
    readonly path: string
    readonly storeFile: string
    /** The path of the Unix socket of `wcs admin`, within the length limit. */
    readonly socketFile: string
    readonly masterKey: MasterKey.MasterKey["Service"]
    /** Whether no first run was completed. Only then the store may be absent. */
    readonly isNew: boolean
    /** Marks the first run as complete. From now on, the key requires a store. */
    readonly complete: Effect.Effect<void, StartRefused>
    /** The refusal of a store under another master key: advice if this directory has only a new key. */
    readonly refusalOfKey: (message: string) => StartRefused
  }
>()("@wcs/deployment/DataDirectory") {}

const storeName = "wcs.sqlite"
const keyName = "master.key"
/** The name of the key while the first run is incomplete. */
const newKeyName = "master.key.new"
const socketName = "admin.sock"

/** `sun_path` has 108 bytes on Linux and 104 on macOS, including the final NUL. */
const socketPathBytes = 103

/** Returns the shorter of the absolute and the relative path. */
const shortest = (path: string): string => {
  const fromHere = relative(process.cwd(), path)
  return fromHere.length < path.length && !isAbsolute(fromHere) ? `./${fromHere}` : path
}

/** Returns the path of the embedded store in a data directory. */
export const storeFileOf = (directory: string): string => join(resolve(directory), storeName)

/** Returns the path of the master key in a data directory. */
export const keyFileOf = (directory: string): string => join(resolve(directory), keyName)

/** Whether a data directory has a master key, also one of an incomplete first run. */
export const hasKeyIn = (directory: string): boolean =>
  existsSync(keyFileOf(directory)) || existsSync(join(resolve(directory), newKeyName))

/** Returns the socket path of a data directory. */
export const socketOf = (directory: string) => {
  const path = shortest(join(resolve(directory), socketName))
  return Buffer.byteLength(path) <= socketPathBytes
    ? Effect.succeed(path)
    : Effect.fail(
        new StartRefused({
          message: `WCS_DATA must be a shorter path: the path of a socket has at most ${socketPathBytes} bytes.`
        })
      )
}

/**
 * Fails if another user could answer on the socket in the place of the server (threat 47). Root may use the socket of
 * the user who owns the data directory. Nothing is refused if there is no socket.
 */
export const checkSocket = Effect.fnUntraced(function* (directory: string, socketFile: string) {
  const own = process.getuid?.()
  const ownerOf = (path: string) => Effect.option(Effect.tryPromise(async () => (await stat(path)).uid))
  const owners = Option.all([yield* ownerOf(socketFile), yield* ownerOf(directory)])
  if (Option.isNone(owners)) return
  const [ofSocket, ofDirectory] = owners.value
  if (ofSocket === (own === 0 ? ofDirectory : (own ?? ofSocket))) return
  return yield* new StartRefused({
    message: `The socket ${socketFile} belongs to another user (uid ${ofSocket}): run the command as the user of the server.`
  })
})

/** Says that others can access a directory, and what to do. */
export const exposedDirectory = (path: string, permissions: Permissions, { remedy, to }: Exposure): string =>
  `${path} is accessible to ${to} (${showPermissions(permissions)}); run ${remedy} first.`

const isOwn = ({ uid }: Permissions): boolean => (process.getuid?.() ?? uid) === uid

/** Lists the directory. Creates it if absent, and removes the permissions of other users if it is empty. */
const enter = Effect.fnUntraced(function* (path: string) {
  yield* makeDirectory(path)
  const { names, permissions } = yield* Effect.tryPromise({
    try: async () => ({ permissions: await stat(path), names: await readdir(path) }),
    catch: (cause) => new StartRefused({ message: `The data directory ${path} cannot be read: ${describe(cause)}.` })
  })
  const exposure = exposureOf(path, permissions, "directory")
  if (exposure === undefined) return names
  // A directory with content may be a home directory, so its owner must change the mode.
  if (names.length > 0 || !isOwn(permissions)) {
    return yield* new StartRefused({ message: `The data directory ${exposedDirectory(path, permissions, exposure)}` })
  }
  yield* Effect.tryPromise({
    try: () => chmod(path, privateModes.directory),
    catch: (cause) =>
      new StartRefused({ message: `The mode of the data directory ${path} cannot be set to 0700: ${describe(cause)}.` })
  })
  return names
})

const readKey = Effect.fnUntraced(function* (file: string) {
  const text = yield* readSecret(file, "The master key")
  if (Option.isNone(text)) return Option.none()
  const key = MasterKey.fromText(text.value)
  if (Result.isSuccess(key)) return Option.some(key.success)
  return yield* new StartRefused({
    message: `${file} is not a master key: ${key.failure.message}; restore the right file.`
  })
})

/** The key, and whether its first run is incomplete. */
const findKey = Effect.fnUntraced(function* (path: string) {
  const kept = yield* readKey(join(path, keyName))
  if (Option.isSome(kept)) return Option.some({ masterKey: kept.value, isNew: false })
  const begun = yield* readKey(join(path, newKeyName))
  if (Option.isSome(begun)) return Option.some({ masterKey: begun.value, isNew: true })
  // Another process may have completed the first run between the two reads.
  return Option.map(yield* readKey(join(path, keyName)), (masterKey) => ({ masterKey, isNew: false }))
})

/**
 * Reads the key of the store. A new key is created only if there is no store: a lost key is never replaced. Until the
 * first run is complete, the key has another name. So `master.key` without a store always means a lost store.
 */
const masterKeyOf = Effect.fnUntraced(function* (path: string, names: ReadonlyArray<string>) {
  const found = yield* findKey(path)
  if (Option.isSome(found)) {
    const isLeftOver = names.includes(newKeyName) && !found.value.isNew // interrupted between the two names
    if (isLeftOver) yield* removeFile(join(path, newKeyName))
    return found.value
  }
  if (names.includes(storeName)) {
    return yield* new StartRefused({
      message: `The store in ${path} has no master key: restore ${keyName} from a backup; nothing was changed.`
    })
  }
  const made = yield* MasterKey.generate
  yield* offerSecret(join(path, newKeyName), `${Redacted.value(MasterKey.toText(made))}\n`)
  // Another process on the same directory may have been faster. Then its key is used.
  return Option.getOrElse(yield* findKey(path), () => ({ masterKey: made, isNew: true }))
})

/** Reads the key of the settings. Never creates it, because other servers need the same key. */
const givenKey = Effect.fnUntraced(function* (file: string, names: ReadonlyArray<string>) {
  const key = yield* readKey(file)
  if (Option.isSome(key)) return { masterKey: key.value, isNew: !names.includes(storeName) }
  return yield* new StartRefused({
    message: `WCS_MASTER_KEY_FILE must be the path of a file with 64 hex digits, but ${file} does not exist.`
  })
})

/** The master key of the settings. Creates nothing. */
export const existingKey = Settings.use(
  Effect.fnUntraced(function* ({ dataDirectory, masterKeyFile }) {
    const file = Option.getOrElse(masterKeyFile, () => keyFileOf(dataDirectory))
    const key = yield* readKey(file)
    if (Option.isSome(key)) return key.value
    return yield* new StartRefused({
      message: `There is no master key at ${file}: set WCS_DATA or WCS_MASTER_KEY_FILE; nothing was changed.`
    })
  })
)

/** Called only by the process that holds the store. */
const completeAt = Effect.fnUntraced(function* (path: string) {
  const file = join(path, keyName)
  // The previous holder of the store may have completed the first run in the meantime.
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
  const isOwn = isNew && Option.isNone(settings.masterKeyFile)
  return DataDirectory.of({
    path,
    storeFile: storeFileOf(path),
    socketFile,
    masterKey,
    isNew,
    complete: isOwn ? completeAt(path) : Effect.void,
    // a new key stays as `master.key.new`, which the right key replaces
    refusalOfKey: (message) =>
      new StartRefused({
        message:
          isOwn && Option.isSome(settings.database)
            ? `The database has a store, but ${path} has no master key: set WCS_MASTER_KEY_FILE, ` +
              `or copy ${keyName} of another server; the store was not changed.`
            : message
      })
  })
})

export const layer = Layer.effect(DataDirectory, make)
