import { dirname, resolve } from "node:path"
import { Data, Effect, Result, Schema } from "effect"
import { parse } from "yaml"
import { readTextFile } from "../text/TextFile.ts"
import { inLine } from "../text/Visible.ts"
import { blanksIn } from "./Blanks.ts"
import { mistakesIn } from "./Mistakes.ts"
import { nearest } from "./Nearest.ts"
import { needs } from "./Need.ts"
import { Profile } from "./Profile.ts"
import { profileSchema } from "./ProfileSchema.ts"
import { unknownNames } from "./TemplateNames.ts"

/** A certificate with its key, for deployments that require one of their callers (RFC 8446, section 4.3.2). */
export interface ClientCertificate {
  /** PEM. */
  readonly cert: string
  readonly key: string
  readonly passphrase?: string
}

/** The profile is invalid. Each reason names a place and the error. */
export class ProfileRefused extends Data.TaggedError("ProfileRefused")<{
  readonly file: string
  readonly reasons: ReadonlyArray<string>
}> {
  override get message(): string {
    return `${this.file}: ${this.reasons.join("; ")}`
  }
}

/** A profile and its certificates. */
export interface Loaded {
  readonly profile: Profile
  /** PEM. */
  readonly ca: string | undefined
  /** The certificate of the suite, for a gateway that requires one. */
  readonly clientCertificate?: ClientCertificate | undefined
}

const decode = Schema.decodeUnknownResult(Profile, { errors: "all", onExcessProperty: "error" })
/** Reads a profile's text: JSON, or YAML, which JSON is a part of. */
export const read = (file: string, text: string): Result.Result<Profile, ProfileRefused> =>
  Result.try({
    try: (): unknown => parse(text, { maxAliasCount: 0 }),
    catch: (error) =>
      new ProfileRefused({ file, reasons: [`is neither JSON nor YAML: ${String(error).split("\n", 1)[0]}`] })
  }).pipe(
    Result.flatMap((value) => {
      const reasons = unfilled(value)
      return reasons.length === 0 ? Result.succeed(value) : Result.fail(new ProfileRefused({ file, reasons }))
    }),
    Result.flatMap((value) =>
      Result.mapError(decode(value), (error) => new ProfileRefused({ file, reasons: mistakesIn(error, profileSchema) }))
    ),
    Result.flatMap((profile) => {
      const reasons = [...misnamed(profile), ...unknownNames(profile)]
      return reasons.length === 0 ? Result.succeed(profile) : Result.fail(new ProfileRefused({ file, reasons }))
    })
  )

/** Returns the blanks of examples that were not filled in, with their places. */
const unfilled = (value: unknown, at: ReadonlyArray<string> = []): ReadonlyArray<string> =>
  typeof value === "string"
    ? blanksIn(value).map((label) => `${at.join(".")}: replace ‹${inLine(label)}› with a value of the deployment`)
    : typeof value === "object" && value !== null
      ? Object.entries(value).flatMap(([key, inner]) => unfilled(inner, [...at, key]))
      : []

/** Returns the unknown names in `notOffered`. Without this check, a typo would go unnoticed. */
const misnamed = ({ notOffered = [] }: Profile): ReadonlyArray<string> =>
  notOffered.flatMap((name, index) => {
    if (Object.hasOwn(needs, name)) return []
    const meant = nearest(name, Object.keys(needs))
    return [`notOffered.${index}: unknown need${meant === undefined ? "" : `; did you mean ${meant}?`}`]
  })

const readText = (file: string, what: string) =>
  Effect.try({
    try: () => readTextFile(file),
    catch: () => new ProfileRefused({ file, reasons: [`${what} cannot be read`] })
  })

/** Reads a PEM file. Fails without a certificate in it, because TLS would ignore the file silently. */
export const readCertificates = Effect.fnUntraced(function* (file: string, what: string) {
  const text = yield* readText(file, what)
  if (text.includes("-----BEGIN CERTIFICATE-----")) return text
  return yield* new ProfileRefused({ file, reasons: [`${what} contains no PEM certificate`] })
})

/** Reads a profile's file and the certificates beside it. */
export const load = Effect.fn("ProfileFile.load")(function* (file: string) {
  const profile = yield* Effect.fromResult(read(file, yield* readText(file, "the profile")))
  const caFile = profile.tls?.caFile
  const ca = caFile === undefined ? undefined : yield* readCertificates(resolve(dirname(file), caFile), "tls.caFile")
  const own = profile.network?.clientCertificate
  const besideProfile = (name: string) => resolve(dirname(file), name)
  const clientCertificate = own && {
    cert: yield* readCertificates(besideProfile(own.certFile), "network.clientCertificate.certFile"),
    key: yield* readText(besideProfile(own.keyFile), "network.clientCertificate.keyFile"),
    ...(own.passphrase && { passphrase: process.env[own.passphrase.slice(2, -1)] ?? "" })
  }
  return { profile, ca, clientCertificate } satisfies Loaded
})
