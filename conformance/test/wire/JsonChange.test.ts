import { assert, describe, it } from "@effect/vitest"
import { timeless, without, withValue } from "@wcs/conformance/wire/JsonChange"

const worker = { identity: { displayName: "Ann", firstName: "A" }, source: { externalId: "1" } }

describe("bodies with one change", () => {
  it("WRK-01: lack one field and keep all others", () => {
    assert.deepStrictEqual(without(worker, "identity.displayName"), {
      identity: { firstName: "A" },
      source: { externalId: "1" }
    })
    assert.deepStrictEqual(without(worker, "source"), { identity: worker.identity })
    assert.deepStrictEqual(without(worker, "source.sourceSystem"), worker)
    assert.deepStrictEqual(without(worker, "nowhere.at.all"), worker)
    assert.deepStrictEqual(without([1], "0"), [1])
  })
  it("ENV-06: have another value, at an existing or new place", () => {
    assert.deepStrictEqual(withValue(worker, "identity.displayName", 42), {
      ...worker,
      identity: { displayName: 42, firstName: "A" }
    })
    assert.deepStrictEqual(withValue({}, "a.b", null), { a: { b: null } })
  })
  it("ENV-16: leave out times and request ids, and nothing else", () => {
    const resource = {
      id: "wkr_1",
      updatedAt: 7,
      seen: "2026-01-02T03:04:05Z",
      born: "2001-02-03",
      format: "pdf",
      version: 2
    }
    assert.deepStrictEqual(timeless({ data: [{ ...resource, requestId: "r", externalId: "e" }] }), {
      data: [{ id: "wkr_1", born: "2001-02-03", format: "pdf", externalId: "e" }]
    })
  })
})
