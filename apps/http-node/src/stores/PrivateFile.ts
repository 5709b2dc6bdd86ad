import { constants } from "node:fs"
import { type FileHandle, link, mkdir, mkdtemp, open, readFile, rename, rm, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Effect, Option } from "effect"
import { reasonOf, StartRefused } from "../StartRefused.ts"

/** Modes of what holds secrets: nobody but the owner may read it. */
export const privateFileMode = 0o600
export const privateDirectoryMode = 0o700
const othersMask = 0o077

/** Whether anybody but the owner may do anything with it. */
export const isOpenToOthers = (mode: number): boolean => (mode & othersMask) !== 0

const read = (path: string, what: string) =>
  Effect.tryPromise({
    try: async () => ({ mode: (await stat(path)).mode, text: await readFile(path, "utf8") }),
    catch: (cause) => reasonOf(cause)
  }).pipe(
    Effect.map(Option.some),
    Effect.catch((reason) =>
      reason === "ENOENT"
        ? Effect.succeedNone
        : Effect.fail(new StartRefused({ message: `${what} ${path} cannot be read: ${reason}.` }))
    )
  )

/** The text of a file that anybody may read; none where there is no such file. */
export const readPublic = (path: string, what: string) =>
  Effect.map(read(path, what), (found) => Option.map(found, ({ text }) => text))

/** The file's text; none where there is no such file. Refused where other users may read it. */
export const readSecret = Effect.fnUntraced(function* (path: string, what: string) {
  const found = yield* read(path, what)
  if (Option.isSome(found) && isOpenToOthers(found.value.mode)) {
    return yield* new StartRefused({
      message: `${what} ${path} can be read by other users of this machine; run chmod 600 ${path} first.`
    })
  }
  return Option.map(found, ({ text }) => text)
})

/** A file's name survives a crash only once its directory is on the disk too. */
export const syncDirectory = async (path: string): Promise<void> => {
  const directory = await open(dirname(path), constants.O_RDONLY)
  await directory.sync().finally(() => directory.close())
}

/** Writes the whole of a file that is open, down to the disk. */
export const fill = async (file: FileHandle, text: string): Promise<void> => {
  await file.writeFile(text)
  await file.sync()
}

/** Writes a whole file beside the one that is meant, for `place` to put it there in one step. */
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

/** In one sentence that a file cannot be written. */
export const notWritable = (path: string) => (cause: unknown) =>
  new StartRefused({ message: `${path} cannot be written: ${reasonOf(cause)}.` })

/** Puts a file of mode 0600 in place, whole or not at all; what was there before is replaced. */
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

/** Puts a file of mode 0600 in place unless one is there: of several at once one does it. Whether this one did. */
export const offerSecret = (path: string, text: string) =>
  Effect.tryPromise({
    try: () => draft(path, text, (name) => linkUnlessThere(name, path)),
    catch: notWritable(path)
  })

/** Gives a file of the same directory the name that it is to keep, unless there is one of that name. Whether it did. */
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

/** Takes a file away; it need not be there. */
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

/** Where the parent is there and still nothing can be made, as in /proc, Node's own recursion would never end. */
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

/** Makes a directory, and those above it, of mode 0700. */
export const makeDirectory = (path: string) =>
  Effect.tryPromise({
    try: () => makeAll(path),
    catch: (cause) =>
      new StartRefused({
        message: `WCS_DATA must be a directory that can be made, and ${path} cannot: ${reasonOf(cause)}.`
      })
  })
