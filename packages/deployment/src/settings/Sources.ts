import { parseEnv } from "node:util"
import { readSecret } from "@wcs/node-server/PrivateFile"
import { Config, Effect, Option, Predicate, Result } from "effect"
import type { Variable } from "./Variable.ts"

// A setting comes from its environment variable. A secret can also come from the file that `<NAME>_FILE` names, and any
// setting from the file that `WCS_SETTINGS_FILE` names. The environment wins over the settings file.

/** What is wrong with a source, and the settings whose values are therefore unknown. */
interface Mistake {
  readonly message: string
  readonly names: ReadonlyArray<string>
}

/** The texts of all settings that are given, and everything that is wrong with their sources. */
export interface Sources {
  readonly texts: Readonly<Record<string, string>>
  readonly mistakes: ReadonlyArray<Mistake>
}

type Named = Pick<Variable<unknown>, "name" | "isSecret">

export const settingsFileName = "WCS_SETTINGS_FILE"

const isGiven = (text: string): boolean => text.trim() !== ""

/** An environment variable. An empty one counts as absent, because compose files set absent variables to empty. */
const inEnvironment = (name: string) =>
  Effect.map(Effect.orDie(Config.option(Config.String(name))), (text) => Option.filter(text, isGiven))

/** The content of a private file that a variable names. */
const contentOf = (name: string, path: string) =>
  readSecret(path, `The file of ${name}`).pipe(
    Effect.map(Option.map((text) => text.trim())),
    Effect.flatMap((text) =>
      Effect.fromResult(Result.fromOption(text, () => ({ message: `The file of ${name} ${path} does not exist.` })))
    ),
    Effect.mapError(({ message }) => message),
    Effect.result
  )

/** The settings of the settings file, if there is one. Unknown names are mistakes, because they would have no effect. */
const inFile = Effect.fnUntraced(function* (known: ReadonlySet<string>): Effect.fn.Return<Sources> {
  const path = yield* inEnvironment(settingsFileName)
  if (Option.isNone(path)) return { texts: {}, mistakes: [] }
  const content = yield* contentOf(settingsFileName, path.value)
  if (Result.isFailure(content)) {
    return { texts: {}, mistakes: [{ message: content.failure, names: [...known] }] }
  }
  const given = Object.entries(parseEnv(content.success)).filter(
    (entry): entry is [string, string] => Predicate.isString(entry[1]) && isGiven(entry[1])
  )
  const unknown = given.filter(([name]) => !known.has(name)).map(([name]) => name)
  return {
    texts: Object.fromEntries(given),
    mistakes: unknown.map((name) => ({
      message: `The settings file ${path.value} has an unknown setting ${name}.`,
      names: []
    }))
  }
})

/** Collects the texts of these variables from all sources. */
export const collect = Effect.fnUntraced(function* (variables: ReadonlyArray<Named>) {
  const names = new Set(variables.map(({ name }) => name))
  const file = yield* inFile(names)
  const texts: Record<string, string> = {}
  const ofSecrets: Array<Mistake> = []
  for (const { name } of variables) {
    const text = Option.getOrElse(yield* inEnvironment(name), () => file.texts[name])
    if (text !== undefined) texts[name] = text
  }
  for (const { name } of variables.filter(({ isSecret }) => isSecret === true)) {
    const path = texts[`${name}_FILE`]
    if (path === undefined) continue
    const mistake = (message: string) => ofSecrets.push({ message, names: [name, `${name}_FILE`] })
    if (texts[name] !== undefined) mistake(`${name} and ${name}_FILE must not be set together.`)
    const content = yield* contentOf(`${name}_FILE`, path.trim())
    if (Result.isSuccess(content)) texts[name] = content.success
    else mistake(content.failure)
  }
  const ofFile = file.mistakes.map(({ message, names }) => ({
    message,
    names: names.filter((name) => texts[name] === undefined)
  }))
  return { texts, mistakes: [...ofFile, ...ofSecrets] } satisfies Sources
})
