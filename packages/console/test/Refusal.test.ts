import { isLoggedOut, noAnswer, Refusal, refusalOf } from "@wcs/console/calls/Refusal"
import { assert, describe, it } from "vitest"

const answer = (status: number, headers: Readonly<Record<string, string>> = {}) => ({
  status,
  headers: new Headers(headers)
})

describe("a refusal", () => {
  it("has code, message and request id of the envelope", () => {
    const error = { code: "ALREADY_LINKED", message: "The slot is full.", requestId: "01" }
    const refusal = refusalOf(answer(409), { error })
    assert.deepStrictEqual([refusal.code, refusal.message, refusal.requestId], ["ALREADY_LINKED", error.message, "01"])
    assert.isFalse(isLoggedOut(refusal))
  })

  it("reads a 401, which has no envelope, and distinguishes a missing session from step-up", () => {
    const lost = refusalOf(answer(401, { "x-request-id": "02" }), { message: "Unauthorized" })
    assert.deepStrictEqual([lost.message, lost.requestId, isLoggedOut(lost)], ["Unauthorized", "02", true])
    const challenge = { "www-authenticate": 'Session error="insufficient_user_authentication", max_age=900' }
    const old = refusalOf(answer(401, challenge), {})
    assert.deepStrictEqual([old.needsStepUp, isLoggedOut(old)], [true, false])
  })

  it("has the wait of a 429, and the status of a response that is not JSON", () => {
    assert.strictEqual(refusalOf(answer(429, { "retry-after": "7" }), {}).retryAfterSeconds, 7)
    assert.strictEqual(refusalOf(answer(502), "<html>").message, "The server answered with status 502.")
  })

  it("distinguishes a time-out from a lost connection", () => {
    assert.include(noAnswer(new DOMException("", "TimeoutError")).message, "in time")
    assert.include(noAnswer(new TypeError("fetch")).message, "cannot be reached")
    assert.isFalse(isLoggedOut(new Error()))
    assert.instanceOf(noAnswer(undefined), Refusal)
  })
})
