import { constants } from "node:fs"
import { access, readFile, writeFile } from "node:fs/promises"
import { dirname, isAbsolute, relative, resolve } from "node:path"
import type { AdminClient } from "@wcs/admin/AdminClient"
import { withoutByteOrderMark } from "@wcs/domain/shared/ByteOrderMark"
import * as Id from "@wcs/domain/shared/Id"
import { replaceSecret } from "@wcs/node-server/PrivateFile"
import { Clock, Console, Effect, Layer, Option, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { calledAs, shellWord } from "./CalledAs.ts"
import { earlier, tenantsFor } from "./ConformanceOperating.ts"
import { type Asked, placeOf, urlOf } from "./ConformancePlace.ts"
import { makeConformance } from "./ConformanceProfile.ts"
import { Json } from "./Json.ts"
import { operate } from "./Operating.ts"
import { Failed, Misused, show } from "./Output.ts"

/** The flags of the command. */
export interface Given extends Asked {
  readonly environment: string
  readonly name: Option.Option<string>
}

/** The number of parallel revocations. */
const concurrency = 16

const makeAll = Effect.fnUntraced(function* (client: AdminClient, given: Given, run: string) {
  const server = yield* client.describeServer()
  const url = yield* urlOf(given.url, server)
  const { notes, place } = yield* placeOf(given, url, server)
  const { clients, tokens, users } = yield* earlier(client)
  const left = clients.length + tokens.length + users.length
  const tenants = yield* tenantsFor(client, url.hostname, given.otherHost)
  const made = yield* makeConformance(client, {
    ...tenants,
    run,
    name: Option.getOrElse(given.name, () => url.host),
    place,
    oauthLifetimeSeconds: server.tokenLifetimeSeconds,
    legacyLifetimeSeconds: server.legacyTokenLifetimeSeconds,
    deliversToLoopback: server.deliversToLoopback
  })
  const reminder = `All credentials are new; ${left} tokens, clients and logins of earlier runs stay valid until --revoke.`
  return { ...made, notes: left === 0 ? notes : [...notes, reminder] }
})

/** A random run id of lower-case letters and digits, with 60 bits. */
const newRun = Id.Ids.use(({ ulid }) => Effect.map(ulid, (text) => text.slice(-12).toLowerCase())).pipe(
  Effect.provide(Layer.provide(Id.layer, SecureRandom.layerWebCrypto))
)

/** Checks that both files can be written, before anything is created. */
const checkFiles = Effect.fnUntraced(function* ({ environment, out }: Given) {
  if (resolve(environment) === resolve(out)) {
    return yield* new Misused({ message: "--out and --env must be different files" })
  }
  for (const [flag, file] of Object.entries({ "--out": out, "--env": environment })) {
    yield* Effect.tryPromise({
      try: () => access(dirname(resolve(file)), constants.W_OK),
      catch: () => new Misused({ message: `${flag} must be in a writable directory, but ${file} is not` })
    })
  }
})

/** The text of a file; empty if the file does not exist. */
const textIn = (file: string) =>
  Effect.tryPromise({
    try: () =>
      readFile(file, "utf8").then(withoutByteOrderMark, (cause: NodeJS.ErrnoException) => {
        if (cause.code === "ENOENT") return ""
        throw cause
      }),
    catch: () => new Failed({ code: "UNAVAILABLE", message: `${file} cannot be read` })
  })

/** The lines of a file of secrets that set none of these variables. */
const otherLines = (text: string, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  text.split(/\r?\n/).filter((line) => line !== "" && !names.includes(/^(?:export )?(\w+)=/.exec(line)?.[1] ?? ""))

/** Writes the secrets and the profile. The file of secrets keeps its other lines. Returns a note about them. */
const writeFiles = Effect.fnUntraced(function* (
  { environment, out }: Given,
  profile: string,
  values: ReadonlyArray<readonly [name: string, value: string]>
) {
  const refused = (message: string) => new Failed({ code: "UNAVAILABLE", message })
  const names = values.map(([name]) => name)
  const kept = otherLines(yield* textIn(resolve(environment)), names)
  const lines = [...kept, ...values.map(([name, value]) => `${name}=${value}`)]
  yield* Effect.mapError(replaceSecret(resolve(environment), `${lines.join("\n")}\n`), ({ message }) =>
    refused(message)
  )
  yield* Effect.tryPromise({
    try: () => writeFile(out, profile),
    catch: () => refused(`${out} cannot be written`)
  })
  return kept.length === 0 ? [] : [`${environment} keeps its other lines (${kept.length}).`]
})

/**
 * Returns a path for the shell command `.`, which needs a slash. npm runs a script in the folder of the package, and the
 * user may be in another one.
 */
const shellFile = (file: string): string => {
  const path = isAbsolute(file) ? file : relative(process.env["INIT_CWD"] ?? process.cwd(), resolve(file))
  return path.includes("/") ? path : `./${path}`
}

/** Creates the principals and writes the profile and the secrets. */
export const make = Effect.fnUntraced(function* (given: Given, printsSecrets: boolean) {
  yield* checkFiles(given)
  const run = yield* newRun
  const { notes: made, profile, readyAt, secrets } = yield* operate((client) => makeAll(client, given, run))
  const values = Object.entries(secrets)
    .map(([name, secret]) => [name, Redacted.value(secret)] as const)
    .sort()
  const kept = yield* writeFiles(given, `${JSON.stringify(profile, undefined, 2)}\n`, values)
  const notes = [...made, ...kept]
  // Two tokens must be expired. They are now, or within about a second.
  yield* Effect.sleep(Math.max(0, readyAt - (yield* Clock.currentTimeMillis)))
  const isJson = yield* Json
  const result = {
    profile: given.out,
    environment: given.environment,
    url: profile.newer.tenantBaseUrl,
    secondTenant: profile.secondTenant.tenantBaseUrl,
    run,
    secrets: values.length
  }
  if (isJson) {
    const inClear = printsSecrets ? { values: Object.fromEntries(values) } : {}
    return yield* show({ ...result, notes, ...inClear }, isJson)
  }
  yield* show(result, isJson)
  const { conformance } = calledAs(process.env, process.argv[1])
  const next = `set -a; . ${shellWord(shellFile(given.environment))}; set +a; ${conformance} run -p ${shellWord(given.out)}`
  yield* Console.log(["", ...notes, `To run the suite: ${next}`].join("\n"))
  if (printsSecrets) yield* Console.log(["", ...values.map(([name, value]) => `${name}=${value}`)].join("\n"))
})

/** Revokes the credentials of all conformance runs. */
export const revoke = Effect.gen(function* () {
  const ended = yield* operate((client) =>
    Effect.gen(function* () {
      const { clients, tokens, users } = yield* earlier(client)
      yield* Effect.forEach([...users, ...tokens, ...clients], (end) => end, { concurrency, discard: true })
      return { revokedTokens: tokens.length, revokedClients: clients.length, deactivatedUsers: users.length }
    })
  )
  yield* show(ended, yield* Json)
})
