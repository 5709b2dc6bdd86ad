import { lstat, open, readFile } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { privateModes } from "@wcs/node-server/Exposure"
import { fill, notWritable, readSecret, removeFile, settleName, syncDirectory } from "@wcs/node-server/PrivateFile"
import { describe, StartRefused } from "@wcs/node-server/StartRefused"
import { Effect, Option } from "effect"

/** A secret that the first run creates and writes once to a file. */
export interface FirstSecret<E, R> {
  /** The path of the file, and the variable that sets the path. */
  readonly path: string
  readonly variable: string
  /** The kind of secret for messages, such as "a client". */
  readonly what: string
  /** Distinguishes the drafts of stores with the same path. */
  readonly tenantId: string
  /** Whether the store already has a secret of this kind. Then none is created. */
  readonly isMade: boolean
  /** Creates and stores the secret. Returns the text for the file. */
  readonly make: Effect.Effect<string, E, R>
  /** Whether the text contains a stored secret. */
  readonly isKnown: (text: string) => Effect.Effect<boolean, never, R>
  /** Revokes secrets that were stored but never written to the file. */
  readonly revokeUnwritten: Effect.Effect<void, never, R>
}

/** The path of the draft. It exists from before the secret is created until the file is complete. */
export const draftOf = ({ path, tenantId }: Pick<FirstSecret<never, never>, "path" | "tenantId">): string =>
  join(dirname(path), `.${basename(path)}.${tenantId}`)

const taken = (variable: string, path: string) =>
  new StartRefused({ message: `${variable} must be the path of a file that does not exist yet, but ${path} exists.` })

const isThere = (path: string) =>
  Effect.promise(() =>
    lstat(path).then(
      () => true,
      () => false
    )
  )

/** Creates an empty draft and syncs it to disk, before anything is stored. */
const begin = (draft: string, path: string, variable: string) =>
  Effect.tryPromise({
    try: async () => {
      const file = await open(draft, "w", privateModes.file)
      await fill(file, "").finally(() => file.close())
      await syncDirectory(draft)
    },
    catch: (cause) =>
      new StartRefused({
        message: `${variable} must be the path of a file that can be created, but creating ${path} failed: ${describe(cause)}.`
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

/** Renames the complete draft to its final path. */
const tell = Effect.fnUntraced(function* (draft: string, text: string, path: string, variable: string) {
  if (yield* settleName(draft, path)) return
  const there = yield* Effect.tryPromise({ try: () => readFile(path, "utf8"), catch: notWritable(path) })
  // An interrupted run may already have written the file.
  return there === text ? yield* removeFile(draft) : yield* taken(variable, path)
})

/**
 * Creates the secret and writes it once. After an interrupted run, the draft shows what is left to do. A complete draft
 * is renamed to the file. Otherwise the stored secret is revoked and a new one is created.
 */
export const ensure = Effect.fnUntraced(function* <E, R>(secret: FirstSecret<E, R>) {
  const { path, variable, what } = secret
  const draft = draftOf(secret)
  const left = yield* readSecret(draft, `The draft of ${variable}`)
  if (Option.isSome(left) && (yield* secret.isKnown(left.value))) return yield* tell(draft, left.value, path, variable)
  const hasFile = yield* isThere(path)
  if (Option.isNone(left) && secret.isMade) {
    // The operator may have moved the file. A written secret is never written again.
    if (hasFile) return
    return yield* Effect.logWarning(
      `${variable}: ${path} does not exist, but ${what} was created earlier; secrets are written only once`
    )
  }
  if (hasFile) return yield* taken(variable, path)
  if (Option.isSome(left)) {
    yield* Effect.logWarning(`the first run was interrupted before it wrote ${path}; creating ${what} again`)
    yield* secret.revokeUnwritten
  }
  yield* begin(draft, path, variable)
  const text = yield* secret.make
  yield* write(draft, text)
  yield* tell(draft, text, path, variable)
})
