import { assert, layer } from "@effect/vitest"
import { type ErrorCode, statusOf } from "@wcs/domain/shared/ErrorCode"
import { check } from "@wcs/store-suite/Property"
import { Effect } from "effect"
import fc from "fast-check"
import { type Answer, at, type Call, Service, textAt } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import * as EveryRoute from "../EveryRoute.ts"
import { assertStatus, dataOf, get, post, root } from "../NewerSurface.ts"
import { hostileCall } from "./HostileCall.ts"

/** The number of concurrent requests, and of batches: 100,000 requests in `npm run faults`. */
const batchSize = 25
const batches = 80 * Number(process.env["WCS_FAULT_ROUNDS"] ?? 3)
const requests = batchSize * batches

/** Batches have full size. A failing one is shrunk to the requests that it needs. */
const batchOf = (call: fc.Arbitrary<Call>): fc.Arbitrary<ReadonlyArray<Call>> =>
  fc
    .array(fc.option(call, { nil: undefined, freq: Number.MAX_SAFE_INTEGER }), {
      minLength: batchSize,
      maxLength: batchSize
    })
    .map((calls) => calls.filter((one) => one !== undefined))

const isBelow = (path: string, begin: string): boolean => path === begin || path.startsWith(`${begin}/`)

/** Checks errors without a code: the 401, the token endpoint's errors, the legacy surface's. */
const judgeWithoutCode = (place: string, answer: Answer, what: string): void => {
  if (isBelow(place, "/api")) assert.strictEqual(at(answer, "status"), answer.status, what)
  else if (answer.status === 401) {
    assert.deepStrictEqual(answer.json, { message: "Unauthorized to perform this action" })
  } else {
    assert.isTrue(isBelow(place, `${root}/oauth`), what)
    assert.isString(at(answer, "error_description"), what)
  }
}

/** Checks that hold for every response. */
const judge = ({ method, path }: Call, answer: Answer): void => {
  const { headers, json, status, text } = answer
  const what = `${status} ${text.slice(0, 300)}`
  assert.isBelow(status, 500, what)
  assert.match(headers["x-request-id"] ?? "", /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/, what)
  assert.isUndefined(headers["x-injected"])
  if (method === "HEAD" || status === 204 || status === 304) {
    assert.strictEqual(text, "")
    return
  }
  // TRN-07, TRN-09: every response is JSON.
  assert.match(headers["content-type"] ?? "", /^application\/json/, what)
  assert.notStrictEqual(json, undefined, what)
  if (status < 400) return
  const code = at(answer, "error.code")
  if (code === undefined) {
    judgeWithoutCode(path.replace(/[?].*/s, ""), answer, what)
    return
  }
  assert.strictEqual(statusOf(String(code) as ErrorCode), status, what)
  assert.strictEqual(at(answer, "error.requestId"), headers["x-request-id"])
  assert.isNotEmpty(textAt(answer, "error.message"))
}

layer(layerService(), { excludeTestServices: true })("hostile requests", (it) => {
  it.effect(
    `ENV-12, ENV-02, ENV-03, TRN-07: of ${requests} random requests none is answered 5xx, and each in its form`,
    () =>
      Effect.gen(function* () {
        const { call } = yield* Service
        const [of, elsewhere] = [yield* EveryRoute.subjects, yield* EveryRoute.subjects]
        const seen = new Map<number, number>()
        const sendAndJudge = (one: Call) =>
          Effect.map(call(one), (answer) => {
            judge(one, answer)
            seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1)
          })
        yield* check(
          batchOf(hostileCall(of, elsewhere)),
          (calls) => Effect.forEach(calls, sendAndJudge, { concurrency: "unbounded", discard: true }),
          { numRuns: batches }
        )

        // Checks that the requests reached the intended handlers.
        const total = [...seen.values()].reduce((sum, count) => sum + count, 0)
        assert.strictEqual(total, requests)
        for (const status of [200, 201, 204, 400, 401, 404, 405, 409, 415, 422]) {
          assert.isAbove(seen.get(status) ?? 0, 20, `${status} among ${JSON.stringify([...seen])}`)
        }
        yield* stillSound
      }),
    60_000 + 500 * batches
  )

  it.effect("ENV-02: `#`, a backslash and dots in a path are literal, and lead to no other path", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      for (const [method, path, status] of [
        ["GET", "/credentials/a#/link", 405],
        ["POST", "/credentials/a\\link", 405],
        ["PUT", "/x/../workers", 404],
        ["PUT", "/x/%2e%2e/credentials/link", 404]
      ] as const) {
        assertStatus(yield* call({ method, path: root + path, body: {} }), status)
      }
    })
  )

  /** Checks that the service still works, and that no credential lost its owners or has two in a slot. */
  const stillSound = Effect.gen(function* () {
    const made = yield* post("/workers", { identity: { displayName: "Ann Example" } })
    assertStatus(made, 201)
    assert.deepStrictEqual(at(yield* get(`/workers/${textAt(made, "data.id")}`), "data"), at(made, "data"))
    assert.isUndefined(Object({}).polluted)
    let cursor: unknown = ""
    while (cursor !== null) {
      const page = yield* get(
        `/credentials?includeDeleted=true&pageSize=100${cursor === "" ? "" : `&cursor=${cursor}`}`
      )
      assertStatus(page, 200)
      for (const item of dataOf(page)) {
        const { applicant, worker } = Object(item).attributes.owners
        assert.match(`${worker} ${applicant}`, /^(wkr_[0-9A-Za-z]{16}|null) (app_[0-9A-Za-z]{16}|null)$/)
        assert.isNotNull(worker ?? applicant)
      }
      cursor = at(page, "meta.nextCursor")
    }
  })
})
