import { assert, describe, it } from "@effect/vitest"
import { make, ready } from "@wcs/conformance/engine/Sending"
import type { Call } from "@wcs/conformance/judgement/Session"
import { limitsOf } from "@wcs/conformance/profile/Limits"
import type { Profile } from "@wcs/conformance/profile/Profile"
import type { Answer } from "@wcs/conformance/wire/Exchange"
import * as Handles from "@wcs/conformance/wire/Handles"
import { Wire } from "@wcs/conformance/wire/Wire"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { answer, inTime, lineOf, profile, secrets } from "../Invented.ts"

/** Unix seconds. */
const in2025 = 1_750_000_000

/** An answer with this remainder of a limit. */
const left = (remaining: number, reset: number): Answer =>
  answer(200, {}, { "x-ratelimit-remaining": `${remaining}`, "x-ratelimit-reset": `${reset}` })

/** A sender over a wire that gives these answers and repeats the last one. Also returns the times of the requests. */
const over = Effect.fnUntraced(function* (run: NonNullable<Profile["run"]>, ...answers: ReadonlyArray<Answer>) {
  const asked: Array<readonly [line: string, atSecond: number]> = []
  const wire = Wire.of({
    send: (request) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        asked.push([lineOf(request), now / 1000])
        return answers[Math.min(asked.length, answers.length) - 1] ?? answer(200)
      })
  })
  const recorded: Array<number> = []
  const send = yield* make(limitsOf({ ...profile, run }), Handles.make(profile, secrets), ({ answer: told }) =>
    Effect.sync(() => void recorded.push(told?.status ?? 0))
  ).pipe(Effect.provideService(Wire, wire))
  return {
    asked,
    recorded,
    call: (call: Call) => send("area/what", 1, ready(call, "https://one.example", undefined))
  }
})

const read: Call = { method: "GET", path: "/workers" }
const create: Call = { method: "POST", path: "/workers", json: {} }

describe("a rate limit in answers", () => {
  it.effect("waits as long as Retry-After says and retries, within the allowed wait", () =>
    Effect.gen(function* () {
      const { asked, call, recorded } = yield* over({ secondsToWait: 20 }, answer(429, {}, { "retry-after": "7" }))
      const { exchanges, reason } = yield* inTime(Effect.flip(call(read)))
      assert.deepStrictEqual(asked, [
        ["GET /workers", 0],
        ["GET /workers", 7],
        ["GET /workers", 14]
      ])
      assert.strictEqual(reason, "the rate limit did not end within 14 s: GET /openapi/v1/workers answered 429")
      assert.deepStrictEqual(exchanges, [3])
      assert.deepStrictEqual(recorded, [429, 429, 429])
    })
  )
  it.effect("backs off when a Retry-After of 0 is not true, or when there is none", () =>
    Effect.gen(function* () {
      for (const headers of [{ "retry-after": "0" }, { "retry-after": "soon" }, {}]) {
        const limited = answer(429, {}, headers)
        const { asked, call } = yield* over({}, limited, limited, limited, answer(200))
        const startedAt = (yield* Clock.currentTimeMillis) / 1000
        assert.strictEqual((yield* inTime(call(read))).answer?.status, 200)
        assert.deepStrictEqual(
          asked.map(([, second]) => Math.round((second - startedAt) * 10) / 10),
          [0, 0.1, 0.3, 0.7]
        )
      }
    })
  )
  it.effect("never returns a 429 that persists, and waits for it once only", () =>
    Effect.gen(function* () {
      const { asked, call } = yield* over({ secondsToWait: 10 }, answer(429, {}, { "retry-after": "0" }))
      yield* inTime(Effect.flip(call(read)))
      const before = asked.length
      assert.isAbove(before, 3)
      const { reason } = yield* inTime(Effect.flip(call(read)))
      assert.strictEqual(reason, "the rate limit did not end in time: GET /openapi/v1/workers answered 429")
      assert.lengthOf(asked, before + 1)
    })
  )
  it.effect("returns the answer to the retry", () =>
    Effect.gen(function* () {
      const { call } = yield* over({}, answer(429, {}, { "retry-after": "7" }), answer(200))
      assert.strictEqual((yield* inTime(call(read))).answer?.status, 200)
    })
  )
  it.effect("RTL-03: reads Reset as seconds to wait, and as a Unix time", () =>
    Effect.gen(function* () {
      const relative = yield* over({}, answer(429, {}, { "x-ratelimit-reset": "9" }), answer(200))
      yield* inTime(relative.call(read))
      assert.strictEqual(relative.asked[1]?.[1], 9)
      yield* TestClock.setTime(in2025 * 1000)
      const { asked, call } = yield* over({}, left(0, in2025 + 11), left(5, 60))
      yield* inTime(Effect.andThen(call(read), call(read)))
      assert.deepStrictEqual(
        asked.map(([, second]) => second - in2025),
        [0, 11]
      )
    })
  )
  it.effect("does not retry when the wait is longer than allowed", () =>
    Effect.gen(function* () {
      const { asked, call } = yield* over({ secondsToWait: 60 }, answer(429, {}, { "retry-after": "61" }))
      yield* inTime(Effect.flip(call(read)))
      assert.lengthOf(asked, 1)
    })
  )
  it.effect("waits when nothing is left, for all calls of the same kind", () =>
    Effect.gen(function* () {
      const { asked, call } = yield* over({}, left(0, 5), left(3, 60))
      yield* inTime(
        Effect.gen(function* () {
          yield* call(read)
          yield* Effect.all([call(read), call(read), call(read)], { concurrency: "unbounded" })
        })
      )
      assert.deepStrictEqual(
        asked.map(([, second]) => second),
        [0, 5, 5, 5]
      )
    })
  )
  it.effect("sends as many calls as are left, including those in flight", () =>
    Effect.gen(function* () {
      const { asked, call } = yield* over({}, left(2, 5))
      yield* inTime(
        Effect.gen(function* () {
          yield* call(read)
          yield* Effect.all([call(read), call(read)], { concurrency: 1 })
        })
      )
      assert.deepStrictEqual(
        asked.map(([, second]) => second),
        [0, 0, 0]
      )
    })
  )
  it.effect("counts a call whose answer has no limits", () =>
    Effect.gen(function* () {
      const slow = yield* over({}, left(1, 5), answer(200))
      yield* inTime(
        Effect.gen(function* () {
          yield* slow.call(read)
          yield* slow.call(read) // its answer has no limits
          yield* slow.call(read)
        })
      )
      assert.deepStrictEqual(
        slow.asked.map(([, second]) => second),
        [0, 0, 5]
      )
    })
  )
  it.effect("has one budget for each caller and kind of call, ignoring ids", () =>
    Effect.gen(function* () {
      const { asked, call } = yield* over({}, left(0, 5), answer(200))
      yield* inTime(
        Effect.gen(function* () {
          yield* call({ method: "GET", path: "/credentials/cred_1" })
          yield* call({ method: "GET", path: "/credentials" })
          yield* call({ method: "DELETE", path: "/credentials/cred_1" })
          yield* call({ method: "GET", path: "/credentials/cred_1", as: "limited.0" })
          yield* call({ method: "GET", path: "/credentials/cred_2" })
        })
      )
      assert.deepStrictEqual(
        asked.map(([, second]) => second),
        [0, 0, 0, 0, 5]
      )
    })
  )
  it.effect("neither delays nor retries calls about the limit itself", () =>
    Effect.gen(function* () {
      const { asked, call } = yield* over({}, answer(429, {}, { "retry-after": "7", "x-ratelimit-remaining": "0" }))
      yield* inTime(Effect.andThen(call({ ...read, isUnpaced: true }), call({ ...read, isUnpaced: true })))
      assert.deepStrictEqual(
        asked.map(([, second]) => second),
        [0, 0]
      )
    })
  )
})

describe("the run's own requests", () => {
  it.effect("are numbered as sent, and end at the profile's maximum", () =>
    Effect.gen(function* () {
      const { asked, call } = yield* over({ requests: 2 }, answer(200))
      const numbers = yield* Effect.all([call(read), call(create)])
      const refused = yield* Effect.flip(call(read))
      assert.deepStrictEqual(
        numbers.map(({ number }) => number),
        [1, 2]
      )
      assert.strictEqual(refused.reason, "the run has used all of its 2 requests")
      assert.lengthOf(asked, 2)
    })
  )
  it.effect("include clean-up beyond the maximum", () =>
    Effect.gen(function* () {
      const wire = Wire.of({ send: () => Effect.succeed(answer(204)) })
      const send = yield* make(
        limitsOf({ ...profile, run: { requests: 1 } }),
        Handles.make(profile, secrets),
        () => Effect.void
      ).pipe(Effect.provideService(Wire, wire))
      const call = ready(read, "https://one.example", undefined)
      yield* send("area/what", 1, call)
      const { answer: told, number } = yield* send("area/what", 2, { ...call, isOwed: true })
      assert.deepStrictEqual([told?.status, number], [204, 2])
      yield* Effect.flip(send("area/what", 3, call))
    })
  )
})

describe("a request as it is sent", () => {
  const sentBy = (call: Call, authorization?: string) => ready(call, "https://one.example", authorization).request

  it("has each header of the call once, in its own letter case", () => {
    const { headers } = sentBy({ ...create, headers: { aCCept: "text/html", "X-Own": "1" } }, "Bearer t")
    assert.deepStrictEqual(headers, [
      ["Authorization", "Bearer t"],
      ["Content-Type", "application/json"],
      ["aCCept", "text/html"],
      ["X-Own", "1"]
    ])
  })
  it("has a form, JSON or raw body, with or without a content type", () => {
    const post = { method: "POST", path: "/oauth/token" }
    const form = sentBy({ ...post, form: { a: "1 2", b: "&" } })
    const json = sentBy({ ...post, json: null })
    const raw = sentBy({ ...post, raw: { body: "{", type: "text/plain" } })
    const bare = sentBy({ ...post, raw: { body: "{", type: "" } })
    const typeOf = ({ headers }: typeof form) => headers.find(([name]) => name === "Content-Type")?.[1]
    assert.deepStrictEqual([form.body, typeOf(form)], ["a=1+2&b=%26", "application/x-www-form-urlencoded"])
    assert.deepStrictEqual([json.body, typeOf(json)], ["null", "application/json"])
    assert.deepStrictEqual([raw.body, typeOf(raw)], ["{", "text/plain"])
    assert.deepStrictEqual([bare.body, typeOf(bare)], ["{", undefined])
  })
})
