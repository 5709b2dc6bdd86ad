import { lstat, open, readFile } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { Effect, Option } from "effect"
import { reasonOf, StartRefused } from "./StartRefused.ts"
import {
  fill,
  notWritable,
  privateFileMode,
  readSecret,
  removeFile,
  settleName,
  syncDirectory
} from "./stores/PrivateFile.ts"

/** A secret that a first run makes, and tells once in a file. */
export interface FirstSecret<E, R> {
  /** Where it is told, and the variable that says so. */
  readonly path: string
  readonly variable: string
  /** What it is of, as in "the client". */
  readonly what: string
  /** Tells this store's draft from that of another store with the same path. */
  readonly tenantId: string
  /** Whether the store has one, of this or of another origin: then no other is made. */
  readonly isMade: boolean
  /** Makes it, stores what it is known by, and answers the file's text. */
  readonly make: Effect.Effect<string, E, R>
  /** Whether the text is of one that is stored. */
  readonly isKnown: (text: string) => Effect.Effect<boolean, never, R>
  /** Ends those that a first run stored and could not tell. */
  readonly revokeUntold: Effect.Effect<void, never, R>
}

/** The file's draft, which is there from before the secret is made until it is told. */
export const draftOf = ({ path, tenantId }: Pick<FirstSecret<never, never>, "path" | "tenantId">): string =>
  join(dirname(path), `.${basename(path)}.${tenantId}`)

const taken = (variable: string, path: string) =>
  new StartRefused({ message: `${variable} must be the path of a file that is not there yet, and ${path} is.` })

const isThere = (path: string) =>
  Effect.promise(() =>
    lstat(path).then(
      () => true,
      () => false
    )
  )

/** Leaves the draft empty: on the disk, name and all, before anything is stored. */
const begin = (draft: string, path: string, variable: string) =>
  Effect.tryPromise({
    try: async () => {
      const file = await open(draft, "w", privateFileMode)
      await fill(file, "").finally(() => file.close())
      await syncDirectory(draft)
    },
    catch: (cause) =>
      new StartRefused({
        message: `${variable} must be the path of a file that can be made, and ${path} cannot: ${reasonOf(cause)}.`
      })
  })

const write = (draft: string, text: string) =>
  Effect.tryPromise({
    try: async () => {
      const file = await open(draft, "r+")
      await fill(file, text).finally(() => file.close())
    },
    catch: notWritable(draft)
  })

/** Puts the draft, whole, where it is meant to be. */
const tell = Effect.fnUntraced(function* (draft: string, text: string, path: string, variable: string) {
  if (yield* settleName(draft, path)) return
  const there = yield* Effect.tryPromise({ try: () => readFile(path, "utf8"), catch: notWritable(path) })
  // An earlier run may have come as far as that.
  return there === text ? yield* removeFile(draft) : yield* taken(variable, path)
})

/**
 * Makes the secret and tells it, once. However a run is cut short, its draft says to the next one what is left to do:
 * it is told where it is whole; where it is not, what was stored and never told is ended, and another one is made.
 */
export const ensure = Effect.fnUntraced(function* <E, R>(secret: FirstSecret<E, R>) {
  const { path, variable, what } = secret
  const draft = draftOf(secret)
  const left = yield* readSecret(draft, `The draft of ${variable}`)
  if (Option.isSome(left) && (yield* secret.isKnown(left.value))) return yield* tell(draft, left.value, path, variable)
  const hasFile = yield* isThere(path)
  if (Option.isNone(left) && secret.isMade) {
    // Its reader may well have taken it away: a secret that was once told is never told again.
    if (hasFile) return
    return yield* Effect.logWarning(`${variable} names ${path}, which is not there, and ${what} was made before`)
  }
  if (hasFile) return yield* taken(variable, path)
  if (Option.isSome(left)) {
    yield* Effect.logWarning(`the first run was cut short before it could write ${path}: ${what} is made anew`)
    yield* secret.revokeUntold
  }
  yield* begin(draft, path, variable)
  const text = yield* secret.make
  yield* write(draft, text)
  yield* tell(draft, text, path, variable)
})
