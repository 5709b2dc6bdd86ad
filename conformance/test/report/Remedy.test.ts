import { assert, describe, it } from "@effect/vitest"
import { type Difference, differenceKinds, historyPosition } from "@wcs/conformance/judgement/Difference"
import { remedies } from "@wcs/conformance/repro/Remedy"
import { redRun } from "../fixtures/RedRun.ts"
import { reported } from "../fixtures/Rendered.ts"

const report = reported(redRun)
const broken = report.rules.find(({ verdict }) => verdict === "fail") ?? assert.fail("no rule fails")
const [exchange] = report.exchanges

/** The remedies of a rule with these differences. */
const remediesOf = (...differences: ReadonlyArray<Partial<Difference>>): ReadonlyArray<string> => {
  const told = differences.map(
    (one): Difference => ({
      kind: "status",
      exchange: exchange?.number ?? 0,
      at: "status",
      expected: 409,
      actual: 200,
      ...one
    })
  )
  const finding = { walk: "area/what", outcome: "fail" as const, differences: told, exchanges: [] }
  return remedies({ ...broken, findings: [finding] }, report)
}

describe("remedies", () => {
  it("name the call by its form, and what it has to answer", () => {
    const request = {
      ...exchange?.request,
      method: "POST",
      url: "https://t1.example/openapi/v1/credentials/cred_8x/link?a=1"
    }
    const named = {
      ...report,
      exchanges: [{ ...(exchange ?? assert.fail()), request: { headers: [], body: "", ...request } }]
    }
    const finding = {
      walk: "area/what",
      outcome: "fail" as const,
      differences: [
        { kind: "status" as const, exchange: exchange?.number ?? 0, at: "status", expected: 409, actual: 200 }
      ],
      exchanges: []
    }
    assert.deepStrictEqual(remedies({ ...broken, findings: [finding] }, named), [
      "Answer POST /openapi/v1/credentials/{id}/link with 409 instead of 200."
    ])
  })
  it("exist for every kind of difference, without the hidden part of a story", () => {
    for (const kind of differenceKinds) assert.match(remediesOf({ kind }).join(), /^[A-Z].+\.$/, kind)
    assert.deepStrictEqual(remediesOf({ at: historyPosition, expected: "one order", actual: ["c1", "c2"] }), [
      "Give every such sequence of calls this result: one order."
    ])
  })
  it("are not repeated, and at most three", () => {
    assert.lengthOf(remediesOf({}, {}), 1)
    assert.lengthOf(remediesOf(...[404, 409, 410, 422].map((expected) => ({ expected }))), 3)
  })
  it("are empty for a rule that is kept", () => {
    const kept = report.rules.find(({ verdict }) => verdict === "pass") ?? assert.fail("no rule passes")
    assert.deepStrictEqual(remedies(kept, report), [])
  })
})
