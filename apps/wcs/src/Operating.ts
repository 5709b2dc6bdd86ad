import { existsSync } from "node:fs"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as AdminClient from "@wcs/admin/AdminClient"
import type { AdminRefused } from "@wcs/admin/AdminRefused"
import * as Settings from "@wcs/deployment/Settings"
import { checkSocket, socketOf } from "@wcs/deployment/stores/DataDirectory"
import { describe, type StartRefused } from "@wcs/node-server/StartRefused"
import { ByteSize, Effect, Layer, Schedule, type Schema } from "effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import { Failed, type Misused } from "./Output.ts"

/** The maximum time between a server locking the store and listening on its socket. */
const startingMillis = 5_000
const retryMillis = 50

/** The maximum time until a server answers, and the maximum size of its answer. */
const answerMillis = 60_000
const answerBytesMax = ByteSize.mebibytes(64)
/** The same for `wcs doctor` and `wcs top`, which must not hang with a server. */
const askedMillis = 2_000

/** Why a command failed. */
export type Refusal = AdminRefused | HttpClientError.HttpClientError | Schema.SchemaError

/** One command or a sequence of commands. */
export type Work<A> = (client: AdminClient.AdminClient) => Effect.Effect<A, Refusal | Failed | Misused>

const { HttpClientError: NoAnswer, TransportError } = HttpClientError

/** Sends commands to the server on a socket. */
const overSocket = (socketPath: string) =>
  Layer.effect(
    HttpClient.HttpClient,
    HttpClient.HttpClient.useSync(
      HttpClient.transform((answer, request) =>
        Effect.timeoutOrElse(answer, {
          duration: answerMillis,
          orElse: () => Effect.fail(new NoAnswer({ reason: new TransportError({ request }) }))
        })
      )
    )
  ).pipe(Layer.provide(NodeHttpClient.layerNodeHttpOptions({ socketPath })))

/**
 * Sends a short command to the server on the data directory. None without an answer in two seconds: there is no server,
 * or it failed or hangs. Never opens the store.
 */
export const askServer = Effect.fnUntraced(function* <A>(work: Work<A>) {
  const { dataDirectory } = yield* Settings.Settings
  const path = yield* socketOf(dataDirectory)
  yield* checkSocket(dataDirectory, path)
  const answer = AdminClient.make.pipe(Effect.flatMap(work), Effect.provide(overSocket(path)))
  return yield* Effect.timeout(answer, askedMillis)
}, Effect.option)

/** Runs commands in this process. Imports the server modules. */
const here = Layer.unwrap(
  Effect.map(
    Effect.promise(() => import("@wcs/deployment/admin/Commands")),
    ({ layer }) => layer
  )
)

/**
 * Sends commands to the server on the data directory. Without a server, works on the store itself. If the server stops
 * meanwhile, starts again without it.
 */
export const operate = Effect.fnUntraced(
  function* <A>(work: Work<A>) {
    const { dataDirectory } = yield* Settings.Settings
    const path = yield* socketOf(dataDirectory)
    yield* checkSocket(dataDirectory, path)
    const through = <R>(transport: Layer.Layer<HttpClient.HttpClient, StartRefused, R>) =>
      AdminClient.make.pipe(Effect.flatMap(work), Effect.provide(transport))
    const broken = (error: HttpClientError.HttpClientError | Schema.SchemaError) =>
      new Failed({
        code: "UNAVAILABLE",
        message: AdminClient.brokenAnswer(error, (cause) => `the socket ${path} cannot be used: ${describe(cause)}`)
      })
    const throughServer = through(overSocket(path)).pipe(
      Effect.provideService(HttpIncomingMessage.MaxBodySize, answerBytesMax),
      Effect.catchIf(AdminClient.isNobody, () => through(here))
    )
    return yield* Effect.suspend(() => (existsSync(path) ? throughServer : through(here))).pipe(
      Effect.retry({
        while: (error) => error._tag === "StartRefused" && error.isInUse === true,
        schedule: Schedule.spaced(retryMillis).pipe(Schedule.upTo({ duration: startingMillis }))
      }),
      Effect.catchTag(["HttpClientError", "SchemaError"], (error) => Effect.fail(broken(error)))
    )
  },
  Effect.provide(Settings.layer),
  Effect.catchTag("AdminRefused", ({ code, message }) => Effect.fail(new Failed({ code, message })))
)
