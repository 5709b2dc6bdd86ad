import { assert, describe, it } from "@effect/vitest"
import { fileIn } from "@wcs/http/answer/FormFile"
import * as fc from "fast-check"

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

const joined = (...parts: ReadonlyArray<Uint8Array>): Uint8Array => Uint8Array.from(parts.flatMap((part) => [...part]))

const form = (boundary: string, name: string, bytes: Uint8Array): Uint8Array =>
  joined(
    encode(`--${boundary}\r\nContent-Disposition: form-data; name="step"\r\n\r\nupload\r\n`),
    encode(`--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`),
    bytes,
    encode(`\r\n--${boundary}\r\nContent-Disposition: form-data; name="card"\r\n\r\nFIRST_AID`),
    encode(`\r\n--${boundary}--\r\n`)
  )

describe("the file of a form", () => {
  it("is what was sent, whatever its bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.stringMatching(/^[A-Za-z0-9]{16,40}$/), (bytes, boundary) => {
        const read = fileIn(`multipart/form-data; boundary=${boundary}`, form(boundary, "card.pdf", bytes))
        assert.deepStrictEqual(read?.file, { name: "card.pdf", bytes })
        assert.deepStrictEqual(
          ["step", "card", "file", "none"].map((name) => read?.field(name)),
          ["upload", "FIRST_AID", "", ""]
        )
      })
    )
  })

  it("is none without its boundary or its end, in any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.string({ maxLength: 100 }), (bytes, type) => {
        assert.isUndefined(fileIn(type, bytes))
      })
    )
    const whole = form("edge", "card.pdf", encode("text"))
    const type = "multipart/form-data; boundary=edge"
    assert.isDefined(fileIn(type, whole))
    for (const length of [0, 10, 80, whole.length - 12]) assert.isUndefined(fileIn(type, whole.subarray(0, length)))
    assert.isUndefined(fileIn("multipart/form-data", whole))
  })

  it("has a name without a path and without control characters", () => {
    const nameOf = (name: string) =>
      fileIn("multipart/form-data; boundary=edge", form("edge", name, encode("x")))?.file.name
    assert.strictEqual(nameOf("C:\\photos\\card.jpg"), "card.jpg")
    assert.strictEqual(nameOf("../../etc/passwd"), "passwd")
    assert.strictEqual(nameOf("a\u0000b.png"), "a b.png")
    assert.strictEqual(nameOf(""), "file")
  })
})
