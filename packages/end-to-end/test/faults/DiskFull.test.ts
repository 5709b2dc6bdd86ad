import { spawnSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { figuresOf } from "@wcs/end-to-end/faults/Figures"
import { Effect, type Scope } from "effect"
import { type Server, temporaryDirectory, type Wrapper } from "../Process.ts"
import type { Answer, Send } from "./Connection.ts"
import * as Mount from "./Mount.ts"
import { type Circumstances, sceneIn } from "./Scene.ts"

/** A way for a store to run out of space. */
interface Way {
  readonly name: string
  /** The conditions of a server in a directory, and a way to free space while it runs, if possible. */
  readonly arrange: (
    root: string
  ) => Effect.Effect<
    Circumstances & { readonly makeRoom: (server: Server) => Effect.Effect<boolean> },
    never,
    Scope.Scope
  >
}

/** Limits files to 4 MiB (in units of 512 bytes). Longer writes fail with EFBIG. */
const shortFiles: Wrapper = ["sh", "-c", 'ulimit -S -f 8192; exec "$@"', "sh"]

const ways: ReadonlyArray<Way> = [
  {
    name: "file size limit (EFBIG, SQLITE_IOERR)",
    arrange: () =>
      Effect.succeed({
        wrapper: shortFiles,
        makeRoom: ({ pid }) =>
          Effect.sync(() => spawnSync("sh", ["-c", `prlimit --pid ${pid} --fsize=unlimited`]).status === 0)
      })
  },
  ...(Mount.canMount
    ? [
        {
          name: "full file system (ENOSPC)",
          arrange: (root: string) =>
            Effect.map(Mount.small(root, "8m"), ({ grow }) => ({
              makeRoom: () => Effect.as(grow("64m"), true)
            }))
        }
      ]
    : [])
]

const failuresMax = 200

/** The message of an internal error. */
const assertFailure = ({ body, requestId, status }: Answer) => {
  const message = "Internal error of the service. Try again later, or report the request id."
  assert.deepStrictEqual([status, body], [500, { error: { code: "INTERNAL", message, requestId } }])
}

/** Repeats a call until it succeeds, because freeing space takes time. */
const written = (send: Send) =>
  Effect.repeat(
    Effect.promise(() => send("POST", "/workers", { identity: { displayName: "with room again" } })),
    { until: (answer) => answer?.status !== 500, times: 10_000 }
  )

describe("a full disk under 32 writing clients", () => {
  for (const { arrange, name } of ways) {
    it.live(
      `${name}: fails writes, serves reads, loses no acknowledged write, and writes again with free space`,
      (context) =>
        Effect.gen(function* () {
          const figures = figuresOf(context, `disk full: ${name}, 32 clients`)
          const root = yield* temporaryDirectory
          const { makeRoom, ...circumstances } = yield* arrange(root)
          const { history, load, server, violations } = yield* sceneIn(root)
          yield* Effect.scoped(
            Effect.gen(function* () {
              const { commons, send, server: starved } = yield* server(circumstances)
              yield* load(send, failuresMax)
              assert.isAtLeast(history.failures.length, failuresMax)
              history.failures.forEach(assertFailure)
              assert.isNotEmpty(history.exchanges)
              for (const path of [`/credentials/${commons.credentials[0]}`, "/workers?includeTotal=true"]) {
                assert.strictEqual((yield* Effect.promise(() => send("GET", path)))?.status, 200)
              }
              if (yield* makeRoom(starved)) {
                const before = history.sent
                assert.strictEqual((yield* written(send))?.status, 201)
                history.sent++
                const dying: Send = (...request) => {
                  if (history.sent - before > 300) starved.signal("SIGKILL")
                  return send(...request)
                }
                yield* load(dying)
              }
              starved.signal("SIGKILL")
              yield* starved.ended
            })
          )
          const found = yield* violations
          figures.requests = history.sent
          figures.faults = 1
          figures.survived = found.length === 0 ? 1 : 0
          figures.lost = found.length
          figures.notes = `${history.failures.length} writes refused with 500`
          assert.deepStrictEqual(found, [])
          const { send } = yield* server()
          assert.strictEqual((yield* written(send))?.status, 201)
        })
    )
  }
})
