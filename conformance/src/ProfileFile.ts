import { readFileSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { Data, Effect, Result, Schema } from "effect"
import { parse } from "yaml"
import { mistakesIn } from "./Mistakes.ts"
import { Profile } from "./Profile.ts"
import { profileSchema } from "./ProfileSchema.ts"

/** A profile that cannot be used; each sentence names a place and what is wrong there, never a value that was found. */
export class ProfileRefused extends Data.TaggedError("ProfileRefused")<{
  readonly file: string
  readonly reasons: ReadonlyArray<string>
}> {
  override get message(): string {
    return `${this.file}: ${this.reasons.join("; ")}`
  }
}

/** A profile, and the certificates that it names. */
export interface Loaded {
  readonly profile: Profile
  /** PEM. */
  readonly ca: string | undefined
}

const decode = Schema.decodeUnknownResult(Profile, { errors: "all", onExcessProperty: "error" })
/** Reads a profile's text: JSON, or YAML, which JSON is a part of. */
export const read = (file: string, text: string): Result.Result<Profile, ProfileRefused> =>
  Result.try({
    try: (): unknown => parse(text, { maxAliasCount: 0 }),
    catch: (error) =>
      new ProfileRefused({ file, reasons: [`is neither JSON nor YAML: ${String(error).split("\n", 1)[0]}`] })
  }).pipe(
    Result.flatMap((value) =>
      Result.mapError(decode(value), (error) => new ProfileRefused({ file, reasons: mistakesIn(error, profileSchema) }))
    )
  )

const readText = (file: string, what: string) =>
  Effect.try({
    try: () => readFileSync(file, "utf8"),
    catch: () => new ProfileRefused({ file, reasons: [`${what} cannot be read`] })
  })

/** Reads a profile's file and the certificates beside it. */
export const load = Effect.fn("ProfileFile.load")(function* (file: string) {
  const profile = yield* Effect.fromResult(read(file, yield* readText(file, "the profile")))
  const caFile = profile.tls?.caFile
  const ca = caFile === undefined ? undefined : yield* readText(resolve(dirname(file), caFile), "tls.caFile")
  return { profile, ca } satisfies Loaded
})
