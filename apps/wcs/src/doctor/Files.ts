import { accessSync, constants, existsSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { secretIn } from "@wcs/deployment/RegisterSecret"
import { Settings } from "@wcs/deployment/Settings"
import { storeFileOf } from "@wcs/deployment/stores/DataDirectory"
import { authoritiesIn } from "@wcs/deployment/TrustedAuthorities"
import { headersIn } from "@wcs/deployment/telemetry/OtlpHeaders"
import { describe, type StartRefused } from "@wcs/node-server/StartRefused"
import { Effect, Option, Result } from "effect"
import { type Finding, findingsOf } from "./Finding.ts"

const { failed, ok } = findingsOf("files")

/** Why a directory cannot get new files. Undefined if it can. */
const faultOf = (directory: string): string | undefined => {
  try {
    accessSync(directory, constants.W_OK | constants.X_OK)
    return undefined
  } catch (cause) {
    return describe(cause)
  }
}

/** A file that the first run creates, or why it cannot. */
const creatable = (variable: string, path: string, dataDirectory: string): Finding => {
  if (existsSync(path)) return failed(`${path} exists already: move it away, or set ${variable} to another file.`)
  const directory = dirname(resolve(path))
  // the first run creates the data directory before the file
  const fault = directory === resolve(dataDirectory) ? undefined : faultOf(directory)
  return fault === undefined
    ? ok(`The first run can create ${path} (${variable}).`)
    : failed(`The first run cannot create ${path} (${fault}): set ${variable} to a file in another directory.`)
}

/** The files that the first run creates. None after it: a later start does not need them. */
const ofFirstRun = Settings.useSync(({ bootstrap, dataDirectory, database }): ReadonlyArray<Finding> => {
  if (Option.isSome(database) || existsSync(storeFileOf(dataDirectory))) return []
  const tokenFile = Option.map(bootstrap.admin, ({ tokenFile }) => tokenFile)
  return [
    ...Option.toArray(tokenFile).map((path) => creatable("WCS_ADMIN_TOKEN_FILE", path, dataDirectory)),
    ...Option.toArray(bootstrap.clientFile).map((path) => creatable("WCS_CLIENT_FILE", path, dataDirectory))
  ]
})

const checked = <A>(path: string, content: Effect.Effect<A, StartRefused>) =>
  Effect.map(
    Effect.result(content),
    Result.match({
      onFailure: ({ message }) => failed(message),
      onSuccess: () => ok(`${path} is valid.`)
    })
  )

/** The files with secrets and authorities that a start reads. */
const ofSecrets = Settings.use(({ authoritiesFile, register, telemetry }) => {
  const ofRegister =
    register._tag === "Gateway"
      ? Option.map(register.secretFile, (path) => checked(path, secretIn(path)))
      : Option.none()
  const ofCollector = Option.map(
    Option.flatMap(telemetry, ({ headersFile }) => headersFile),
    (path) => checked(path, headersIn(path))
  )
  const ofAuthorities = Option.map(authoritiesFile, (path) => checked(path, authoritiesIn(path)))
  return Effect.all([...Option.toArray(ofRegister), ...Option.toArray(ofCollector), ...Option.toArray(ofAuthorities)])
})

/** The files that a start reads or creates, besides those of other checks. */
export const files = Effect.zipWith(ofSecrets, ofFirstRun, (secrets, firstRun) => [...secrets, ...firstRun])
