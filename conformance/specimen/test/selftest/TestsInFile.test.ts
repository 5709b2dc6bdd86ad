import { assert, describe, it } from "@effect/vitest"
import { testsIn } from "@wcs/specimen/selftest/TestsInFile"

const file = `
import { decide as judge, type Owners } from "@wcs/domain/ownership/Ownership"
import * as Login from "@wcs/domain/login/Login"
import { other } from "@wcs/http/Other"

const { least } = { least: Login.least }
const rows = [["OWN-02: a row", (owners: Owners) => judge(owners)]]

layer(stores)("OWN-01: the suite", (it) => {
  it.effect("reaches what it uses through others", () => least)
  describe("OWN-03: a part", () => {
    const judge = Login.limit // hides the import
    it("sees the nearest declaration", () => judge)
  })
  it.each(rows)("%s", (_, run) => run(other.judge))
})

describe("a block", () => {
  it("has constants of its own", () => {
    const property = fc.property(fc.string(), judge)
    fc.assert(property) // OWN-04
  })
  it("does not see those of others", () => property)
})
`

describe("the tests in a file", () => {
  const tests = testsIn(file)
  const rulesOf = (source: string) => ["OWN-01", "OWN-02", "OWN-03", "OWN-04"].filter((id) => source.includes(id))

  it("name rules in their titles, in the titles around them, in their tables and in their code", () => {
    assert.deepStrictEqual(
      tests.map(({ source }) => rulesOf(source)),
      [["OWN-01"], ["OWN-01", "OWN-03"], ["OWN-01", "OWN-02"], ["OWN-04"], []]
    )
  })

  it("use the domain's names that their code and its declarations use", () => {
    assert.deepStrictEqual(
      tests.map(({ uses }) => uses),
      [["Login.least"], ["Login.limit"], ["Ownership.Owners", "Ownership.decide"], ["Ownership.decide"], []]
    )
  })

  it("are properties when they test generated input", () => {
    assert.deepStrictEqual(
      tests.map(({ isProperty }) => isProperty),
      [false, false, false, true, false]
    )
  })
})
