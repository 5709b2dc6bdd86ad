import { assert, describe, it } from "@effect/vitest"
import type { CallError } from "@wcs/client/CallError"
import * as NewerClient from "@wcs/client/NewerClient"
import type { RetryPolicy } from "@wcs/client/RetryPolicy"
import { check } from "@wcs/store-suite/Property"
import { Effect, Redacted, Result } from "effect"
import fc from "fast-check"
import {
  credentialId,
  finished,
  oneCredential,
  oneWorker,
  type Reply,
  recorder,
  refusal,
  workerId
} from "./Recorder.ts"

type Client = NewerClient.NewerClient["Service"]
type Made = Effect.Effect<unknown, CallError>

const params = { id: workerId }
const owner = { type: "worker", id: workerId } as const
const named = { identity: { displayName: "Ann Example" }, source: { externalId: "hr-1" } }

const read = (client: Client): Made => client.workers.read({ params, query: {} })
const create = (client: Client): Made => client.workers.create({ payload: named })

/** Makes a call with a personal token, to its end. */
const calling = (call: (client: Client) => Made, reply: (nth: number) => Reply, retry: Partial<RetryPolicy> = {}) =>
  Effect.gen(function* () {
    const { http, sent } = recorder((_, nth) => reply(nth))
    const client = yield* Effect.provide(
      NewerClient.make({
        baseUrl: "https://t1.example.com",
        access: { personalToken: Redacted.make("wcs_pat_1") },
        retry
      }),
      http
    )
    const result = yield* finished(call(client))
    return { result, sent, waits: sent.slice(1).map(({ at }, index) => (at - (sent[index]?.at ?? 0)) / 1000) }
  })

const isBetween = (value: number | undefined, low: number, high: number) => {
  assert.isAtLeast(value ?? Number.NaN, low)
  assert.isAtMost(value ?? Number.NaN, high)
}

/** The idempotent calls. */
const repeatable: Readonly<Record<string, (client: Client) => Made>> = {
  GET: read,
  PUT: (client) => client.workers.replace({ params, payload: named }),
  DELETE: (client) => client.workers.remove({ params }),
  link: ({ credentials }) => credentials.link({ params: { id: credentialId }, payload: owner }),
  unlink: ({ credentials }) => credentials.unlink({ params: { id: credentialId }, payload: owner }),
  transfer: ({ credentials }) =>
    credentials.transfer({ params: { id: credentialId }, payload: { from: owner, to: owner } })
}

const success: Readonly<Record<string, () => Response>> = {
  GET: oneWorker,
  PUT: oneWorker,
  DELETE: () => new Response(null, { status: 204 })
}

/** A failure response. */
interface Trouble {
  readonly status: number | "broken"
  readonly retryAfter?: number
}

const trouble: fc.Arbitrary<Trouble> = fc.oneof(
  fc.record({ status: fc.constantFrom(429, 503), retryAfter: fc.nat({ max: 70 }) }),
  fc.record({ status: fc.constantFrom<Trouble["status"]>("broken", 429, 500, 502, 503, 599) }),
  fc.record({ status: fc.constantFrom(400, 401, 403, 404, 409, 422) })
)

const replyOf = ({ retryAfter, status }: Trouble): Reply =>
  status === "broken"
    ? "broken"
    : refusal(status, "CODE", retryAfter === undefined ? {} : { "retry-after": String(retryAfter) })

describe("retries", () => {
  for (const [name, call] of Object.entries(repeatable)) {
    const done = success[name] ?? (() => oneCredential({ worker: workerId, applicant: null }))
    for (const trouble of ["broken", "broken within", "silent", 500, 502, 503] as const) {
      it.effect(`ENV-14: retries ${name} unchanged after ${trouble}`, () =>
        Effect.gen(function* () {
          const bad = () => (typeof trouble === "number" ? refusal(trouble, "INTERNAL") : trouble)
          const { result, sent } = yield* calling(call, (nth) => (nth <= 2 ? bad() : done()))
          assert.isTrue(Result.isSuccess(result), String(result))
          assert.lengthOf(sent, 3)
          for (const one of sent) assert.deepStrictEqual({ ...one, at: 0 }, { ...sent[0], at: 0 })
        })
      )
    }
  }
  const once: Readonly<Record<string, (client: Client) => Made>> = {
    "a create": create,
    PATCH: (client) => client.workers.patch({ params, payload: { source: null } }),
    "a bulk transfer": ({ credentials }) => credentials.bulkTransfer({ payload: { from: owner, to: owner } }),
    "a rotation": ({ webhooks }) => webhooks.rotate({ params: { id: "whk_0123456789abcdef" } })
  }
  for (const [name, call] of Object.entries(once)) {
    for (const trouble of ["broken", "broken within", "silent", 500, 503] as const) {
      it.effect(`ENV-14: does not retry ${name} after ${trouble}`, () =>
        Effect.gen(function* () {
          const { result, sent } = yield* calling(call, () =>
            typeof trouble === "number" ? refusal(trouble, "INTERNAL") : trouble
          )
          assert.lengthOf(sent, 1)
          const error = yield* Effect.flip(Effect.fromResult(result))
          if (typeof trouble === "number") assert.deepInclude(error, { _tag: "Refused", status: trouble })
          else assert.deepInclude(error, { _tag: "Unanswered", isPerhapsDone: true })
        })
      )
    }
  }
  for (const [name, call] of Object.entries({ GET: read, create })) {
    it.effect(`ENV-14: retries ${name} after the Retry-After of a 429`, () =>
      Effect.gen(function* () {
        const { result, waits } = yield* calling(call, (nth) =>
          nth <= 2
            ? refusal(429, "TOO_MANY_REQUESTS", { "retry-after": String(nth * 7) })
            : oneWorker(name === "GET" ? 200 : 201)
        )
        assert.isTrue(Result.isSuccess(result), String(result))
        assert.lengthOf(waits, 2)
        isBetween(waits[0], 7.4, 7.6)
        isBetween(waits[1], 14.8, 15.2)
      })
    )
  }
  it.effect("ENV-14: obeys a Retry-After with a date", () =>
    Effect.gen(function* () {
      const { waits } = yield* calling(read, (nth) =>
        nth === 1 ? refusal(503, "UNAVAILABLE", { "retry-after": "Thu, 01 Jan 1970 00:00:30 GMT" }) : oneWorker()
      )
      isBetween(waits[0], 30.4, 30.6)
    })
  )
  it.effect("ENV-14: fails immediately when Retry-After exceeds the total time", () =>
    Effect.gen(function* () {
      const { result, sent } = yield* calling(read, () => refusal(429, "TOO_MANY_REQUESTS", { "retry-after": "3600" }))
      assert.lengthOf(sent, 1)
      assert.deepInclude(yield* Effect.flip(Effect.fromResult(result)), { status: 429, retryAfterSeconds: 3600 })
    })
  )
  it.effect("doubles the delay up to the maximum, with 20 % jitter", () =>
    Effect.gen(function* () {
      const policy = { attempts: 6, firstDelay: "1 second", longestDelay: "5 seconds", totalTime: "1 minute" } as const
      const { waits } = yield* calling(read, () => "broken", policy)
      const expected = [1, 2, 4, 5, 5]
      assert.lengthOf(waits, expected.length)
      for (const [index, seconds] of expected.entries()) isBetween(waits[index], seconds * 0.79, seconds * 1.21)
      assert.isTrue(waits.some((wait, index) => wait !== expected[index]))
    })
  )
  it.effect("stops at the maximum attempts and at the total time", () =>
    Effect.gen(function* () {
      assert.lengthOf((yield* calling(read, () => "broken", { attempts: 1 })).sent, 1)
      assert.lengthOf((yield* calling(read, () => "broken", { attempts: 3 })).sent, 3)
      const { sent } = yield* calling(read, () => "broken", {
        attempts: 1000,
        firstDelay: "10 seconds",
        longestDelay: "10 seconds",
        totalTime: "1 minute"
      })
      isBetween(sent.length, 5, 8)
      isBetween(((sent.at(-1)?.at ?? 0) - (sent[0]?.at ?? 0)) / 1000, 45, 60)
    })
  )
  it.effect("counts attempts that time out towards the total time", () =>
    Effect.gen(function* () {
      const { sent } = yield* calling(read, () => "silent", { attempts: 1000, totalTime: "1 minute" })
      assert.deepStrictEqual(sent.length, 2)
    })
  )
  it.effect("ENV-14: makes only allowed attempts, never too early, within the limits, for any responses", () =>
    check(
      fc.record({
        name: fc.constantFrom("GET", "create", "transfer"),
        troubles: fc.array(trouble, { maxLength: 6 })
      }),
      ({ name, troubles }) =>
        Effect.gen(function* () {
          const call = name === "create" ? create : (repeatable[name] ?? read)
          const { sent, waits } = yield* calling(call, (nth) => replyOf(troubles[nth - 1] ?? { status: 418 }), {
            attempts: 4,
            totalTime: "1 minute"
          })
          assert.isAtMost(sent.length, 4)
          isBetween(((sent.at(-1)?.at ?? 0) - (sent[0]?.at ?? 0)) / 1000, 0, 60)
          for (const [index, wait] of waits.entries()) {
            const { retryAfter = 0, status } = troubles[index] ?? { status: 418 }
            assert.isAtLeast(wait, retryAfter + 0.4)
            assert.isTrue(
              status === 429 || (name !== "create" && (status === "broken" || status >= 500)),
              `after ${status}`
            )
          }
        })
    )
  )
  it.effect("ends an attempt at its timeout", () =>
    Effect.gen(function* () {
      const policy = { attempts: 2, attemptTimeout: "3 seconds" } as const
      const { result, waits } = yield* calling(read, () => "silent", policy)
      isBetween(waits[0], 3.4, 3.6)
      assert.deepInclude(yield* Effect.flip(Effect.fromResult(result)), {
        _tag: "Unanswered",
        reason: "timeout",
        isPerhapsDone: false
      })
    })
  )
})
