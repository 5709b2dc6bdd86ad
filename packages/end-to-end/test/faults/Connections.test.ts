import { spawnSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { figuresOf } from "@wcs/end-to-end/faults/Figures"
import { Effect } from "effect"
import { serving, temporaryDirectory } from "../Process.ts"
import { crowd } from "./Crowd.ts"
import { requestText, Wire } from "./crowd/Wire.ts"
import { residentMegabytes } from "./Memory.ts"
import { isFull } from "./Rounds.ts"
import { placeIn } from "./Scene.ts"

/** The limit of open files. Node raises its own limit to it at start. */
const filesMax = Number(spawnSync("sh", ["-c", "ulimit -Hn"], { encoding: "utf8" }).stdout) || Number.POSITIVE_INFINITY

/** The open files that a server and its store need besides connections. */
const otherFiles = 500

const wanted = isFull ? 10_000 : 300
const possible = Math.min(wanted, filesMax - otherFiles)

const calls = isFull ? 500 : 100

/** Half of the connections say nothing. The others stop after the handshake, or send a byte now and then. */
const held = {
  silent: Math.floor(possible * 0.5),
  handshaken: Math.floor(possible * 0.3),
  slowHeaders: Math.floor(possible * 0.1),
  slowBodies: Math.floor(possible * 0.1)
}

describe("idle and slow connections", () => {
  it.live(
    `threat 27: ${wanted} idle and slow connections do not keep others from their answers`,
    (context) =>
      Effect.gen(function* () {
        const figures = figuresOf(context, "idle and slow connections")
        const { environment, token } = yield* placeIn(yield* temporaryDirectory)
        const server = yield* serving({
          ...environment,
          WCS_MAX_CONNECTIONS: String(wanted + 1000),
          WCS_LOG_LEVEL: "error"
        })
        const before = residentMegabytes(server.pid)
        const target = { port: server.port, certificateFile: server.certificateFile }
        const crowdOf = yield* crowd("hold", { target, host: "localhost", token, ...held })
        const count = Number(yield* crowdOf.told)
        const times: Array<number> = []
        for (let call = 0; call < calls; call++) {
          const begun = performance.now()
          const { status } = yield* Effect.promise(async () => {
            const wire = await Wire.open(target)
            try {
              return await wire.send(requestText("GET", "/openapi/v1/me", token))
            } finally {
              wire.close()
            }
          })
          times.push(performance.now() - begun)
          figures.requests++
          if (status !== 200) figures.lost++
        }
        const resident = residentMegabytes(server.pid)
        const told = yield* crowdOf.ended
        const sorted = times.toSorted((one, other) => one - other)
        const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(0)
        const limited =
          possible < wanted ? `only ${possible} of ${wanted}: this machine allows ${filesMax} open files; ` : ""
        figures.faults = count
        figures.survived = figures.lost === 0 ? count : 0
        figures.notes = `${limited}${count} held; a new connection and its answer: median ${at(0.5)} ms, p99 ${at(0.99)} ms; resident ${before} MB before, ${resident} MB with them; ${JSON.stringify(told)}`
        assert.strictEqual(figures.lost, 0, figures.notes)
        assert.isAtLeast(count, Math.floor(possible * 0.9), figures.notes)
      }),
    300_000
  )
})
