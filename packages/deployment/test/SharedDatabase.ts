import { randomBytes } from "node:crypto"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { layerTest } from "@wcs/deployment/TestDeployment"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { freshDatabase } from "@wcs/store-suite/postgres/FreshDatabase"
import { Clock, Effect, Layer, type Redacted, References, Schedule } from "effect"
import { temporaryDirectory } from "./Temporary.ts"

/** A file with a master key of its own. */
export const keyFile = Effect.gen(function* () {
  const path = join(yield* temporaryDirectory, "master.key")
  yield* Effect.promise(() => writeFile(path, randomBytes(32).toString("hex"), { mode: 0o600 }))
  return path
})

/** A whole server on a database until the scope closes, with its own data directory. */
export const start = Effect.fnUntraced(function* (
  url: Redacted.Redacted,
  environment: Readonly<Record<string, string>> = {}
) {
  const clock = yield* Clock.Clock
  const server = layerTest({ clock, engine: url, settings: environment })
  return yield* Layer.build(Layer.fresh(Layer.provide(server, Layer.succeed(References.MinimumLogLevel, "Error"))))
})

export type Server = Effect.Success<ReturnType<typeof start>>

/** Two servers that share only a database. */
export const twoServers = Effect.fnUntraced(function* (environment: Readonly<Record<string, string>> = {}) {
  const url = yield* freshDatabase
  const shared = { ...environment, WCS_MASTER_KEY_FILE: yield* keyFile, WCS_WORKER: "apart" }
  const [here, there] = yield* Effect.all([start(url, shared), start(url, shared)], { concurrency: "unbounded" })
  const [tenant] = yield* Effect.provideContext(
    AccessStore.use((store) => store.listTenants),
    here
  )
  return { here, there, tenantId: tenant?.id ?? "" }
})

/** Repeats an effect until its result meets a condition. */
export const until = <A, E, R>(what: Effect.Effect<A, E, R>, isIt: (answer: A) => boolean) =>
  Effect.repeat(what, { schedule: Schedule.spaced("20 millis"), until: isIt })
