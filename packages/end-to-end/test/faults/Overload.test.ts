import { assert, describe, it } from "@effect/vitest"
import { figuresOf } from "@wcs/end-to-end/faults/Figures"
import { Effect } from "effect"
import { serving, temporaryDirectory } from "../Process.ts"
import { crowd } from "./Crowd.ts"
import type { Result } from "./crowd/openLoop.ts"
import { requestText, type Target, Wire } from "./crowd/Wire.ts"
import { isFull } from "./Rounds.ts"
import { placeIn } from "./Scene.ts"

const seconds = isFull ? { measuring: 10, overload: 60 } : { measuring: 1, overload: 3 }

/** The maximum time from the end of the load to normal responses. */
const recoveredMillis = 5000

/** Responses in a row that count as recovered, each within this time. */
const inRow = 10
const normalMillis = 50

/** Half reads, and writes. */
const requestsWith = (token: string, id: string): ReadonlyArray<string> => [
  requestText("GET", `/openapi/v1/workers/${id}`, token),
  requestText("POST", "/openapi/v1/workers", token, '{"identity":{"displayName":"Ann Example"}}'),
  requestText("GET", "/openapi/v1/workers?pageSize=20", token),
  requestText("PATCH", `/openapi/v1/workers/${id}`, token, '{"employment":{"jobTitle":"Nurse"}}')
]

const loaded = (parameters: {
  readonly target: Target
  readonly requests: ReadonlyArray<string>
  readonly perSecond: number
  readonly seconds: number
  readonly connections: number
}) =>
  Effect.gen(function* () {
    const { told } = yield* crowd("openLoop", parameters)
    yield* told
    return { result: Effect.map(told, (message) => message as Result) }
  })

/** Asks until some responses in a row are normal. Returns the milliseconds until the first of them. */
const recovery = (target: Target, request: string) =>
  Effect.promise(async () => {
    const begun = performance.now()
    const wire = await Wire.open(target)
    let normalSince = 0
    for (let row = 0; row < inRow; ) {
      const asked = performance.now()
      const { status } = await wire.send(request)
      const isNormal = status === 200 && performance.now() - asked <= normalMillis
      if (isNormal && row === 0) normalSince = asked - begun
      row = isNormal ? row + 1 : 0
      if (performance.now() - begun > 60_000) return performance.now() - begun
    }
    wire.close()
    return normalSince
  })

describe("twice the sustainable load", () => {
  it.live(
    `for ${seconds.overload} s: sheds with 429 or 503 and Retry-After, loses no request, and recovers within ${recoveredMillis / 1000} s`,
    (context) =>
      Effect.gen(function* () {
        const figures = figuresOf(context, `twice the sustainable load for ${seconds.overload} s`)
        const { environment, token } = yield* placeIn(yield* temporaryDirectory)
        const server = yield* serving({ ...environment, WCS_LOG_LEVEL: "error" })
        const target = { port: server.port, certificateFile: server.certificateFile }
        const wire = yield* Effect.promise(() => Wire.open(target))
        const made = requestText("POST", "/openapi/v1/workers", token, '{"identity":{"displayName":"Ann Example"}}')
        const { created = "" } = yield* Effect.promise(() => wire.send(made))
        wire.close()
        const requests = requestsWith(token, created)
        const [read = ""] = requests
        const sustained = yield* Effect.scoped(
          Effect.flatMap(
            loaded({ target, requests, perSecond: 0, seconds: seconds.measuring, connections: 32 }),
            ({ result }) => result
          )
        )
        const sustainable = sustained.sent / seconds.measuring
        const perSecond = Math.round(2 * sustainable)
        const { recovered, result } = yield* Effect.scoped(
          Effect.gen(function* () {
            const loading = yield* loaded({
              target,
              requests,
              perSecond,
              seconds: seconds.overload,
              connections: isFull ? 2000 : 200
            })
            const recovered = yield* recovery(target, read)
            return { recovered, result: yield* loading.result }
          })
        )
        figures.requests = result.sent
        figures.faults = result.sent
        figures.lost = result.broken + result.withoutRetryAfter
        figures.survived = figures.requests - figures.lost
        figures.notes = `${sustainable.toFixed(0)}/s sustained (median ${sustained.medianMillis.toFixed(0)} ms), ${perSecond}/s sent; ${JSON.stringify(result.statuses)}, ${result.shed} shed with Retry-After, ${result.broken} broken; median ${result.medianMillis.toFixed(0)} ms, p99 ${result.p99Millis.toFixed(0)} ms; normal again after ${recovered.toFixed(0)} ms`
        assert.strictEqual(figures.lost, 0, figures.notes)
        if (!isFull) return
        assert.isAbove(result.shed, 0, figures.notes)
        assert.isBelow(recovered, recoveredMillis, figures.notes)
      }),
    300_000
  )
})
