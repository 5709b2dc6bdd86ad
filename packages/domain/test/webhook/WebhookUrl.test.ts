import { assert, describe, it } from "@effect/vitest"
import { fromSchemaError } from "@wcs/domain/shared/InvalidArgument"
import { requireScheme, WebhookUrl } from "@wcs/domain/webhook/WebhookUrl"
import { Result, Schema } from "effect"
import * as fc from "fast-check"

const judge = (url: unknown) =>
  Schema.decodeUnknownResult(WebhookUrl)(url).pipe(
    Result.mapError((error) => fromSchemaError(error).reason),
    Result.match({ onSuccess: () => "taken", onFailure: (reason) => reason })
  )

describe("the URL of a webhook", () => {
  it.each([
    "https://receiver.example",
    "https://receiver.example/",
    "HTTPS://Receiver.Example:8443/a/b;c?d=e&f=%20@g",
    "https://192.0.2.1/hook",
    "https://[2001:db8::1]:443/",
    "https://xn--mnchen-3ya.example/",
    "http://localhost:3000/hook",
    `https://receiver.example/${"a".repeat(2048 - 25)}`
  ])("may be %s", (url) => {
    assert.strictEqual(judge(url), "taken")
  })

  it.each([
    ["", "must be an https URL"],
    ["receiver.example", "must be an https URL"],
    ["//receiver.example", "must be an https URL"],
    ["https:receiver.example", "must be an https URL"],
    ["https:/receiver.example", "must be an https URL"],
    ["ftp://receiver.example/", "must be an https URL"],
    ["javascript://receiver.example/%0aalert(1)", "must be an https URL"],
    [" https://receiver.example/", "must be an https URL"],
    ["\thttps://receiver.example/", "must be an https URL"],
    ["https://", "must be a URL with a host"],
    ["https:///path", "must be a URL with a host"],
    ["https://?a", "must be a URL with a host"],
    ["https://:443/", "must be a URL with a host"],
    ["https://receiver.example:99999/", "must be a URL with a host"],
    ["https://999.999.999.999/", "must be a URL with a host"],
    ["https://[::g]/", "must be a URL with a host"],
    ["https://user:hunter2@receiver.example/", "must have no user name and no password"],
    ["https://user@receiver.example/", "must have no user name and no password"],
    ["https://@receiver.example/", "must have no user name and no password"],
    ["https://:hunter2@receiver.example/", "must have no user name and no password"],
    ["https://receiver.example/#part", "must have no fragment"],
    ["https://receiver.example/#", "must have no fragment"],
    ["https://receiver.example/a b", "must consist of the characters of a URL (RFC 3986)"],
    ["https://rec\neiver.example/", "must consist of the characters of a URL (RFC 3986)"],
    ["https://receiver.example\\@inner.example/", "must have no user name and no password"],
    ["https://receiver.example\\.inner.example/", "must consist of the characters of a URL (RFC 3986)"],
    ["https://réceiver.example/", "must consist of the characters of a URL (RFC 3986)"],
    ["https://receiver.example/\0", "must consist of the characters of a URL (RFC 3986)"],
    [`https://receiver.example/${"a".repeat(2048 - 24)}`, "must have at most 2048 characters"]
  ])("is not %s", (url, reason) => {
    assert.strictEqual(judge(url), reason)
  })

  it("is, if accepted, also an https URL with a host and without user or fragment for the WHATWG parser", () => {
    const part = fc.constantFrom(
      "https://",
      "http://",
      "a.example",
      "@",
      ":",
      "/",
      "\\",
      "?",
      "#",
      "%",
      "[",
      "]",
      "::1",
      "\t"
    )
    let taken = 0
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        const text = `https://${parts.join("")}`
        if (judge(text) !== "taken") return
        taken++
        const { hash, hostname, href, password, protocol, username } = new URL(text)
        assert.deepStrictEqual([protocol, username, password, hash], ["https:", "", "", ""])
        assert.isAbove(hostname.length, 0)
        assert.isTrue(text.toLowerCase().startsWith(`https://${hostname}`), href)
      }),
      { numRuns: 3000 }
    )
    assert.isAbove(taken, 50)
  })

  it("threat 9: is not repeated in a refusal", () => {
    const secret = "hunter2hunter2"
    for (const url of [
      `https://user:${secret}@receiver.example/`,
      `ftp://user:${secret}@receiver.example/`,
      `https://receiver.example/#${secret}`,
      `https://${secret}:99999/`,
      `${secret}${"a".repeat(2048)}`,
      `https://receiver.example/ ${secret}`,
      { secret },
      [secret]
    ]) {
      assert.notInclude(judge(url), secret)
    }
  })

  it("is https, or http when the deployment allows it", () => {
    for (const [url, allowsHttp, isTaken] of [
      ["https://receiver.example/", false, true],
      ["HTTPS://receiver.example/", false, true],
      ["http://receiver.example/", false, false],
      ["http://receiver.example/", true, true],
      ["https://receiver.example/", true, true]
    ] as const) {
      assert.strictEqual(Result.isSuccess(requireScheme(url, allowsHttp)), isTaken, url)
    }
  })
})
