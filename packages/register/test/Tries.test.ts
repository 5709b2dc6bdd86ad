import { assert, describe, it } from "@effect/vitest"
import type { RegisterQuestion } from "@wcs/domain/verification/Register"
import * as GatewayUrl from "@wcs/register/GatewayUrl"
import * as HttpRegister from "@wcs/register/HttpRegister"
import { defaultOptions, type HttpRegisterOptions } from "@wcs/register/HttpRegisterOptions"
import { Clock, Effect, Fiber, Latch, Layer, Option, Result } from "effect"
import { HttpClient, HttpClientError, HttpClientResponse } from "effect/http"
import { CircuitBreaker } from "effect/persistence"
import { TestClock } from "effect/testing"
import { questionAbout } from "./Questions.ts"

/** The result of one try. A silent one is never answered. */
type Reply = Response | "broken" | "silent"

const valid = () => new Response('{"statusDetail":"VALID"}')
const refusing = (status: number, headers: Readonly<Record<string, string>> = {}) =>
  new Response("", { status, headers })

/** A register that records the time of each try and answers as told. `nth` counts from 1. */
const onWire = Effect.fnUntraced(function* (
  reply: (nth: number) => Reply | Effect.Effect<Reply>,
  options: Partial<HttpRegisterOptions> = {}
) {
  const sentAt: Array<number> = []
  const client = HttpClient.make(
    Effect.fnUntraced(function* (request) {
      const nth = sentAt.push(yield* Clock.currentTimeMillis)
      const replied = reply(nth)
      const answer = Effect.isEffect(replied) ? yield* replied : replied
      if (answer === "silent") return yield* Effect.never
      if (answer === "broken") {
        return yield* new HttpClientError.HttpClientError({
          reason: new HttpClientError.TransportError({ request, cause: new Error("reset") })
        })
      }
      return HttpClientResponse.fromWeb(request, answer)
    })
  )
  const { ask } = yield* HttpRegister.make({
    ...defaultOptions,
    url: Option.getOrThrow(GatewayUrl.fromText("https://gateway.example.org/")),
    access: { _tag: "Anonymous" },
    ...options
  }).pipe(
    Effect.provide(Layer.mergeAll(Layer.succeed(HttpClient.HttpClient, client), CircuitBreaker.layerStoreMemory()))
  )
  return { ask, sentAt }
})

type Ask = Effect.Success<ReturnType<typeof onWire>>["ask"]

/** Asks, and advances the clock until the end. */
const finished = Effect.fnUntraced(function* (ask: Ask, question: RegisterQuestion = questionAbout("1")) {
  const began = yield* Clock.currentTimeMillis
  const fiber = yield* Effect.forkChild(Effect.zip(Effect.result(ask(question)), Clock.currentTimeMillis))
  yield* TestClock.adjust("15 seconds")
  const [result, ended] = yield* Fiber.join(fiber)
  const said = Result.match(result, {
    onSuccess: (answer) => (answer._tag === "Found" ? answer.statusDetail : answer._tag),
    onFailure: ({ fault }) => fault
  })
  return { said, millis: ended - began }
})

/** The delays between tries. */
const waits = (sentAt: ReadonlyArray<number>) => sentAt.slice(1).map((at, index) => at - (sentAt[index] ?? Number.NaN))

const isWithinAFifth = (value: number | undefined, about: number, more = 0) => {
  assert.isAtLeast(value ?? Number.NaN, about * 0.8 + more)
  assert.isAtMost(value ?? Number.NaN, about * 1.2 + more)
}

describe("retries of a query", () => {
  for (const trouble of ["broken", 429, 500, 502, 503, 504, 599] as const) {
    it.effect(`follow ${trouble}, with growing delays`, () =>
      Effect.gen(function* () {
        const { ask, sentAt } = yield* onWire((nth) =>
          nth === 3 ? valid() : typeof trouble === "number" ? refusing(trouble) : trouble
        )
        assert.strictEqual((yield* finished(ask)).said, "VALID")
        const [first, second, ...others] = waits(sentAt)
        isWithinAFifth(first, 200)
        isWithinAFifth(second, 400)
        assert.deepStrictEqual(others, [])
      })
    )
  }

  it.effect("follow a try that timed out", () =>
    Effect.gen(function* () {
      const { ask, sentAt } = yield* onWire((nth) => (nth === 1 ? "silent" : valid()))
      assert.strictEqual((yield* finished(ask)).said, "VALID")
      isWithinAFifth(waits(sentAt)[0], 200, 4000)
    })
  )

  it.effect("are at most two", () =>
    Effect.gen(function* () {
      const { ask, sentAt } = yield* onWire(() => refusing(503))
      assert.strictEqual((yield* finished(ask)).said, "SOURCE_UNAVAILABLE")
      assert.lengthOf(sentAt, 3)
    })
  )

  it.effect("have jitter", () =>
    Effect.gen(function* () {
      const { ask, sentAt } = yield* onWire((nth) => (nth % 2 === 1 ? refusing(503) : valid()))
      for (let asked = 0; asked < 10; asked += 1) yield* finished(ask)
      const between = waits(sentAt).filter((_, index) => index % 2 === 0)
      assert.lengthOf(between, 10)
      assert.isAbove(new Set(between).size, 5)
    })
  )

  it.effect("wait for Retry-After, in seconds or as a date", () =>
    Effect.gen(function* () {
      for (const retryAfter of ["3", "Thu, 01 Jan 1970 00:00:03 GMT"]) {
        yield* TestClock.setTime(0)
        const { ask, sentAt } = yield* onWire((nth) =>
          nth === 1 ? refusing(429, { "retry-after": retryAfter }) : valid()
        )
        assert.strictEqual((yield* finished(ask)).said, "VALID")
        isWithinAFifth(waits(sentAt)[0], 200, 3000)
      }
    })
  )

  for (const retryAfter of ["3600", "99999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT"]) {
    it.effect(`do not happen when Retry-After exceeds the total time: ${retryAfter}`, () =>
      Effect.gen(function* () {
        const { ask, sentAt } = yield* onWire(() => refusing(503, { "retry-after": retryAfter }))
        assert.deepStrictEqual(yield* finished(ask), { said: "SOURCE_UNAVAILABLE", millis: 0 })
        assert.lengthOf(sentAt, 1)
      })
    )
  }

  for (const retryAfter of ["-5", "soon", "0x10", "1e9", "NaN", ""]) {
    it.effect(`use the usual delay when Retry-After is invalid: ${JSON.stringify(retryAfter)}`, () =>
      Effect.gen(function* () {
        const { ask, sentAt } = yield* onWire((nth) =>
          nth === 1 ? refusing(503, { "retry-after": retryAfter }) : valid()
        )
        assert.strictEqual((yield* finished(ask)).said, "VALID")
        isWithinAFifth(waits(sentAt)[0], 200)
      })
    )
  }

  it.effect("end with the total time of the query", () =>
    Effect.gen(function* () {
      const { ask, sentAt } = yield* onWire(() => "silent")
      assert.deepStrictEqual(yield* finished(ask), { said: "SOURCE_TIMEOUT", millis: 10_000 })
      assert.lengthOf(sentAt, 3)
    })
  )
})

describe("the circuit breaker of a credential type", () => {
  const options = { tries: 1, circuit: { failures: 5, openMillis: 60_000 } }

  /** Asks several times, and returns the results. */
  const times = (ask: Ask, count: number, credentialType?: string) =>
    Effect.map(
      Effect.forEach(Array.from({ length: count }), () => finished(ask, questionAbout("1", credentialType))),
      (all) => all.map(({ said }) => said)
    )

  const down = Array.from({ length: 5 }, () => "SOURCE_UNAVAILABLE")

  it.effect("opens after failures in a row; then queries fail at once without a request", () =>
    Effect.gen(function* () {
      const { ask, sentAt } = yield* onWire((nth) => (nth <= 5 ? "broken" : valid()), options)
      assert.deepStrictEqual(yield* times(ask, 5), down)
      assert.deepStrictEqual(yield* finished(ask), { said: "SOURCE_UNAVAILABLE", millis: 0 })
      assert.lengthOf(sentAt, 5)
    })
  )

  it.effect("lets one query through after a while, and closes on success", () =>
    Effect.gen(function* () {
      const { ask, sentAt } = yield* onWire((nth) => (nth <= 5 ? "broken" : valid()), options)
      yield* times(ask, 5)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* times(ask, 3), ["VALID", "VALID", "VALID"])
      assert.lengthOf(sentAt, 8)
    })
  )

  it.effect("opens again when that query fails", () =>
    Effect.gen(function* () {
      const { ask, sentAt } = yield* onWire((nth) => (nth <= 6 ? "broken" : valid()), options)
      yield* times(ask, 5)
      yield* TestClock.adjust("1 minute")
      yield* times(ask, 3)
      assert.lengthOf(sentAt, 6)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* times(ask, 1), ["VALID"])
    })
  )

  it.effect("lets no second query through beside it", () =>
    Effect.gen(function* () {
      const latch = yield* Latch.make()
      const { ask, sentAt } = yield* onWire((nth) => (nth <= 5 ? "broken" : Effect.as(latch.await, valid())), options)
      yield* times(ask, 5)
      yield* TestClock.adjust("1 minute")
      const first = yield* Effect.forkChild(ask(questionAbout("1")), { startImmediately: true })
      assert.deepStrictEqual((yield* Effect.flip(ask(questionAbout("1")))).fault, "SOURCE_UNAVAILABLE")
      yield* latch.open
      assert.deepInclude(yield* Fiber.join(first), { statusDetail: "VALID" })
      assert.lengthOf(sentAt, 6)
    })
  )

  it.effect("stays open for Retry-After when that is longer", () =>
    Effect.gen(function* () {
      const { ask, sentAt } = yield* onWire(
        (nth) => (nth <= 5 ? refusing(503, { "retry-after": "200" }) : valid()),
        options
      )
      yield* times(ask, 5)
      yield* TestClock.adjust("100 seconds")
      assert.deepStrictEqual(yield* times(ask, 1), ["SOURCE_UNAVAILABLE"])
      yield* TestClock.adjust("100 seconds")
      assert.deepStrictEqual(yield* times(ask, 1), ["VALID"])
      assert.lengthOf(sentAt, 6)
    })
  )

  it.effect("stays open for at most 5 minutes, even with a longer Retry-After", () =>
    Effect.gen(function* () {
      const { ask } = yield* onWire((nth) => (nth <= 5 ? refusing(503, { "retry-after": "999999" }) : valid()), options)
      yield* times(ask, 5)
      yield* TestClock.adjust("5 minutes")
      assert.deepStrictEqual(yield* times(ask, 1), ["VALID"])
    })
  )

  it.effect("does not affect other types", () =>
    Effect.gen(function* () {
      const { ask } = yield* onWire((nth) => (nth <= 5 ? "broken" : valid()), options)
      yield* times(ask, 5)
      assert.deepStrictEqual(yield* times(ask, 1, "WWCC_VIC"), ["VALID"])
      assert.deepStrictEqual(yield* times(ask, 1), ["SOURCE_UNAVAILABLE"])
    })
  )

  for (const answer of [200, 400, 401, 404]) {
    it.effect(`does not open while the gateway answers now and then, even with ${answer}`, () =>
      Effect.gen(function* () {
        const { ask, sentAt } = yield* onWire((nth) => (nth % 5 === 0 ? refusing(answer) : "broken"), options)
        yield* times(ask, 20)
        assert.lengthOf(sentAt, 20)
      })
    )
  }

  it.effect("ignores interrupted queries", () =>
    Effect.gen(function* () {
      const { ask, sentAt } = yield* onWire(() => "silent", options)
      for (let asked = 1; asked <= 6; asked += 1) {
        yield* Fiber.interrupt(yield* Effect.forkChild(ask(questionAbout("1")), { startImmediately: true }))
        assert.lengthOf(sentAt, asked)
      }
    })
  )

  it.effect("counts a query once for any number of tries", () =>
    Effect.gen(function* () {
      const { ask, sentAt } = yield* onWire(() => "broken", { circuit: options.circuit })
      yield* times(ask, 6)
      assert.lengthOf(sentAt, 15)
    })
  )
})

describe("concurrent queries", () => {
  it.effect("are limited to the places of the gateway, and all are answered", () =>
    Effect.gen(function* () {
      const latch = yield* Latch.make()
      const { ask, sentAt } = yield* onWire(() => Effect.as(latch.await, valid()), { concurrency: 2 })
      const fiber = yield* Effect.forkChild(
        Effect.forEach(Array.from({ length: 9 }), () => ask(questionAbout("1")), { concurrency: "unbounded" }),
        { startImmediately: true }
      )
      assert.lengthOf(sentAt, 2)
      yield* latch.open
      assert.lengthOf(yield* Fiber.join(fiber), 9)
      assert.lengthOf(sentAt, 9)
    })
  )

  it.effect("of one type do not delay the turn of another", () =>
    Effect.gen(function* () {
      const latch = yield* Latch.make()
      const ended: Array<string> = []
      const { ask } = yield* onWire(() => Effect.as(latch.await, valid()), { concurrency: 1 })
      const asking = (credentialType: string) =>
        Effect.andThen(
          ask(questionAbout("1", credentialType)),
          Effect.sync(() => ended.push(credentialType))
        )
      const kinds = [...Array.from({ length: 10 }, () => "WWCC_NSW"), "WWCC_VIC"]
      const fiber = yield* Effect.forkChild(Effect.forEach(kinds, asking, { concurrency: "unbounded" }), {
        startImmediately: true
      })
      yield* latch.open
      yield* Fiber.join(fiber)
      assert.isBelow(ended.indexOf("WWCC_VIC"), 4)
    })
  )

  it.effect("in a burst at a slow gateway all get their turn, each with its full time", () =>
    Effect.gen(function* () {
      const slowly = Effect.map(Effect.sleep(3500), valid)
      const { ask, sentAt } = yield* onWire(() => slowly, { concurrency: 2 })
      const fiber = yield* Effect.forkChild(
        Effect.forEach(Array.from({ length: 10 }), () => ask(questionAbout("1")), { concurrency: "unbounded" }),
        { startImmediately: true }
      )
      yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual(
        (yield* Fiber.join(fiber)).map((answer) => answer._tag),
        Array.from({ length: 10 }, () => "Found")
      )
      assert.lengthOf(sentAt, 10)
    })
  )

  it.effect("that wait for their turn are not sent once the circuit breaker is open", () =>
    Effect.gen(function* () {
      const { ask, sentAt } = yield* onWire(() => "silent", {
        concurrency: 1,
        tries: 1,
        circuit: { failures: 2, openMillis: 60_000 }
      })
      const fiber = yield* Effect.forkChild(
        Effect.forEach(Array.from({ length: 5 }), () => Effect.flip(ask(questionAbout("1"))), {
          concurrency: "unbounded"
        }),
        { startImmediately: true }
      )
      yield* TestClock.adjust("8 seconds")
      const faults = (yield* Fiber.join(fiber)).map(({ fault }) => fault)
      const down = "SOURCE_UNAVAILABLE"
      assert.deepStrictEqual(faults, ["SOURCE_TIMEOUT", "SOURCE_TIMEOUT", down, down, down])
      assert.lengthOf(sentAt, 2)
    })
  )

  it.effect("that are interrupted while they wait for their turn are not sent", () =>
    Effect.gen(function* () {
      const latch = yield* Latch.make()
      const { ask, sentAt } = yield* onWire(() => Effect.as(latch.await, valid()), { concurrency: 1 })
      const holding = yield* Effect.forkChild(ask(questionAbout("1")), { startImmediately: true })
      const waiting = yield* Effect.forkChild(ask(questionAbout("2")), { startImmediately: true })
      yield* Fiber.interrupt(waiting)
      yield* latch.open
      assert.deepInclude(yield* Fiber.join(holding), { statusDetail: "VALID" })
      assert.strictEqual((yield* finished(ask, questionAbout("3"))).said, "VALID")
      assert.lengthOf(sentAt, 2)
    })
  )
})
