import { spawnSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { type Server, temporaryDirectory, type Wrapper } from "../Process.ts"
import type { Answer, Send } from "./Connection.ts"
import { injected } from "./Injected.ts"
import * as Mount from "./Mount.ts"
import { type Circumstances, sceneIn } from "./Scene.ts"

/** A way in which a store runs out of space. */
interface Way {
  readonly name: string
  /** The circumstances of a server in this directory, and what gives it room again while it runs, where that can be. */
  readonly arrange: (
    root: string
  ) => Effect.Effect<
    Circumstances & { readonly makeRoom: (server: Server) => Effect.Effect<boolean> },
    never,
    Scope.Scope
  >
}

/** No file may become longer than 2 MiB, which a shell counts in 512 bytes; who writes on is told EFBIG. */
const shortFiles: Wrapper = ["sh", "-c", 'ulimit -S -f 4096; exec "$@"', "sh"]

const ways: ReadonlyArray<Way> = [
  {
    name: "pages are counted, and there are no more (SQLITE_FULL)",
    arrange: () =>
      Effect.succeed({
        environment: injected("MaxPages"),
        makeRoom: (server) => Effect.sync(() => server.signal("SIGUSR2")).pipe(Effect.as(true))
      })
  },
  {
    name: "files cannot grow (EFBIG, SQLITE_IOERR)",
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
          name: "the file system is full (ENOSPC)",
          arrange: (root: string) =>
            Effect.map(Mount.small(root, "4m"), ({ grow }) => ({
              makeRoom: () => Effect.as(grow("64m"), true)
            }))
        }
      ]
    : [])
]

const failuresMax = 200

/** What is said of a failure of ours: nothing of the inside. */
const assertFailure = ({ body, requestId, status }: Answer) => {
  const message = "Internal error of the service. Try again later, or report the request id."
  assert.deepStrictEqual([status, body], [500, { error: { code: "INTERNAL", message, requestId } }])
}

/** Asks until the answer is another than a failure: room is made while the server runs, and not at once. */
const written = (send: Send) =>
  Effect.repeat(
    Effect.promise(() => send("POST", "/workers", { identity: { displayName: "with room again" } })),
    { until: (answer) => answer?.status !== 500, times: 10_000 }
  )

describe("a disk that is full, under 32 writing clients", () => {
  for (const { arrange, name } of ways) {
    it.live(`${name}: writes fail, reads go on, nothing acknowledged is lost; with room again it writes again`, () =>
      Effect.gen(function* () {
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
        assert.deepStrictEqual(yield* violations, [])
        const { send } = yield* server()
        assert.strictEqual((yield* written(send))?.status, 201)
      })
    )
  }
})
