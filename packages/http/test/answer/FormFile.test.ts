import { assert, describe, it } from "@effect/vitest"
import { fileIn } from "@wcs/http/answer/FormFile"
import { Effect, Exit, Stream } from "effect"
import * as fc from "fast-check"

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

const joined = (...parts: ReadonlyArray<Uint8Array>): Uint8Array => Uint8Array.from(parts.flatMap((part) => [...part]))

const form = (boundary: string, name: string, bytes: Uint8Array): Uint8Array =>
  joined(
    encode(`--${boundary}\r\nContent-Disposition: form-data; name="card"\r\n\r\nFIRST_AID\r\n`),
    encode(`--${boundary}\r\nContent-Disposition: form-data; name="long"\r\n\r\n${"x".repeat(201)}\r\n`),
    encode(`--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`),
    bytes,
    encode(`\r\n--${boundary}\r\nContent-Disposition: form-data; name="step"\r\n\r\nupload\r\n--${boundary}--\r\n`)
  )

/** A body that arrives in pieces of this size. */
const arriving = (body: Uint8Array, size: number) =>
  Stream.fromIterable(
    Array.from({ length: Math.ceil(body.length / size) }, (_, index) => body.subarray(index * size, (index + 1) * size))
  )

/** The file of a body and its fields; undefined without a file, or "incomplete" if it breaks off. */
const read = (type: string, body: Uint8Array, size = 16) =>
  Effect.gen(function* () {
    const found = yield* fileIn(type, arriving(body, size))
    if (found === undefined) return undefined
    const bytes = yield* Effect.exit(Stream.runCollect(found.bytes))
    if (Exit.isFailure(bytes)) return "incomplete"
    const fields = ["card", "file", "long", "none"].map(found.field)
    return { name: found.name, fields, bytes: joined(...bytes.value) }
  }).pipe(Effect.scoped, Effect.runPromise)

const ofEdge = "multipart/form-data; boundary=edge"

describe("the file of a form", () => {
  it("is what was sent, with the short fields before it, for all bytes and all pieces", () =>
    fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 300 }),
        fc.stringMatching(/^[A-Za-z0-9]{16,40}$/),
        fc.integer({ min: 1, max: 700 }),
        async (bytes, boundary, size) => {
          const sent = form(boundary, "card.pdf", bytes)
          const expected = { name: "card.pdf", fields: ["FIRST_AID", "", "", ""], bytes }
          assert.deepStrictEqual(await read(`multipart/form-data; boundary=${boundary}`, sent, size), expected)
        }
      )
    ))

  it("keeps bytes that look like the beginning of the delimiter", async () => {
    const bytes = encode("\r\n--edg\r\n--\r\r\n--edg")
    for (let size = 1; size < 30; size++) {
      const found = await read(ofEdge, form("edge", "card.pdf", bytes), size)
      assert.deepStrictEqual(Object(found).bytes, bytes, String(size))
    }
  })

  it("is none without its boundary or its head, and breaks off without its end", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.string({ maxLength: 100 }), async (bytes, type) => {
        assert.isUndefined(await read(type, bytes))
      })
    )
    const whole = form("edge", "card.pdf", encode("text"))
    for (const length of [0, 10, 80]) assert.isUndefined(await read(ofEdge, whole.subarray(0, length)))
    assert.strictEqual(await read(ofEdge, whole.subarray(0, whole.length - 70)), "incomplete")
    assert.isUndefined(await read("multipart/form-data", whole))
    const part = '--edge\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n'
    assert.isUndefined(await read(ofEdge, joined(encode(part.repeat(21)), whole), 1000))
    assert.isUndefined(await read(ofEdge, encode(`--edge\r\n${"x".repeat(9000)}`), 1000))
  })

  it("has a name without a path and without control characters", async () => {
    const nameOf = async (name: string) => Object(await read(ofEdge, form("edge", name, encode("x")))).name
    assert.strictEqual(await nameOf("C:\\photos\\card.jpg"), "card.jpg")
    assert.strictEqual(await nameOf("../../etc/passwd"), "passwd")
    assert.strictEqual(await nameOf("a\u0000b.png"), "a b.png")
    assert.isUndefined(await read(ofEdge, form("edge", "", encode(""))))
  })
})
