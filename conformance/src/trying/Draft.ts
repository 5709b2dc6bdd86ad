import { Result } from "effect"
import { type Document, parse, parseDocument, stringify } from "yaml"
import type { Profile } from "../profile/Profile.ts"
import { read } from "../profile/ProfileFile.ts"
import { equals, isObject, type Json } from "../wire/Json.ts"

/** Entries that an answer replaces as a whole. */
const replaced = ["admin", "body", "update"]

/** Adds the entries of an answer to a profile. Lists grow; entries of objects are merged, except `replaced`. */
const merged = (profile: Json, answer: Json): Json => {
  if (Array.isArray(profile) && Array.isArray(answer)) return [...profile, ...answer]
  if (!isObject(profile) || !isObject(answer)) return answer
  const changed = Object.entries(answer).map(([key, inner]) => {
    const before = profile[key]
    return [key, before === undefined || replaced.includes(key) ? inner : merged(before, inner)] as const
  })
  return { ...profile, ...Object.fromEntries(changed) }
}

const jsonOf = (profile: Profile): Json => JSON.parse(JSON.stringify(profile))

/** Returns the profile with an answer, which is YAML in one line. Fails with the mistakes in words. */
export const withAnswer = (profile: Profile, answer: string): Result.Result<Profile, string> => {
  const told = Result.try({
    try: (): Json => parse(/^\s*\{/.test(answer) ? answer : `{ ${answer} }`, { maxAliasCount: 0 }),
    catch: (error) => String(error).split("\n", 1)[0] ?? ""
  })
  return Result.flatMap(told, (value) =>
    isObject(value)
      ? Result.mapError(read("the answer", stringify(merged(jsonOf(profile), value))), ({ reasons }) =>
          reasons.join("; ")
        )
      : Result.fail("write a name, a colon and a value")
  )
}

/** Sets the changed entries of a document, and deletes those that are gone. Comments and unchanged entries stay. */
const put = (document: Document, path: ReadonlyArray<string>, before: Json, after: Json): void => {
  if (!isObject(before) || !isObject(after)) {
    document.setIn(path, document.createNode(after))
    return
  }
  for (const key of Object.keys(before)) if (after[key] === undefined) document.deleteIn([...path, key])
  for (const [key, value] of Object.entries(after)) {
    const old = before[key]
    if (old === undefined) document.setIn([...path, key], document.createNode(value))
    else if (!equals(old, value)) put(document, [...path, key], old, value)
  }
}

/** Formats a profile as a file. `before` is the text of the file, if it exists: its comments stay. */
export const textOf = (
  profile: Profile,
  { before, isJson, schema }: { readonly before?: string; readonly isJson: boolean; readonly schema?: string }
): string => {
  if (isJson) return `${JSON.stringify(profile, null, 2)}\n`
  if (before !== undefined) {
    const document = parseDocument(before)
    put(document, [], document.toJS() ?? {}, jsonOf(profile))
    return document.toString({ lineWidth: 120 })
  }
  return [
    ...(schema === undefined ? [] : [`# yaml-language-server: $schema=${schema}`]),
    "# A profile of one deployment, for wcs-conformance. Secrets are never in this file.",
    stringify(profile, { lineWidth: 120 })
  ].join("\n")
}
