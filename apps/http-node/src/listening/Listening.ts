import type { Server } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as AddressLimit from "@wcs/http/request/AddressLimit"
import { Context, Effect, Option, type Scope } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { Settings } from "../Settings.ts"
import { describe, reasonOf, StartRefused } from "../StartRefused.ts"
import { Certificate } from "./Certificate.ts"
import { cappedBy } from "./ClientAddress.ts"
import { build, standardLimits } from "./Listener.ts"
import * as SocketPeers from "./SocketPeers.ts"
import { recorder } from "./Traffic.ts"

/** The maximum time for requests in flight after a stop signal. */
const drainMillis = 24_000

/** The request handler. */
export type Handler = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  unknown,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>

/** Returns the port of a server. */
const portOf = (server: Server): number => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

/** An address and port, with the variables that set them. */
export interface Place {
  readonly port: number
  /** Undefined: all addresses of the machine. */
  readonly host: string | undefined
  readonly portVariable: string
  readonly hostVariable: string
}

/** Whether the error code is about the address or the name. */
const isOfHost = (reason: string): boolean =>
  ["EADDRNOTAVAIL", "EAFNOSUPPORT", "EINVAL", "ENOTFOUND"].includes(reason) || reason.startsWith("EAI_")

/** Converts a listen error to one sentence. */
const refused = ({ host, hostVariable, port, portVariable }: Place, cause: unknown): StartRefused => {
  const reason = reasonOf(cause)
  if (reason === "EADDRINUSE") {
    return new StartRefused({
      message: `${portVariable} must be a free port, but ${port} is in use by another program.`
    })
  }
  const message =
    host !== undefined && isOfHost(reason)
      ? `${hostVariable} must be an address of this machine, but listening on ${host} failed: ${describe(cause)}.`
      : `${portVariable} must be a usable port, but listening on ${port} failed: ${describe(cause)}.`
  return new StartRefused({ message })
}

/**
 * The context of every request: the clock, the log levels and other services of the runtime. Other services are left
 * out, because the context is copied for each request.
 */
export const withoutServices = (context: Context.Context<Scope.Scope>): Context.Context<Scope.Scope> =>
  Context.makeUnsafe(new Map([...context.mapUnsafe].filter(([key]) => !key.startsWith("@wcs/"))))

/** Listens and serves until the scope closes. Then accepts nothing more and finishes the requests in flight. */
export const serveOn = Effect.fnUntraced(function* (server: Server, place: Place, handler: Handler) {
  const http = yield* NodeHttpServer.make(() => server, {
    port: place.port,
    host: place.host,
    gracefulShutdownTimeout: drainMillis
  }).pipe(Effect.mapError(({ cause }) => refused(place, cause)))
  yield* Effect.updateContext(http.serve(handler), withoutServices)
  return portOf(server)
})

/** Listens on a port whose requests the handler of another server answers. */
const listenBeside = (server: Server, place: Place) =>
  Effect.acquireRelease(
    Effect.callback<number, StartRefused>((resume) => {
      server.once("error", (cause) => resume(Effect.fail(refused(place, cause))))
      server.listen({ port: place.port, host: place.host }, () => resume(Effect.succeed(portOf(server))))
    }),
    () => Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
  )

/** Serves both surfaces on the ports of the settings. The handler is complete before the first port opens. */
export const listen = Effect.fnUntraced(function* (handler: Handler) {
  const settings = yield* Settings
  const tls = yield* Certificate
  const { refuseUnread } = yield* AddressLimit.make
  const context = yield* Effect.context<never>()
  const { plain, server } = build({
    tls,
    limits: {
      ...standardLimits,
      connections: settings.maxConnections,
      connectionsPerAddress: settings.maxConnectionsPerAddress
    },
    cappedBy: ({ remoteAddress }) => cappedBy(remoteAddress, settings.trustedProxies),
    refuse: (refusal, socket, send) =>
      Effect.runForkWith(context)(Effect.map(refuseUnread(refusal, SocketPeers.addressOf(socket)), send)),
    onRequest: recorder(context),
    onError: (error) =>
      Effect.runForkWith(context)(Effect.logError("a connection could not be accepted", error.message))
  })
  const at = (port: number, portVariable: string): Place => ({
    port,
    host: Option.getOrUndefined(settings.host),
    portVariable,
    hostVariable: "WCS_HOST"
  })
  const port = yield* serveOn(server, at(settings.port, "WCS_PORT"), handler)
  const plainPort = yield* Effect.transposeOption(
    Option.zipWith(plain, settings.plainPort, (beside, on) => listenBeside(beside, at(on, "WCS_PLAIN_PORT")))
  )
  return { port, plainPort }
})
