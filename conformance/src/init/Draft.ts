import { Result } from "effect"
import { type Document, parse, parseDocument, stringify } from "yaml"
import type { Profile } from "../profile/Profile.ts"
import { read } from "../profile/ProfileFile.ts"
import { equals, isObject, type Json } from "../text/Json.ts"

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

/**
 * Returns the profile with an answer, which is YAML in one line. An answer can replace the entry at `keys` instead of
 * being added to it. Fails with the mistakes in words.
 */
export const withAnswer = (
  profile: Profile,
  answer: string,
  keys?: ReadonlyArray<string>
): Result.Result<Profile, string> => {
  const told = Result.try({
    try: (): Json => parse(/^\s*\{/.test(answer) ? answer : `{ ${answer} }`, { maxAliasCount: 0 }),
    catch: (error) => String(error).split("\n", 1)[0] ?? ""
  })
  return Result.flatMap(told, (value) =>
    isObject(value)
      ? Result.mapError(
          read(
            "the answer",
            stringify(merged(keys === undefined ? jsonOf(profile) : cut(jsonOf(profile), keys), value))
          ),
          ({ reasons }) => reasons.join("; ")
        )
      : Result.fail("write a name, a colon and a value")
  )
}

/** The keys of a text in a value, from the outside in. */
const keysOf = (value: Json, text: string, at: ReadonlyArray<string> = []): ReadonlyArray<ReadonlyArray<string>> =>
  value === text
    ? [at]
    : typeof value === "object" && value !== null
      ? Object.entries(value).flatMap(([key, inner]) => keysOf(inner, text, [...at, key]))
      : []

/** Returns a value without the entry at these keys. */
const cut = (value: Json, [key = "", ...rest]: ReadonlyArray<string>): Json => {
  if (Array.isArray(value)) {
    return value.flatMap((inner, index) =>
      String(index) !== key ? [inner] : rest.length === 0 ? [] : [cut(inner, rest)]
    )
  }
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) =>
      name !== key ? [[name, inner] as const] : rest.length === 0 ? [] : [[name, cut(inner, rest)] as const]
    )
  )
}

/** An entry of a profile. */
export interface Entry {
  readonly keys: ReadonlyArray<string>
  /** YAML in one line, as an answer. */
  readonly line: string
  /** Whether the profile lacks the entry, and the suite uses its default. */
  readonly isDefault: boolean
}

/** The values of entries that a profile can lack, and that no question asks for. */
const defaults: Readonly<Record<string, Json>> = {
  "ownership.link": { type: "{{type}}", id: "{{id}}" },
  "ownership.unlink": { type: "{{type}}", id: "{{id}}" }
}

/** Returns the entry of a name such as `groups.worker.update.0`. Of a list, it is the whole list. */
export const entryAt = (profile: Profile, named: string): Entry | undefined => {
  const parts = named.split(".")
  const index = parts.findIndex((part) => /^\d+$/.test(part))
  const keys = index === -1 ? parts : parts.slice(0, index)
  const own = keys.reduce<Json | undefined>((inner, key) => (isObject(inner) ? inner[key] : undefined), jsonOf(profile))
  const value = own ?? defaults[named]
  if (value === undefined) return undefined
  const whole = keys.reduceRight<Json>((inner, key) => ({ [key]: inner }), value)
  const line = stringify(whole, { collectionStyle: "flow", lineWidth: 0 })
    .trim()
    .replace(/^\{ ?(.*?) ?\}$/s, "$1")
  return { keys, line, isDefault: own === undefined }
}

/** A profile without the entries that name a secret, and their names. */
export interface Cut {
  readonly profile: Profile
  readonly entries: ReadonlyArray<string>
}

/** Returns the profile without a secret: the smallest entries that it can lack. Undefined if it needs the secret. */
export const withoutSecret = (profile: Profile, variable: string): Cut | undefined => {
  const reference = `\${${variable}}`
  let [left, entries]: [Profile, ReadonlyArray<string>] = [profile, []]
  for (;;) {
    const value = jsonOf(left)
    const [keys] = keysOf(value, reference)
    if (keys === undefined) return { profile: left, entries }
    // a login of the web application is useless without one of its fields
    const cuts = keys[0] === "webLogin" ? [["webLogin"]] : keys.map((_, index) => keys.slice(0, keys.length - index))
    const found = cuts.flatMap((at) =>
      Result.match(read("the profile", stringify(cut(value, at))), {
        onFailure: () => [],
        onSuccess: (smaller) => [{ smaller, at: at.join(".") }]
      })
    )[0]
    if (found === undefined) return undefined
    left = found.smaller
    entries = [...entries, found.at]
  }
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
