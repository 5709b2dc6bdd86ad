import { readFileSync } from "node:fs"
import { join } from "node:path"
import { connect, type TLSSocket } from "node:tls"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { withAdmin } from "./Calls.ts"
import { bearer, run, type Server, temporaryDirectory } from "./Process.ts"

/** A kept connection for sequential requests. */
interface Kept {
  /** Sends a request and waits for the complete response. None if the connection was closed. */
  readonly ask: Effect.Effect<string | undefined>
}

const opened = ({ certificateFile, port }: Server) =>
  Effect.acquireRelease(
    Effect.callback<TLSSocket>((resume) => {
      const socket = connect({ port, host: "127.0.0.1", ca: readFileSync(certificateFile) })
      socket.once("secureConnect", () => resume(Effect.succeed(socket)))
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

/** Whether a response is complete. */
const isWhole = (text: string): boolean => {
  const [head = "", body] = text.split("\r\n\r\n")
  return body !== undefined && body.length === Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1])
}

const kept = (server: Server, token: string) =>
  Effect.map(opened(server), (socket): Kept => {
    const { authorization } = bearer(token)
    const request = `GET /openapi/v1/workers HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\n\r\n`
    socket.setEncoding("utf8").on("error", () => {})
    return {
      ask: Effect.callback((resume) => {
        let text = ""
        const finish = (answer: string | undefined) => {
          socket.off("data", take).off("close", lost)
          resume(Effect.succeed(answer))
        }
        const lost = () => finish(undefined)
        const take = (chunk: string) => {
          text += chunk
          if (isWhole(text)) finish(text)
        }
        socket.on("data", take).once("close", lost)
        socket.write(request)
      })
    }
  })

const isLast = (answer: string | undefined): boolean => /\r\nconnection: close\r\n/i.test(answer ?? "")

/** Sends SIGTERM to the process when it starts to load its modules. */
const signalWhileLoading = `import { registerHooks } from "node:module"
registerHooks({ load: (url, context, next) => {
  if (url.endsWith("/Program.ts")) process.kill(process.pid, "SIGTERM")
  return next(url, context)
} })`

const program = fileURLToPath(new URL("../../../apps/wcs/src/main.ts", import.meta.url))

describe("a server after a stop signal", () => {
  it.live("shuts down cleanly while it loads its modules, as required for process 1", () =>
    Effect.gen(function* () {
      // the sources, because the bundle has no Program.ts
      const { code } = yield* run(process.execPath, [program, "serve"], {
        WCS_DATA: join(yield* temporaryDirectory, "data"),
        NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(signalWhileLoading)}`
      })
      assert.strictEqual(code, 0)
    })
  )

  it.live("answers every sent request on 24 busy connections", () =>
    Effect.gen(function* () {
      const { server, token } = yield* withAdmin({ WCS_RATE_STANDARD: "1000000" })
      const connections = yield* Effect.all(
        Array.from({ length: 24 }, () => kept(server, token)),
        { concurrency: "unbounded" }
      )
      let answers = 0
      const askOn = ({ ask }: Kept) =>
        Effect.repeat(
          Effect.tap(ask, () =>
            Effect.sync(() => {
              answers++
            })
          ),
          { until: (answer) => answer === undefined || isLast(answer) }
        )
      const asking = yield* Effect.forkChild(Effect.all(connections.map(askOn), { concurrency: "unbounded" }))
      yield* Effect.repeat(Effect.yieldNow, { while: () => Effect.succeed(answers < 500) })
      server.signal("SIGTERM")
      for (const last of yield* Fiber.join(asking)) assert.match(last ?? "nothing", /^HTTP\/1\.1 200 /)
      assert.strictEqual((yield* server.ended).code, 0)
    })
  )
})
