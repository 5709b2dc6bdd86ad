import { assert, it } from "@effect/vitest"
import { makeUlids } from "@wcs/domain/shared/Ulid"

const bytesOf = (value: number) => (size: number) => new Uint8Array(size).fill(value)

it("has the time in its first ten characters", () => {
  const ulid = makeUlids(bytesOf(0))
  assert.strictEqual(ulid(0), "0".repeat(26))
  assert.strictEqual(ulid(1_469_918_176_385).slice(0, 10), "01ARYZ6S41") // the example of the ULID specification
  assert.strictEqual(ulid(2 ** 48 - 1), `7ZZZZZZZZZ${"0".repeat(16)}`)
})

it("increases within a millisecond, and if the clock goes back", () => {
  const ulid = makeUlids(bytesOf(255))
  const all = [5, 5, 5, 4, 6, 6].map(ulid)
  assert.deepStrictEqual(all, all.toSorted())
  assert.strictEqual(new Set(all).size, all.length)
})

it("carries from part to part", () => {
  const ulid = makeUlids((size) => Uint8Array.from({ length: size }, (_, index) => (index < size - 3 ? 0 : 255)))
  assert.strictEqual(ulid(1).slice(10), "000000000000ZZZZ")
  assert.strictEqual(ulid(1).slice(10), "0000000000010000")
})
