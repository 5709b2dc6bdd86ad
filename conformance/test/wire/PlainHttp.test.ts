import { assert, describe, it } from "@effect/vitest"
import { manner, turnedAway } from "@wcs/conformance/calls/PlainHttp"
import type { Silence } from "@wcs/conformance/wire/Exchange"
import { exchangeOf } from "../Exchanges.ts"

const token = "token-of-the-admin"
const shown = "wkr_1"

const answered = (status: number, text = "", headers: Readonly<Record<string, string>> = {}) =>
  exchangeOf({ kind: "plain", answer: { status, text, headers, json: undefined } })
const silent = (silence: Silence) => exchangeOf({ kind: "plain", answer: null, silence })

const at = (exchange: ReturnType<typeof answered>) => turnedAway(exchange, token, [shown]).map(({ at }) => at)

describe("plain HTTP refused (TRN-01, TRN-02)", () => {
  it("SIL-03: accepts a missing response, and any status except 2xx", () => {
    const ways = [
      ...(["refused", "reset", "timeout", "tls", "malformed"] as const).map(silent),
      ...[301, 308, 400, 403, 404, 421, 426, 503].map((status) => answered(status)),
      answered(301, '<a href="https://a.example/workers">', { location: "https://a.example/workers" })
    ]
    for (const exchange of ways) assert.deepStrictEqual(at(exchange), [], String(manner(exchange)))
    assert.deepStrictEqual([manner(silent("refused")), manner(answered(400))], ["refused", 400])
  })

  it("rejects a 2xx, data with another status, a redirect with the token, and too large an answer", () => {
    assert.deepStrictEqual(at(answered(200)), ["status"])
    assert.deepStrictEqual(at(answered(204)), ["status"])
    assert.deepStrictEqual(at(answered(400, `{"data":[{"id":"${shown}"}]}`)), ["body"])
    assert.deepStrictEqual(at(answered(302, "", { location: `https://a.example/?t=${token}` })), ["header location"])
    assert.deepStrictEqual(at(silent("too large")), ["body"])
  })
})
