import { assert, describe, it } from "@effect/vitest"
import { holds, outcome, slotsIn, stillHolds } from "@wcs/conformance/walks/ownership/Slots"
import type { Json } from "@wcs/conformance/wire/Json"
import { exchangeOf } from "./Exchanges.ts"

const showing = (owners: Json, status = 200) =>
  exchangeOf({
    number: 7,
    answer: { status, text: JSON.stringify({ data: { id: "cred_1", attributes: { owners } } }) }
  })

describe("slots in a read (OWN-01, OWN-04, SIL-04)", () => {
  it("accepts every representation of an empty slot, including a missing key", () => {
    for (const empty of [null, "", {}, []]) {
      assert.deepStrictEqual(holds(showing({ worker: "wkr_1", applicant: empty }), { worker: "wkr_1" }), [])
    }
    assert.deepStrictEqual(holds(showing({ worker: "wkr_1" }), { worker: "wkr_1" }), [])
  })

  it("treats no other value as empty", () => {
    for (const taken of ["app_1", ["app_1"], { id: "app_1" }, 0, false]) {
      assert.strictEqual(holds(showing({ worker: "wkr_1", applicant: taken }), { worker: "wkr_1" }).length, 1)
    }
  })

  it("returns nothing when the owners are missing", () => {
    assert.deepStrictEqual(slotsIn(exchangeOf({ answer: { text: "{}" } })), { worker: undefined, applicant: undefined })
    assert.strictEqual(holds(exchangeOf({ answer: { text: "{}" } }), {}).length, 2)
  })

  it("names the slot that differs, and whether it had to stay unchanged", () => {
    const difference = { exchange: 7, at: "body.data.attributes.owners.worker", expected: "wkr_1", actual: "wkr_2" }
    const shown = showing({ worker: "wkr_2", applicant: null })
    assert.deepStrictEqual(holds(shown, { worker: "wkr_1" }), [{ kind: "wrong-value", ...difference }])
    assert.deepStrictEqual(stillHolds(shown, { worker: "wkr_1" }), [{ kind: "changed", ...difference }])
  })

  it("reports only the failed read when the read failed", () => {
    const [only, ...others] = stillHolds(showing({ worker: "wkr_1", applicant: null }, 404), { worker: "wkr_1" })
    assert.strictEqual(only?.kind, "status")
    assert.deepStrictEqual(others, [])
  })
})

describe("the outcome of an open case (SIL-06, SIL-07, SIL-08, SIL-17, SIL-28)", () => {
  it("contains no ids, so that deployments can be compared", () => {
    const refused = exchangeOf({ answer: { status: 409, text: '{"error":{"code":"OWNER_MISMATCH"}}' } })
    const told = outcome(refused, showing({ worker: "wkr_1", applicant: "app_9" }), { wkr_1: "from", wkr_2: "to" })
    assert.deepStrictEqual(told, { answer: "409 OWNER_MISMATCH", worker: "from", applicant: "somebody else" })
    assert.deepStrictEqual(outcome(showing(null), showing({ worker: "" }), {}), {
      ...{ answer: "200", worker: "empty", applicant: "empty" }
    })
    assert.deepStrictEqual(outcome(showing(null), exchangeOf({ answer: { text: "{}" } }), {}), {
      ...{ answer: "200", worker: "not shown", applicant: "not shown" }
    })
  })
})
