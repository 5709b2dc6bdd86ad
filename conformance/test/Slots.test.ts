import { assert, describe, it } from "@effect/vitest"
import type { Json } from "@wcs/conformance/text/Json"
import { holds, outcome, slotsIn, stillHolds } from "@wcs/conformance/walks/ownership/Slots"
import { exchangeOf } from "./Exchanges.ts"

const showing = (owners: Json, status = 200) =>
  exchangeOf({
    number: 7,
    answer: { status, text: JSON.stringify({ data: { id: "cred_1", attributes: { owners } } }) }
  })

describe("the slots in a read (OWN-01, OWN-04, SIL-04)", () => {
  it("accepts every form of an empty slot, including an omitted key", () => {
    for (const empty of [null, "", {}, []]) {
      assert.deepStrictEqual(holds(showing({ worker: "wkr_1", applicant: empty }), { worker: "wkr_1" }), [])
    }
    assert.deepStrictEqual(holds(showing({ worker: "wkr_1" }), { worker: "wkr_1" }), [])
  })

  it("accepts no other value as an empty slot", () => {
    for (const taken of ["app_1", ["app_1"], { id: "app_1" }, 0, false]) {
      assert.strictEqual(holds(showing({ worker: "wkr_1", applicant: taken }), { worker: "wkr_1" }).length, 1)
    }
  })

  it("are unknown when no owners are shown", () => {
    assert.deepStrictEqual(slotsIn(exchangeOf({ answer: { text: "{}" } })), { worker: undefined, applicant: undefined })
    assert.strictEqual(holds(exchangeOf({ answer: { text: "{}" } }), {}).length, 2)
  })

  it("names the differing slot, and whether it had to stay unchanged", () => {
    const difference = { exchange: 7, at: "body.data.attributes.owners.worker", expected: "wkr_1", actual: "wkr_2" }
    const shown = showing({ worker: "wkr_2", applicant: null })
    assert.deepStrictEqual(holds(shown, { worker: "wkr_1" }), [{ kind: "wrong-value", ...difference }])
    assert.deepStrictEqual(stillHolds(shown, { worker: "wkr_1" }), [{ kind: "changed", ...difference }])
  })

  it("reports only the failed read when a read fails", () => {
    const [only, ...others] = stillHolds(showing({ worker: "wkr_1", applicant: null }, 404), { worker: "wkr_1" })
    assert.strictEqual(only?.kind, "status")
    assert.deepStrictEqual(others, [])
  })
})

describe("the result of an open case (SIL-06, SIL-07, SIL-08, SIL-17, SIL-28)", () => {
  it("has no ids, so that results of two deployments can be compared", () => {
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
