import { assert, describe, it } from "@effect/vitest"
import { exchangeOf, withoutSignatures } from "@wcs/domain/webhook/Delivery"
import { answeredHeaders, keptHeaders, sentHeaders } from "@wcs/domain/webhook/Exchange"
import * as fc from "fast-check"

const header = fc.record({
  name: fc.constantFrom("Server", "via", "x-other", "__proto__"),
  value: fc.string({ unit: "binary", maxLength: 600 })
})

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

  it.each(["Set-Cookie", "Authorization", "WWW-Authenticate", "X-Auth", "X-Api-Key", "X-Password", "X-Jwt", "Link"])(
    "threat 69: has no header %s of the answer",
    (name) => {
      const other = { name: "content-type", value: "text/html" }
      assert.deepStrictEqual(answeredHeaders([{ name, value: "secret" }, other]), [other])
    }
  )

  it("threat 69: has no signature that the receiver returned, and no query of an address", () => {
    const sent = { "webhook-signature": "v1,K5oZfzN95Z9UVu1EsfQmfVNQ+/= v1,AAAAfzN95Z9UVu1EsfQmfVNQ+/=" }
    const echo = `{"got":"${sent["webhook-signature"]}"}`
    const headers = [
      { name: "server", value: sent["webhook-signature"] },
      { name: "Location", value: "https://idp.example.org/login?code=secret#token" }
    ]
    const answer = { _tag: "Answered", status: 302, retryAfterMillis: null, excerpt: echo, headers } as const
    const kept = withoutSignatures(answer, sent)
    assert.deepInclude(kept, { status: 302, excerpt: '{"got":"v1,K5oZfzN9… v1,AAAAfzN9…"}' })
    assert.deepStrictEqual(exchangeOf({ attemptCount: 0 }, sent, kept).responseHeaders, [
      { name: "server", value: "v1,K5oZfzN9… v1,AAAAfzN9…" },
      { name: "location", value: "https://idp.example.org/login" }
    ])
  })

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
    const many = Array.from({ length: 40 }, (_, n) => ({ name: "Via", value: String(n) }))
    assert.deepStrictEqual(
      answeredHeaders(many),
      many.slice(0, 32).map(({ value }) => ({ name: "via", value }))
    )
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
