import { randomBytes } from "node:crypto"
import { writeFileSync } from "node:fs"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { Notifications } from "@wcs/domain/shared/Notifications"
import * as Settings from "@wcs/http-node/Settings"
import * as PostgresStores from "@wcs/http-node/stores/PostgresStores"
import { ConfigProvider, Context, Effect, Layer, Schedule } from "effect"
import { type Environment, serving, temporaryDirectory, working } from "./Process.ts"

/** Takes whatever comes, for as long as the scope is open, and keeps the headers. */
export const receiver = Effect.gen(function* () {
  const received: Array<IncomingHttpHeaders> = []
  const server = createServer((request, response) => {
    request.resume().once("end", () => {
      received.push(request.headers)
      response.writeHead(204).end()
    })
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () => Effect.sync(() => server.close().closeAllConnections())
  )
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`, received }
})

/** What machines share: a database and a master key. Only what webhooks may lead to is the test's own. */
export const sharing = Effect.fnUntraced(function* (url: string) {
  const keyFile = join(yield* temporaryDirectory, "master.key")
  writeFileSync(keyFile, randomBytes(32).toString("hex"), { mode: 0o600 })
  const environment: Environment = {
    DATABASE_URL: url,
    WCS_MASTER_KEY_FILE: keyFile,
    WCS_WORKER: "apart",
    WCS_WEBHOOK_HTTP: "allow",
    WCS_WEBHOOK_ALLOWED_ADDRESSES: "127.0.0.1"
  }
  return environment
})

/** Each has a data directory of its own. */
export const onOneMachine = Effect.fnUntraced(function* <A, E, R>(
  start: (environment: Environment) => Effect.Effect<A, E, R>,
  environment: Environment
) {
  return yield* start({ ...environment, WCS_DATA: join(yield* temporaryDirectory, "data") })
})

/** Two servers and two workers, started at once. */
export const deployment = Effect.fnUntraced(function* (environment: Environment, first: Environment = environment) {
  const [here, there, ...workers] = yield* Effect.all(
    [
      onOneMachine(serving, first),
      onOneMachine(serving, environment),
      onOneMachine(working, environment),
      onOneMachine(working, environment)
    ],
    { concurrency: "unbounded" }
  )
  return { here, there, workers }
})

/** One that listens to what the processes of a database tell each other, and tells nothing. */
export const listener = Effect.fnUntraced(function* (environment: Environment) {
  const settings = Layer.provide(Settings.layer, ConfigProvider.layer(ConfigProvider.fromUnknown(environment)))
  return Context.get(yield* Layer.build(Layer.provide(PostgresStores.notifications, settings)), Notifications)
})

/** Asks again until the answer is the one that is waited for. */
export const until = <A, E, R>(what: Effect.Effect<A, E, R>, isIt: (answer: A) => boolean) =>
  Effect.repeat(what, { schedule: Schedule.spaced("20 millis"), until: isIt })
