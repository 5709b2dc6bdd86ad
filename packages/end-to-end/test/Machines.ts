import { randomBytes } from "node:crypto"
import { writeFileSync } from "node:fs"
import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Settings from "@wcs/deployment/Settings"
import * as PostgresStores from "@wcs/deployment/stores/PostgresStores"
import { Notifications } from "@wcs/domain/shared/Notifications"
import { listen } from "@wcs/end-to-end/Listen"
import { ConfigProvider, Context, Effect, Layer, type Redacted, Schedule } from "effect"
import { Reactivity } from "effect/reactivity"
import { type Environment, serving, temporaryDirectory, working } from "./Process.ts"

/** An HTTP server, for the lifetime of the scope. Returns its URL. */
export const httpServer = (listener: RequestListener) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const server = createServer(listener)
        return { server, port: await listen(server) }
      }),
      ({ server }) => Effect.sync(() => server.close().closeAllConnections())
    ),
    ({ port }) => `http://127.0.0.1:${port}`
  )

/** A receiver that accepts and keeps everything, for the lifetime of the scope. */
export const receiver = Effect.gen(function* () {
  const received: Array<{ readonly headers: IncomingHttpHeaders; readonly text: string }> = []
  const url = yield* httpServer((request, response) => {
    text(request).then(
      (body) => {
        received.push({ headers: request.headers, text: body })
        response.writeHead(204).end()
      },
      () => response.destroy()
    )
  })
  return { url: `${url}/events`, received }
})

/** The shared settings: database, master key, and allowed webhook addresses for the test. */
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

/** Each machine has its own data directory. */
export const onOneMachine = Effect.fnUntraced(function* <A, E, R>(
  start: (environment: Environment) => Effect.Effect<A, E, R>,
  environment: Environment
) {
  return yield* start({ ...environment, WCS_DATA: join(yield* temporaryDirectory, "data") })
})

/** Two servers and two workers, started in parallel. */
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

/** Listens to the notifications of a database without sending any. */
export const listener = Effect.fnUntraced(function* (environment: Environment) {
  const settings = Layer.provide(Settings.layer, ConfigProvider.layer(ConfigProvider.fromUnknown(environment)))
  return Context.get(yield* Layer.build(Layer.provide(PostgresStores.notifications, settings)), Notifications)
})

/** Repeats a call until the expected response arrives. */
export const until = <A, E, R>(what: Effect.Effect<A, E, R>, isIt: (answer: A) => boolean) =>
  Effect.repeat(what, { schedule: Schedule.spaced("20 millis"), until: isIt })

/** Runs statements on a database. Returns the rows of each. */
export const onDatabase = (url: Redacted.Redacted, ...statements: ReadonlyArray<string>) =>
  PgClient.makeClient({ url }).pipe(
    Effect.flatMap((sql) =>
      Effect.forEach(statements, (statement) => sql.unsafe<Readonly<Record<string, unknown>>>(statement))
    ),
    Effect.scoped,
    Effect.orDie,
    Effect.provide(Reactivity.layer)
  )
