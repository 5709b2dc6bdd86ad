import { chmodSync, existsSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { Console, Effect } from "effect"
import { Refused } from "../commands/Refused.ts"
import type { Profile } from "../profile/Profile.ts"
import { type Loaded, load } from "../profile/ProfileFile.ts"
import { profileSchemaFile } from "../profile/ProfileSchema.ts"
import { schemaFrom } from "../release/PackageFile.ts"
import { readTextFile } from "../text/TextFile.ts"
import { textOf } from "./Draft.ts"

/** Where a trial writes its files. */
export interface Files {
  readonly profile: string
  /** The secrets: lines NAME='value'. */
  readonly secrets: string
  readonly out: string
  /** The environment variables that were set before: the file of secrets changes none of them. */
  readonly given: ReadonlySet<string>
  /** The lines that were reported as unread. Each is reported once. */
  readonly told: Set<string>
}

/** Returns the names of the environment variables that have a value. */
export const setVariables = (): ReadonlySet<string> =>
  new Set(Object.entries(process.env).flatMap(([name, value = ""]) => (value === "" ? [] : [name])))

const ending = /(\.(?:ya?ml|json))?$/

/** The file of the secrets beside a profile. */
const secretsBeside = (profile: string): string => profile.replace(ending, ".env")

const numbered = (profile: string, number: number): string =>
  number === 1 ? profile : profile.replace(ending, `-${number}$1`)

/** The folder of reports that no flag names. */
export const usualOut = "conformance-report"

/** The usual folder of reports for a profile. That of a numbered profile has its number too. */
export const outBeside = (profile: string): string =>
  `${usualOut}${/-\d+(?=(?:\.(?:ya?ml|json))?$)/.exec(profile)?.[0] ?? ""}`

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : url)

const begunIn = (profile: string) =>
  Effect.mapError(
    load(profile),
    ({ message }) => new Refused({ message: `${message}; mend this profile, or choose another file with -p` })
  )

/**
 * Chooses the profile. Without a URL, it is the given one. With a URL, it is the given one or the first numbered one
 * that is not of another deployment, and beside which no file of secrets without a profile lies. No file of others is
 * overwritten. Returns the profile if it exists.
 */
export const chooseProfile = Effect.fnUntraced(function* (given: string, url: string | undefined) {
  for (let number = 1; ; number += 1) {
    const profile = numbered(given, number)
    const secrets = secretsBeside(profile)
    const begun: Loaded | undefined = existsSync(profile) ? yield* begunIn(profile) : undefined
    const isOurs =
      url === undefined ||
      (begun === undefined ? !existsSync(secrets) : originOf(url) === originOf(begun.profile.newer.tenantBaseUrl))
    if (isOurs) return { profile, secrets, begun }
  }
})

/** The assignments that every shell reads alike: in single quotes, in double quotes without expansions, or bare. */
const assignment =
  /^[ \t]*(?:export )?([A-Za-z_]\w*)=(?:'((?:[^']|'\\'')*)'|"((?:[^"\\$`\n]|\\[^\n])*)"|([^\s'"\\$`;&|<>()#~]*))(?:[ \t]+#[^\n]*|[ \t]*)\r?$/gm

const unquoted = (quoted: string): string => quoted.replaceAll("'\\''", "'")

const unescaped = (quoted: string): string => quoted.replaceAll(/\\([\\"$`])/g, "$1")

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Returns the values in a file of secrets, by environment variable. */
export const secretsIn = (text: string): ReadonlyMap<string, string> =>
  new Map(
    [...text.matchAll(assignment)].map(([, name = "", single, double, bare = ""]) => [
      name,
      single === undefined ? (double === undefined ? bare : unescaped(double)) : unquoted(single)
    ])
  )

/** Returns the numbers of the lines in a file of secrets that are neither an assignment nor a comment. */
export const unreadIn = (text: string): ReadonlyArray<number> =>
  text
    .replaceAll(assignment, (lines) => lines.replaceAll(/[^\n]/g, ""))
    .split("\n")
    .flatMap((line, index) => (/^\s*(?:#.*)?$/.test(line) ? [] : [index + 1]))

/**
 * Returns the text of a file of secrets with these values. They also replace unreadable lines of the same names. All
 * other lines stay.
 */
export const withSecrets = (text: string, values: ReadonlyMap<string, string>): string => {
  const present = secretsIn(text)
  const unread = new Set(unreadIn(text))
  const isReplaced = (line: string) => values.has(/^[ \t]*(?:export )?([A-Za-z_]\w*)=/.exec(line)?.[1] ?? "")
  const read = text.split("\n").filter((line, index) => !unread.has(index + 1) || !isReplaced(line))
  const kept = read.join("\n").replaceAll(assignment, (line, name: string) => {
    const value = values.get(name)
    return value === undefined || value === present.get(name) ? line : `${name}=${quoted(value)}`
  })
  const added = [...values].filter(([name]) => !present.has(name)).map(([name, value]) => `${name}=${quoted(value)}\n`)
  const begun = kept === "" || kept.endsWith("\n") ? kept : `${kept}\n`
  return `${begun}${added.join("")}`
}

const textIn = (file: string): string => (existsSync(file) ? readTextFile(file) : "")

/** Lets only this user read a file of secrets, if the file system allows the change. */
const protect = (secrets: string) =>
  Effect.ignore(
    Effect.try(() => {
      if (existsSync(secrets) && (statSync(secrets).mode & 0o077) !== 0) chmodSync(secrets, 0o600)
    })
  )

/** Sets the environment variables of the file of secrets, which the operator may have changed meanwhile. */
export const loadSecrets = Effect.fnUntraced(function* ({ given, secrets, told }: Files) {
  yield* protect(secrets)
  const text = textIn(secrets)
  const lines = text.split("\n")
  for (const number of unreadIn(text)) {
    const line = `${number} ${lines[number - 1]}`
    if (told.has(line)) continue
    told.add(line)
    yield* Console.log(`  ${secrets}, line ${number} is not read: write NAME='value'`)
  }
  for (const [name, value] of secretsIn(text)) if (!given.has(name)) process.env[name] = value
})

/** Replaces a file as a whole: a full disk or an abrupt end leaves the old text. */
const replace = (file: string, text: string, mode: number) => {
  const target = existsSync(file) ? realpathSync(file) : file
  const beside = `${target}.${process.pid}.new`
  try {
    writeFileSync(beside, text, { flag: "wx", mode })
    renameSync(beside, target)
  } finally {
    rmSync(beside, { force: true })
  }
}

const usualMode = 0o666

/** Writes typed secrets for this user only. */
export const saveSecrets = (typed: ReadonlySet<string>, { secrets }: Files) =>
  Effect.try({
    try: () => {
      if (typed.size === 0) return
      const values = new Map([...typed].map((name) => [name, process.env[name] ?? ""]))
      replace(secrets, withSecrets(textIn(secrets), values), 0o600)
    },
    catch: () => new Refused({ message: `${secrets} cannot be written` })
  })

/** Writes the profile, and the typed secrets beside it. */
export const save = Effect.fnUntraced(function* (profile: Profile, typed: ReadonlySet<string>, files: Files) {
  yield* Effect.try({
    try: () => {
      const isThere = existsSync(files.profile)
      const before = isThere ? { before: textIn(files.profile) } : {}
      const schema = schemaFrom(files.profile, profileSchemaFile)
      const isJson = files.profile.endsWith(".json")
      const text = textOf(profile, { ...before, isJson, ...(schema === undefined ? {} : { schema }) })
      replace(files.profile, text, isThere ? statSync(files.profile).mode & 0o777 : usualMode)
    },
    catch: () => new Refused({ message: `${files.profile} cannot be written` })
  })
  yield* saveSecrets(typed, files)
})
