import { chmod, rm } from "node:fs/promises"
import { createConnection, createServer, type Server, type Socket } from "node:net"
import { Data, Effect, FiberSet, Option, Schema } from "effect"
import { reasonOf, StartRefused } from "../StartRefused.ts"
import { DataDirectory } from "../stores/DataDirectory.ts"
import { privateFileMode } from "../stores/PrivateFile.ts"
import * as AdminCommand from "./AdminCommand.ts"

// Protocol: one line of JSON as request, one line as response, then the connection closes. The file modes of the socket
// and of the data directory control access.

const Request = Schema.fromJsonString(AdminCommand.AdminCommand)
const Answer = Schema.fromJsonString(
  Schema.Union([
    Schema.TaggedStruct("Done", { result: AdminCommand.AdminResult }),
    Schema.TaggedStruct("Refused", {
      code: Schema.Literals([...AdminCommand.RefusalCode.literals, "INTERNAL"]),
      message: Schema.String
    })
  ])
)
type Answer = typeof Answer.Type

/** The maximum number of characters of a command. */
export const lineLimit = 1024 * 1024
const answerLimit = 64 * 1024 * 1024
const requestMillis = 10_000
const answerMillis = 60_000

/** No server listens on the socket. */
export class NobodyListens extends Data.TaggedError("NobodyListens") {}

/** The server sent no valid response. */
export class BrokenAnswer extends Data.TaggedError("BrokenAnswer")<{ readonly message: string }> {}

/** Reads the first line. None if no line arrives within the limits. */
const readLine = (socket: Socket, limit: number, limitMillis: number) =>
  Effect.callback<Option.Option<string>>((resume) => {
    let text = ""
    const finish = (line: Option.Option<string>) => {
      socket.off("data", take).off("end", none).off("close", none).off("error", none).off("timeout", none)
      resume(Effect.succeed(line))
    }
    const none = () => finish(Option.none())
    const take = (chunk: string) => {
      text += chunk
      const end = text.indexOf("\n")
      if (text.length > limit) none()
      else if (end !== -1) finish(Option.some(text.slice(0, end)))
    }
    socket.setEncoding("utf8").setTimeout(limitMillis)
    socket.on("data", take).on("end", none).on("close", none).on("error", none).on("timeout", none)
  })

/** Runs the command of one line. */
const answerTo = (line: string) =>
  Schema.decodeEffect(Request)(line).pipe(
    Effect.mapError(() => new AdminCommand.AdminRefused({ code: "INVALID_ARGUMENT", message: "unknown command" })),
    Effect.flatMap(AdminCommand.run),
    Effect.match({
      onFailure: ({ code, message }): Answer => ({ _tag: "Refused", code, message }),
      onSuccess: (result): Answer => ({ _tag: "Done", result })
    }),
    Effect.catchCause((cause) =>
      Effect.as(Effect.logError("an admin command failed", cause), {
        _tag: "Refused",
        code: "INTERNAL",
        message: "internal error of the server; see its log"
      } satisfies Answer)
    )
  )

const converse = Effect.fn("AdminSocket.converse")(function* (socket: Socket) {
  const line = yield* readLine(socket, lineLimit, requestMillis)
  if (Option.isNone(line)) return socket.destroy()
  const answer = Schema.encodeSync(Answer)(yield* answerTo(line.value))
  socket.end(`${answer}\n`)
})

/** Listens on the socket of the data directory. Removes the socket of a crashed server first. */
const open = (path: string, server: Server) =>
  Effect.tryPromise({
    try: async () => {
      await rm(path, { force: true })
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject).listen(path, resolve)
      })
      await chmod(path, privateFileMode)
    },
    catch: (cause) => new StartRefused({ message: `The socket ${path} cannot be created: ${reasonOf(cause)}.` })
  })

/** Serves `wcs admin` until the scope closes. */
export const serve = Effect.gen(function* () {
  const { socketFile } = yield* DataDirectory
  const runFork = yield* FiberSet.makeRuntime<Effect.Services<ReturnType<typeof converse>>>()
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => socket.destroy()).on("close", () => sockets.delete(socket))
    runFork(converse(socket))
  })
  server.maxConnections = 100
  const close = Effect.callback<void>((resume) => {
    server.close(() => resume(Effect.void))
    for (const socket of sockets) socket.destroy()
  })
  yield* Effect.acquireRelease(open(socketFile, server), () => close)
})

const connect = (path: string) =>
  Effect.callback<Socket, NobodyListens | BrokenAnswer>((resume) => {
    const socket = createConnection(path)
    socket.once("connect", () => resume(Effect.succeed(socket)))
    socket.on("error", (cause) => {
      const reason = reasonOf(cause)
      const isNobody = reason === "ENOENT" || reason === "ECONNREFUSED" || reason === "ENOTDIR"
      const error = isNobody
        ? new NobodyListens()
        : new BrokenAnswer({ message: `the socket ${path} cannot be used: ${reason}` })
      resume(Effect.fail(error))
    })
  })

/** Sends a command to the server on a socket. */
export const ask = Effect.fn("AdminSocket.ask")(function* (path: string, command: AdminCommand.AdminCommand) {
  const socket = yield* Effect.acquireRelease(connect(path), (socket) => Effect.sync(() => socket.destroy()))
  socket.write(`${Schema.encodeSync(Request)(command)}\n`)
  const line = yield* readLine(socket, answerLimit, answerMillis)
  const answer = Option.flatMap(line, Schema.decodeOption(Answer))
  if (Option.isNone(answer)) {
    return yield* new BrokenAnswer({ message: "the server stopped before it answered; try again" })
  }
  if (answer.value._tag === "Done") return answer.value.result
  const { code, message } = answer.value
  if (code === "INTERNAL") return yield* new BrokenAnswer({ message })
  return yield* new AdminCommand.AdminRefused({ code, message })
}, Effect.scoped)
