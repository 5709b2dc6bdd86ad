import { assert, describe, it } from "@effect/vitest"
import { insisting } from "@wcs/conformance/engine/Insisting"
import * as Expect from "@wcs/conformance/judgement/Expect"
import type { Finding } from "@wcs/conformance/judgement/Finding"
import { judge } from "@wcs/conformance/judgement/Judge"
import { Session } from "@wcs/conformance/judgement/Session"
import { walk } from "@wcs/conformance/judgement/Walk"
import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import { NoAnswer } from "@wcs/conformance/wire/Wire"
import { Effect } from "effect"
import { exchangeOf } from "../Exchanges.ts"
import { always, answer, inTime, runOver, type Serve } from "../Invented.ts"

const post = (path: string) => Effect.flatMap(Session, ({ send }) => send({ method: "POST", path, json: {} }))
const get = (path: string) => Effect.flatMap(Session, ({ send }) => send({ method: "GET", path }))

/** Two calls that must succeed, and one rule for each. */
const two = walk({ name: "workers/two", judges: ["WRK-03", "WRK-04"], impact: "create", needs: [] })(function* () {
  const first = yield* post("/workers/first")
  yield* judge("WRK-03", [first], Expect.accepted(first))
  const second = yield* post("/workers/second")
  yield* judge("WRK-04", [second], Expect.accepted(second))
})

const reset = Effect.fail(new NoAnswer({ silence: "reset", detail: "ECONNRESET" }))

/** Loses the first responses to calls of a path. */
const losing = (
  lost: Effect.Effect<Answer, NoAnswer>,
  ...some: ReadonlyArray<readonly [path: string, times: number]>
) => {
  const left = new Map(some)
  const serve: Serve = ({ url }: Request) =>
    Effect.suspend(() => {
      const path = new URL(url).pathname.split("/").at(-1) ?? ""
      const times = left.get(path) ?? 0
      left.set(path, times - 1)
      return times > 0 ? lost : Effect.succeed(answer(200, { data: {} }))
    })
  return serve
}

/** Returns the findings for a deployment that responds to the preflight. */
const foundOn = (serve: Serve, made = two) =>
  inTime(
    runOver({
      serve: (request) =>
        request.url.endsWith("/first") || request.url.endsWith("/second") ? serve(request) : always(200)(request),
      walks: [made]
    })
  )

describe("a walk with a lost response", () => {
  it.effect("is repeated, and the last attempt counts", () =>
    Effect.gen(function* () {
      for (const lost of [reset, Effect.succeed(answer(502))]) {
        const { events, exchanges, found } = yield* foundOn(losing(lost, ["second", 1]))
        assert.deepStrictEqual(found, ["WRK-03 pass", "WRK-04 pass"])
        const walks = exchanges.map(({ walk }) => walk).filter((name) => name.startsWith("workers/"))
        assert.deepStrictEqual(walks, ["workers/two", "workers/two", "workers/two (2)", "workers/two (2)"])
        assert.lengthOf(
          events.filter(({ type }) => type === "walk-ended"),
          1
        )
      }
    })
  )

  it.effect("fails no rule when the run ends before the walk is repeated", () =>
    Effect.gen(function* () {
      const url = "https://one.example/openapi/v1/workers/second"
      const lost = exchangeOf({ number: 7, method: "PUT", url, answer: { status: 503 } })
      const failed: Finding = { rule: "WRK-04", walk: two.name, outcome: "fail", differences: [], exchanges: [7] }
      const once = () => Effect.succeed({ findings: [failed], lost: [lost], isHalted: true })
      const { findings } = yield* insisting(two, () => Effect.void, once)
      assert.deepStrictEqual(
        findings.map(({ outcome }) => outcome),
        ["inconclusive"]
      )
    })
  )

  it.effect("judges a response that is lost each time as the deployment's behaviour, after a pause", () =>
    Effect.gen(function* () {
      const { exchanges, found } = yield* foundOn(losing(reset, ["second", 99]))
      assert.deepStrictEqual(found, ["WRK-03 pass", "WRK-04 fail"])
      const lost = exchanges.filter(({ request }) => request.url.endsWith("/second")).map(({ startedAt }) => startedAt)
      assert.deepStrictEqual(
        lost.map((millis) => millis - (lost[0] ?? 0)),
        [0, 0, 5000]
      )
    })
  )

  it.effect("is inconclusive when another response is lost each time", () =>
    Effect.gen(function* () {
      const { findings, found } = yield* foundOn(losing(reset, ["first", 1], ["second", 99]))
      assert.deepStrictEqual(found, ["WRK-03 pass", "WRK-04 inconclusive"])
      assert.deepInclude(
        findings.find(({ rule }) => rule === "WRK-04"),
        {
          reason:
            "responses were lost in every attempt of the walk: POST /openapi/v1/workers/second had no answer (reset)",
          differences: []
        }
      )
    })
  )

  it.effect("is not repeated when the deployment itself responds that it is unavailable", () =>
    Effect.gen(function* () {
      const own = { ...answer(503), headers: { "x-request-id": "1" } }
      const { exchanges, found } = yield* foundOn(losing(Effect.succeed(own), ["second", 1]))
      assert.deepStrictEqual(found, ["WRK-03 pass", "WRK-04 fail"])
      assert.lengthOf(
        exchanges.filter(({ walk }) => walk.startsWith("workers/")),
        2
      )
    })
  )

  it.effect("repeats only the call when a read has no response", () =>
    Effect.gen(function* () {
      const reading = walk({ name: "workers/reading", judges: ["WRK-03"], impact: "read", needs: [] })(
        Effect.flatMap(get("/workers/first"), (read) => judge("WRK-03", [read], Expect.accepted(read)))
      )
      const { exchanges, found } = yield* foundOn(losing(reset, ["first", 2]), reading)
      assert.deepStrictEqual(found, ["WRK-03 pass"])
      assert.deepStrictEqual(
        exchanges.filter(({ walk }) => walk === "workers/reading").map(({ step }) => step),
        [1, 1, 1]
      )
    })
  )
})
