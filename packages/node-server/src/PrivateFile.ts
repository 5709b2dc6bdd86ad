import { constants } from "node:fs"
import { type FileHandle, link, mkdir, mkdtemp, open, rename, rm, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import { withoutByteOrderMark } from "@wcs/domain/shared/ByteOrderMark"
import { Effect, Option } from "effect"
import { exposureOf, privateModes, showOwnIdentity, showPermissions } from "./Exposure.ts"
import { describe, reasonOf, StartRefused } from "./StartRefused.ts"

/** The permissions and the text of a file. */
const contentOf = async (path: string) => {
  const file = await open(path, constants.O_RDONLY)
  try {
    const permissions = await file.stat()
    return { permissions, text: withoutByteOrderMark(await file.readFile("utf8")) }
  } finally {
    await file.close()
  }
}

/** Says which permissions deny the access, and what to do. Empty if they cannot be read. */
const denialOf = (path: string): Promise<string> =>
  stat(path).then(
    (found) =>
      ` (${showPermissions(found)}; this process: ${showOwnIdentity()}); ` +
      "change its owner, or run this process with its group, such as fsGroup in Kubernetes",
    () => ""
  )

const read = (path: string, what: string) =>
  Effect.tryPromise({
    try: () => contentOf(path),
    catch: (cause) => ({ code: reasonOf(cause), reason: describe(cause) })
  }).pipe(
    Effect.map(Option.some),
    Effect.catch(({ code, reason }) =>
      code === "ENOENT"
        ? Effect.succeedNone
        : Effect.gen(function* () {
            const denial = code === "EACCES" ? yield* Effect.promise(() => denialOf(path)) : ""
            return yield* new StartRefused({ message: `${what} ${path} cannot be read: ${reason}${denial}.` })
          })
    )
  )

/** Reads a public file. None if absent. */
export const readPublic = (path: string, what: string) =>
  Effect.map(read(path, what), (found) => Option.map(found, ({ text }) => text))

/** Reads a secret file. None if absent. Fails if others than this process, its groups and root have permissions. */
export const readSecret = Effect.fnUntraced(function* (path: string, what: string) {
  const found = yield* read(path, what)
  if (Option.isNone(found)) return Option.none()
  const { permissions, text } = found.value
  const exposure = exposureOf(path, permissions, "file")
  if (exposure === undefined) return Option.some(text)
  return yield* new StartRefused({
    message: `${what} ${path} can be read by ${exposure.to} (${showPermissions(permissions)}); run ${exposure.remedy} first.`
  })
})

/** Syncs the directory of a file, so the name survives a crash. */
export const syncDirectory = async (path: string): Promise<void> => {
  const directory = await open(dirname(path), constants.O_RDONLY)
  await directory.sync().finally(() => directory.close())
}

/** Writes an open file and syncs it to disk. */
export const fill = async (file: FileHandle, text: string): Promise<void> => {
  await file.writeFile(text)
  await file.sync()
}

/** Writes a temporary file and passes it to `place`, which moves it atomically. */
const draft = async <A>(path: string, text: string, place: (name: string) => Promise<A>): Promise<A> => {
  const directory = await mkdtemp(join(dirname(path), ".new-"))
  try {
    const name = join(directory, "file")
    const file = await open(name, "wx", privateModes.file)
    await fill(file, text).finally(() => file.close())
    return await place(name)
  } finally {
    await rm(directory, { recursive: true, force: true })
    await syncDirectory(path)
  }
}

/** Converts a write error to one sentence. */
export const notWritable = (path: string) => (cause: unknown) =>
  new StartRefused({ message: `${path} cannot be written: ${describe(cause)}.` })

/** Writes a file of mode 0600 atomically. Replaces an existing file. */
export const replaceSecret = (path: string, text: string) =>
  Effect.tryPromise({
    try: () => draft(path, text, (name) => rename(name, path)),
    catch: notWritable(path)
  })

const linkUnlessThere = (from: string, to: string): Promise<boolean> =>
  link(from, to).then(
    () => true,
    (cause: unknown) => {
      if (reasonOf(cause) === "EEXIST") return false
      throw cause
    }
  )

/** Creates a file of mode 0600 atomically unless it exists. Returns whether this call created it. */
export const offerSecret = (path: string, text: string) =>
  Effect.tryPromise({
    try: () => draft(path, text, (name) => linkUnlessThere(name, path)),
    catch: notWritable(path)
  })

/** Renames a file in the same directory unless the name exists. Returns whether it was renamed. */
export const settleName = (from: string, to: string) =>
  Effect.tryPromise({
    try: async () => {
      if (!(await linkUnlessThere(from, to))) return false
      await rm(from)
      await syncDirectory(to)
      return true
    },
    catch: notWritable(to)
  })

/** Removes a file if it exists. */
export const removeFile = (path: string) =>
  Effect.tryPromise({
    try: () => rm(path, { force: true }).then(() => syncDirectory(path)),
    catch: notWritable(path)
  })

const isDirectory = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false
  )

/** Not `mkdir` with `recursive`: Node loops forever if the parent exists but allows no entries, as in /proc. */
const makeAll = async (path: string, isParentMade = false): Promise<void> => {
  try {
    await mkdir(path, { mode: privateModes.directory })
  } catch (cause) {
    if (await isDirectory(path)) return
    if (reasonOf(cause) !== "ENOENT" || isParentMade) throw cause
    await makeAll(dirname(path))
    await makeAll(path, true)
  }
}

/** Creates a directory and its parents with mode 0700. */
export const makeDirectory = (path: string) =>
  Effect.tryPromise({
    try: () => makeAll(path),
    catch: (cause) =>
      new StartRefused({
        message: `WCS_DATA must be a directory that can be created, but creating ${path} failed: ${describe(cause)}.`
      })
  })
