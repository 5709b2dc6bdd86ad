import type { Server } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { ErrorCodes } from "@wcs/domain/ErrorCode"
import { Ids } from "@wcs/domain/Id"
import { Effect, Option, type Scope } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { Certificate } from "./Certificate.ts"
import { build, standardLimits } from "./Listener.ts"
import { Settings } from "./Settings.ts"
import { reasonOf, StartRefused } from "./StartRefused.ts"
import { recorder } from "./Traffic.ts"

/** How long what is in flight may take after a signal to stop. */
const drainMillis = 24_000

/** What answers a request. */
export type Handler<R> = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  unknown,
  HttpServerRequest.HttpServerRequest | Scope.Scope | R
>

/** The port that a server got. */
const portOf = (server: Server): number => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

/** In one sentence why a port could not be had. */
export const portRefused = (variable: string, port: number, cause: unknown): StartRefused => {
  const reason = reasonOf(cause)
  const message =
    reason === "EADDRINUSE"
      ? `${variable} must be a free port, and ${port} is in use by another program.`
      : `${variable} must be a port that can be listened on, and ${port} cannot: ${reason}.`
  return new StartRefused({ message })
}

/** Listens, and serves until the scope closes: then nothing more is accepted and what is in flight is finished. */
export const serveOn = Effect.fnUntraced(function* <R>(
  server: Server,
  options: { readonly port: number; readonly host: string | undefined },
  variable: string,
  handler: Handler<R>
) {
  const http = yield* NodeHttpServer.make(() => server, {
    port: options.port,
    host: options.host,
    gracefulShutdownTimeout: drainMillis
  }).pipe(Effect.mapError(({ cause }) => portRefused(variable, options.port, cause)))
  yield* http.serve(handler)
  return portOf(server)
})

/** Listens on a port whose requests another server's handler answers. */
const listenBeside = (server: Server, port: number, host: string | undefined) =>
  Effect.acquireRelease(
    Effect.callback<number, StartRefused>((resume) => {
      server.once("error", (cause) => resume(Effect.fail(portRefused("WCS_PLAIN_PORT", port, cause))))
      server.listen({ port, host }, () => resume(Effect.succeed(portOf(server))))
    }),
    () => Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
  )

/** Serves both surfaces on the ports of the settings. The handler is whole before the first port is open. */
export const listen = Effect.fnUntraced(function* <R>(handler: Handler<R>) {
  const settings = yield* Settings
  const tls = yield* Certificate
  const codes = yield* ErrorCodes
  const ids = yield* Ids
  const context = yield* Effect.context<never>()
  const { plain, server } = build({
    tls,
    limits: { ...standardLimits, connections: settings.maxConnections },
    codes,
    requestId: () => Effect.runSyncWith(context)(ids.ulid),
    onRequest: recorder(context),
    onError: (error) => Effect.runForkWith(context)(Effect.logError("a connection was not accepted", error.message))
  })
  const host = Option.getOrUndefined(settings.host)
  const port = yield* serveOn(server, { port: settings.port, host }, "WCS_PORT", handler)
  const plainPort = yield* Effect.transposeOption(
    Option.zipWith(plain, settings.plainPort, (beside, on) => listenBeside(beside, on, host))
  )
  return { port, plainPort }
})
