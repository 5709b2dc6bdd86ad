import { assert, describe, it } from "@effect/vitest"
import { holderOf, idOf, isEmptySlot, itemsOf, slotsOf, workerField } from "@wcs/conformance/calls/Reading"
import type { Json } from "@wcs/conformance/text/Json"
import * as fc from "fast-check"

const json = fc.jsonValue().map((value): Json => JSON.parse(JSON.stringify(value)))

/** Strings that need not be well-formed UTF-16. */
const codeUnits = fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units))

describe("an owner slot", () => {
  it("SIL-04: is empty when it is null or an empty string, object or list, but not when it is left out", () => {
    for (const empty of [null, "", {}, []]) {
      assert.isTrue(isEmptySlot(empty))
      assert.isNull(holderOf(empty))
    }
    for (const full of [undefined, 0, false, " ", [null], { id: null }]) assert.isFalse(isEmptySlot(full))
  })
  it("CRD-05: holds an id or nothing; any other value is neither", () => {
    fc.assert(
      fc.property(json, (slot) => {
        const holder = holderOf(slot)
        assert.strictEqual(holder === null, isEmptySlot(slot))
        if (holder !== null) assert.strictEqual(holder, typeof slot === "string" ? slot : undefined)
      })
    )
  })
  it("CRD-05: is read at the place of §2.2 only", () => {
    const owners = { worker: "w", applicant: "" }
    assert.deepStrictEqual(slotsOf({ attributes: { owners } }), { worker: "w", applicant: null })
    assert.deepStrictEqual(slotsOf({ owners }), { worker: undefined, applicant: undefined })
    assert.deepStrictEqual(slotsOf(undefined), { worker: undefined, applicant: undefined })
  })
})

describe("reading an answer", () => {
  it("SIL-22: finds a worker's field at the top level or under attributes", () => {
    assert.strictEqual(workerField({ source: { externalId: "1" } }, "source.externalId"), "1")
    assert.strictEqual(workerField({ attributes: { source: { externalId: "1" } } }, "source.externalId"), "1")
    assert.isUndefined(workerField({ other: { source: { externalId: "1" } } }, "source.externalId"))
  })
  it("accepts an id only if a path can contain it", () => {
    assert.strictEqual(idOf({ id: "wkr_1" }), "wkr_1")
    for (const id of ["", 1, null, {}, ["a"], "\ud800", "a\udc00b"])
      assert.isUndefined(idOf({ id }), JSON.stringify(id))
    fc.assert(
      fc.property(codeUnits, (id) => {
        const found = idOf({ id })
        if (found !== undefined) assert.strictEqual(decodeURIComponent(encodeURIComponent(found)), id)
      })
    )
  })
  it("reads a list at data, and any other value as an empty list", () => {
    fc.assert(fc.property(json, (data) => assert.deepStrictEqual(itemsOf({ data }), Array.isArray(data) ? data : [])))
    for (const body of [undefined, null, [], "data", [{ data: [1] }]]) assert.deepStrictEqual(itemsOf(body), [])
  })
  it("ignores inherited properties", () => {
    assert.isUndefined(idOf(JSON.parse('{"__proto__": {"id": "wkr_1"}}')))
    assert.deepStrictEqual(itemsOf(JSON.parse('{"__proto__": {"data": [1]}}')), [])
  })
})
