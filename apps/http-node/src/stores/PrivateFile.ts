import { constants } from "node:fs"
import { type FileHandle, link, mkdir, mkdtemp, open, readFile, rename, rm, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Effect, Option } from "effect"
import { describe, reasonOf, StartRefused } from "../StartRefused.ts"

/** Modes of files and directories with secrets: access only for the owner. */
export const privateFileMode = 0o600
export const privateDirectoryMode = 0o700
const othersMask = 0o077

/** Whether other users have any permission. */
export const isOpenToOthers = (mode: number): boolean => (mode & othersMask) !== 0

/** Whether a file belongs to another user. Always false on systems without user ids. */
export const isOfAnother = (uid: number): boolean => process.getuid !== undefined && uid !== process.getuid()

const read = (path: string, what: string) =>
  Effect.tryPromise({
    try: async () => ({ mode: (await stat(path)).mode, text: await readFile(path, "utf8") }),
    catch: (cause) => ({ code: reasonOf(cause), reason: describe(cause) })
  }).pipe(
    Effect.map(Option.some),
    Effect.catch(({ code, reason }) =>
      code === "ENOENT"
        ? Effect.succeedNone
        : Effect.fail(new StartRefused({ message: `${what} ${path} cannot be read: ${reason}.` }))
    )
  )

/** Reads a public file. None if absent. */
export const readPublic = (path: string, what: string) =>
  Effect.map(read(path, what), (found) => Option.map(found, ({ text }) => text))

/** Reads a secret file. None if absent. Fails if other users have permissions. */
export const readSecret = Effect.fnUntraced(function* (path: string, what: string) {
  const found = yield* read(path, what)
  if (Option.isSome(found) && isOpenToOthers(found.value.mode)) {
    return yield* new StartRefused({
      message: `${what} ${path} can be read by other users of this machine; run chmod 600 ${path} first.`
    })
  }
  return Option.map(found, ({ text }) => text)
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
    const file = await open(name, "wx", privateFileMode)
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
    await mkdir(path, { mode: privateDirectoryMode })
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
