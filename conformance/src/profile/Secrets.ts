import { Data, Effect, Redacted, Schema } from "effect"
import { Profile } from "./Profile.ts"

const reference = /^\$\{([A-Z_][A-Z0-9_]*)\}$/

/** Environment variables that the profile names are not set. */
export class SecretsMissing extends Data.TaggedError("SecretsMissing")<{ readonly names: ReadonlyArray<string> }> {
  override get message(): string {
    const [first = ""] = this.names
    return (
      `the profile names environment variables that are not set: ${this.names.join(", ")} ` +
      `(to enter one: read -rs ${first}; export ${first})`
    )
  }
}

/** The secrets of a profile by their reference. */
export type Secrets = ReadonlyMap<string, Redacted.Redacted>

const textsOf = (value: unknown): ReadonlyArray<string> =>
  typeof value === "string"
    ? [value]
    : typeof value === "object" && value !== null
      ? Object.values(value).flatMap(textsOf)
      : []

/** Returns the environment variables that a profile names. */
export const namesOf = (profile: Profile): ReadonlyArray<string> => {
  const encoded = Schema.encodeSync(Profile)(profile)
  const names = [encoded.principals, encoded.secondTenant, encoded.legacy, encoded.webLogin, encoded.network]
    .flatMap(textsOf)
    .flatMap((text) => reference.exec(text)?.[1] ?? [])
  return [...new Set(names)]
}

/** Returns every secret that a profile names. Fails if a variable is not set. */
export const secretsOf = Effect.fnUntraced(function* (
  profile: Profile,
  environment: Readonly<Record<string, string | undefined>>
) {
  const names = namesOf(profile)
  const missing = names.filter((name) => (environment[name] ?? "") === "")
  if (missing.length > 0) return yield* new SecretsMissing({ names: missing })
  const secrets: Secrets = new Map(names.map((name) => [`\${${name}}`, Redacted.make(environment[name] ?? "")]))
  return secrets
})
