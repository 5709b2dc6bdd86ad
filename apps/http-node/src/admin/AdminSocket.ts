import { chmod, rm } from "node:fs/promises"
import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { commandBytesMax } from "@wcs/admin/CommandSize"
import { ByteSize, Cause, type Context, Effect } from "effect"
import { HttpIncomingMessage } from "effect/http"
import { withoutServices } from "../listening/Listening.ts"
import { describe, StartRefused } from "../StartRefused.ts"
import { DataDirectory } from "../stores/DataDirectory.ts"
import { privateFileMode } from "../stores/PrivateFile.ts"
import type * as CommandHandler from "./CommandHandler.ts"

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

/** Serves `wcs admin` on the socket of the data directory until the scope closes. */
export const listen = Effect.gen(function* () {
  const { socketFile } = yield* DataDirectory
  const handler = Effect.flatten(yield* makeHandler).pipe(
    Effect.tapCause((cause) =>
      Cause.hasInterruptsOnly(cause) ? Effect.void : Effect.logError("an admin command failed", cause)
    ),
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(commandBytesMax))
  )
  const server = createServer(limits)
  server.maxConnections = 100
  const change = (edit: () => Promise<void>) => Effect.tryPromise({ try: edit, catch: refused(socketFile) })
  yield* change(() => rm(socketFile, { force: true })) // the socket of a crashed server
  const http = yield* NodeHttpServer.make(() => server, { path: socketFile }).pipe(
    Effect.mapError(({ cause }) => refused(socketFile)(cause))
  )
  yield* change(() => chmod(socketFile, privateFileMode))
  yield* Effect.updateContext(http.serve(handler), withoutServices)
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      server.close()
      server.closeAllConnections()
    })
  )
})
