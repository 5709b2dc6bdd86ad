import { Result } from "effect"
import { parse, stringify } from "yaml"
import type { Profile } from "../profile/Profile.ts"
import { read } from "../profile/ProfileFile.ts"
import { isObject, type Json } from "../wire/Json.ts"

/** Adds the entries of an answer to a profile. Lists of principals grow; every other value is replaced. */
export const merged = (profile: Json, answer: Json): Json => {
  if (Array.isArray(profile) && Array.isArray(answer)) return [...profile, ...answer]
  if (!isObject(profile) || !isObject(answer)) return answer
  const changed = Object.entries(answer).map(([key, inner]) => {
    const before = profile[key]
    const isReplaced = before === undefined || key === "body" || key === "update"
    return [key, isReplaced ? inner : merged(before, inner)] as const
  })
  return { ...profile, ...Object.fromEntries(changed) }
}

/** Returns the profile with an answer, which is YAML in one line. Fails with the mistakes in words. */
export const withAnswer = (profile: Profile, answer: string): Result.Result<Profile, string> => {
  if (answer.includes("…")) return Result.fail("replace every … with a value of the deployment")
  const told = Result.try({
    try: (): Json => parse(/^\s*\{/.test(answer) ? answer : `{ ${answer} }`, { maxAliasCount: 0 }),
    catch: (error) => String(error).split("\n", 1)[0] ?? ""
  })
  return Result.flatMap(told, (value) =>
    isObject(value)
      ? Result.mapError(
          read("the answer", stringify(merged(JSON.parse(JSON.stringify(profile)), value))),
          ({ reasons }) => reasons.join("; ")
        )
      : Result.fail("write a name, a colon and a value")
  )
}

/** Formats a profile as a file. */
export const textOf = (profile: Profile, schema: string | undefined): string =>
  [
    ...(schema === undefined ? [] : [`# yaml-language-server: $schema=${schema}`]),
    "# A profile of one deployment, for wcs-conformance. Secrets are never in this file.",
    stringify(profile, { lineWidth: 120 })
  ].join("\n")
