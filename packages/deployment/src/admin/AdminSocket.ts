import { chmod, rm } from "node:fs/promises"
import { createServer, type Server } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { commandBytesMax } from "@wcs/admin/CommandSize"
import { privateModes } from "@wcs/node-server/Exposure"
import { withoutServices } from "@wcs/node-server/Listening"
import { describe, StartRefused } from "@wcs/node-server/StartRefused"
import { ByteSize, Cause, type Context, Effect, Option } from "effect"
import { HttpIncomingMessage } from "effect/http"
import { DataDirectory } from "../stores/DataDirectory.ts"
import { OneAtATime } from "../stores/OneAtATime.ts"
import type * as CommandHandler from "./CommandHandler.ts"
import { isListening } from "./SocketProbe.ts"

// The file modes of the socket and of the data directory control access.

const limits = {
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000
}

const refused = (path: string) => (cause: unknown) =>
  new StartRefused({ message: `The socket ${path} cannot be created: ${describe(cause)}.` })

/** The handler of commands. Its modules are imported with the first command, because they delay the start. */
const makeHandler = Effect.contextWith((context: Context.Context<Effect.Services<typeof CommandHandler.handler>>) =>
  Effect.promise(() => import("./CommandHandler.ts")).pipe(
    Effect.flatMap(({ handler }) => handler),
    Effect.updateContext((_: Context.Context<never>) => context), // without the services of the first command
    Effect.uninterruptible, // an interruption of the first command must not fail those that wait with it
    Effect.cached
  )
)

/**
 * Binds the socket and returns its server, or none if another server listens there: with a database, several servers can
 * have one data directory. Replaces the socket of a server that died.
 */
const bind = Effect.fnUntraced(function* (server: Server, socketFile: string) {
  if (yield* isListening(socketFile)) return Option.none()
  const change = (edit: () => Promise<void>) => Effect.tryPromise({ try: edit, catch: refused(socketFile) })
  yield* change(() => rm(socketFile, { force: true }))
  const http = yield* NodeHttpServer.make(() => server, { path: socketFile }).pipe(
    Effect.mapError(({ cause }) => refused(socketFile)(cause))
  )
  yield* change(() => chmod(socketFile, privateModes.file))
  return Option.some(http)
})

/** Serves `wcs admin` on the socket of the data directory until the scope closes. */
export const listen = Effect.gen(function* () {
  const { path, socketFile } = yield* DataDirectory
  const handler = Effect.flatten(yield* makeHandler).pipe(
    Effect.tapCause((cause) =>
      Cause.hasInterruptsOnly(cause) ? Effect.void : Effect.logError("an admin command failed", cause)
    ),
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(commandBytesMax))
  )
  const server = createServer(limits)
  server.maxConnections = 100
  // In turn, because two servers that start together would both find the socket of a dead one.
  const oneAtATime = yield* OneAtATime
  const http = yield* oneAtATime(bind(server, socketFile))
  if (Option.isNone(http)) {
    return yield* Effect.logWarning(
      `another server uses ${path} and keeps answering wcs admin there, for its own store; set WCS_DATA to another directory for each server`
    )
  }
  yield* Effect.updateContext(http.value.serve(handler), withoutServices)
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      server.close()
      server.closeAllConnections()
    })
  )
})
