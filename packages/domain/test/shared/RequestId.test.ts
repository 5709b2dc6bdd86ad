import { assert, describe, it } from "@effect/vitest"
import { echo } from "@wcs/domain/shared/RequestId"
import * as fc from "fast-check"

const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
const ulid = fc
  .tuple(
    fc.constantFrom(..."01234567"),
    fc.string({ unit: fc.constantFrom(...crockford), minLength: 25, maxLength: 25 })
  )
  .map(([first, rest]) => first + rest)
const wellFormed = fc.oneof(fc.uuid(), ulid)

describe("RequestId: the echo in X-Client-Request-Id", () => {
  it.each([
    ["RID-04: the nil UUID", "00000000-0000-0000-0000-000000000000"],
    ["RID-05: the largest ULID", "7ZZZZZZZZZZZZZZZZZZZZZZZZZ"]
  ])("echoes %s", (_name, inbound) => {
    assert.strictEqual(echo(inbound), inbound)
  })

  it("RID-04, RID-05: echoes every UUID and ULID unchanged, in any case", () => {
    fc.assert(
      fc.property(wellFormed, (id) => {
        assert.strictEqual(echo(id.toUpperCase()), id.toUpperCase())
        assert.strictEqual(echo(id.toLowerCase()), id.toLowerCase())
      })
    )
  })

  it.each([
    ["no header", undefined],
    ["an empty header", ""],
    ["plain words", "my-request"],
    ["a number", "42"],
    ["a UUID without hyphens", "0f8fad5bd9cb469fa16570867728950e"],
    ["a UUID in braces", "{0f8fad5b-d9cb-469f-a165-70867728950e}"],
    ["a UUID as a URN", "urn:uuid:0f8fad5b-d9cb-469f-a165-70867728950e"],
    ["a UUID with a letter that is not hex", "0f8fad5b-d9cb-469f-a165-70867728950g"],
    ["a UUID with its hyphens elsewhere", "0f8fad5bd-9cb-469f-a165-70867728950e"],
    ["a UUID cut short", "0f8fad5b-d9cb-469f-a165-70867728950"],
    ["a ULID of 25 characters", "01ARZ3NDEKTSV4RRFFQ69G5FA"],
    ["a ULID of 27 characters", "01ARZ3NDEKTSV4RRFFQ69G5FAVV"],
    ["a ULID above 128 bits", "8ZZZZZZZZZZZZZZZZZZZZZZZZZ"],
    ["a ULID with an I", "01ARZ3NDEKTSV4RRFFQ69G5FAI"],
    ["a ULID with an L", "01ARZ3NDEKTSV4RRFFQ69G5FAL"],
    ["a ULID with an O", "01ARZ3NDEKTSV4RRFFQ69G5FAO"],
    ["a ULID with a U", "01ARZ3NDEKTSV4RRFFQ69G5FAU"],
    ["leading white space", " 01ARZ3NDEKTSV4RRFFQ69G5FAV"],
    ["trailing white space", "01ARZ3NDEKTSV4RRFFQ69G5FAV "],
    ["threat 25: a trailing line break", "01ARZ3NDEKTSV4RRFFQ69G5FAV\n"],
    ["threat 25: a trailing header", "01ARZ3NDEKTSV4RRFFQ69G5FAV\r\nSet-Cookie: a=b"],
    ["two ids", "01ARZ3NDEKTSV4RRFFQ69G5FAV, 01ARZ3NDEKTSV4RRFFQ69G5FAV"],
    ["threat 24: 10 kB", "0".repeat(10_000)]
  ])("RID-06: ignores %s", (_name, inbound) => {
    assert.isUndefined(echo(inbound))
  })

  it("RID-06: every echo is a UUID or ULID and has no character that ends a header", () => {
    const damaged = fc
      .tuple(wellFormed, fc.nat(36), fc.string({ unit: "binary", maxLength: 2 }))
      .map(([id, at, inserted]) => id.slice(0, at) + inserted + id.slice(at + 1))
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), damaged), (inbound) => {
        const echoed = echo(inbound)
        if (echoed === undefined) return
        assert.strictEqual(echoed, inbound)
        assert.match(echoed, /^[0-9A-Za-z-]{26,36}$/)
      }),
      { numRuns: 1000 }
    )
  })
})
