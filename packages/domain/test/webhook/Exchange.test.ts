import { assert, describe, it } from "@effect/vitest"
import { exchangeOf } from "@wcs/domain/webhook/Delivery"
import { answeredHeaders, keptHeaders, sentHeaders } from "@wcs/domain/webhook/Exchange"
import * as fc from "fast-check"

const header = fc.record({ name: fc.string({ minLength: 1 }), value: fc.string({ unit: "binary", maxLength: 600 }) })

describe("what an attempt sent and got", () => {
  it("threat 69: has only the beginning of each signature, and all other headers", () => {
    const [first, second] = ["K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN", "AAAAfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN"]
    const headers = { "webhook-id": "dlv_1", "webhook-signature": `v1,${first} v1,${second}`, "user-agent": "wcs/1" }
    assert.deepStrictEqual(sentHeaders(headers), [
      { name: "webhook-id", value: "dlv_1" },
      { name: "webhook-signature", value: "v1,K5oZfzN9… v1,AAAAfzN9…" },
      { name: "user-agent", value: "wcs/1" }
    ])
  })

  it.each(["Set-Cookie", "set-cookie2", "Authorization", "WWW-Authenticate", "X-Auth", "X-Api-Key", "X-CSRF-Token"])(
    "threat 69: has no header %s of the answer",
    (name) => {
      const other = { name: "content-type", value: "text/html" }
      assert.deepStrictEqual(answeredHeaders([{ name, value: "secret" }, other]), [other])
    }
  )

  it("has the first headers of an answer, in order, within the limits, as text that every store keeps", () => {
    fc.assert(
      fc.property(fc.array(header, { maxLength: 60 }), (headers) => {
        const kept = answeredHeaders(headers)
        assert.isAtMost(kept.length, keptHeaders.fields)
        const texts = kept.flatMap(({ name, value }) => [name, value])
        assert.isAtMost(
          texts.reduce((sum, text) => sum + text.length, 0),
          keptHeaders.together
        )
        for (const text of texts) {
          assert.isAtMost(text.length, keptHeaders.characters)
          assert.isTrue(text.isWellFormed() && !text.includes("\0"))
        }
      })
    )
    const names = Array.from({ length: 40 }, (_, n) => ({ name: `X-${n}`, value: "v" }))
    assert.deepStrictEqual(
      answeredHeaders(names),
      names.slice(0, 32).map(({ name, value }) => ({ name: name.toLowerCase(), value }))
    )
    assert.deepStrictEqual(answeredHeaders([{ name: "__proto__", value: "x" }]), [{ name: "__proto__", value: "x" }])
  })

  it("is numbered like its attempt, and is empty where nothing was sent or answered", () => {
    assert.deepStrictEqual(
      exchangeOf({ attemptCount: 4 }, undefined, { _tag: "Unanswered", fault: "INTERNAL_ERROR" }),
      {
        number: 5,
        requestHeaders: [],
        responseHeaders: [],
        responseBody: null
      }
    )
    const answered = { _tag: "Answered", status: 500, retryAfterMillis: null, excerpt: "a\0b" } as const
    assert.strictEqual(exchangeOf({ attemptCount: 0 }, {}, answered).responseBody, "a\ufffdb")
  })
})
