import { readFileSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { Data, Effect, Result, Schema, SchemaIssue } from "effect"
import { parse } from "yaml"
import { isObject, type Json } from "./Json.ts"
import { nearest } from "./Nearest.ts"
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
const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()
const maxReasons = 10

const pathOf = (path: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }>): string =>
  path.map((part) => String(typeof part === "object" ? part.key : part)).join(".")

interface Issue {
  readonly path: string
  readonly message: string
}

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf(".")))

/**
 * Without what alternatives say of each other: where something inside of `oauth` is wrong, that there could be `token`
 * in its place helps nobody.
 */
const withoutAlternatives = (issues: ReadonlyArray<Issue>): ReadonlyArray<Issue> => {
  const begun = issues.filter(
    ({ message, path }) => isUnknown(message) && issues.some((other) => other.path.startsWith(`${path}.`))
  )
  const beside = new Set(begun.map(({ path }) => parentOf(path)))
  return issues.filter(
    (issue) => !begun.includes(issue) && !(issue.message === missingKey && beside.has(parentOf(issue.path)))
  )
}

const missingKey = "Missing key"
const isUnknown = (message: string): boolean => message === "Expected no excess property"

/** Every name that a profile may have somewhere. */
const names = (schema: Json | undefined): ReadonlyArray<string> =>
  Array.isArray(schema)
    ? schema.flatMap(names)
    : isObject(schema)
      ? Object.entries(schema).flatMap(([key, inner]) =>
          key === "properties" && isObject(inner) ? [...Object.keys(inner), ...names(inner)] : names(inner)
        )
      : []

const sentenceOf = ({ message, path }: Issue): string => {
  if (!isUnknown(message)) return path === "" ? message : `${path}: ${message === missingKey ? "is missing" : message}`
  const meant = nearest(path.slice(path.lastIndexOf(".") + 1), names(profileSchema()))
  return `${path}: nothing is known by this name here${meant === undefined ? "" : `; did you mean ${meant}?`}`
}

const reasonsOf = (error: Schema.SchemaError): ReadonlyArray<string> => {
  const { issues } = issuesOf(error.issue)
  const found = issues.map(({ message, path }) => ({
    path: pathOf(path ?? []),
    // a message quotes what it found, and what stands in a secret's place may be the secret
    message: message.replace(/,? (got|actual) .*$/su, "")
  }))
  const told = withoutAlternatives(found)
  const sentences = told.slice(0, maxReasons).map(sentenceOf)
  return told.length > maxReasons ? [...sentences, `${told.length - maxReasons} more`] : sentences
}

/** Reads a profile's text: JSON, or YAML, which JSON is a part of. */
export const read = (file: string, text: string): Result.Result<Profile, ProfileRefused> =>
  Result.try({
    try: (): unknown => parse(text, { maxAliasCount: 0 }),
    catch: (error) =>
      new ProfileRefused({ file, reasons: [`is neither JSON nor YAML: ${String(error).split("\n", 1)[0]}`] })
  }).pipe(
    Result.flatMap((value) =>
      Result.mapError(decode(value), (error) => new ProfileRefused({ file, reasons: reasonsOf(error) }))
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
