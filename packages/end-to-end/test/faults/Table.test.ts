import { linesOf, rowsOf } from "@wcs/end-to-end/faults/Table"
import { assert, describe, it } from "vitest"

const figures = { scenario: "kill -9", requests: 1200, faults: 3, survived: 3, lost: 0, notes: "1100 answered" }

const report = (assertionResults: ReadonlyArray<unknown>) =>
  JSON.stringify({ testResults: [{ name: "/work/packages/a/test/Kill.test.ts", assertionResults }] })

describe("the table of npm run faults", () => {
  it("has a row for each scenario, one for the other tests of a file, and the sums", () => {
    const rows = rowsOf(
      report([
        { title: "kill", status: "passed", meta: { faults: figures } },
        { title: "control", status: "passed", meta: {} },
        { title: "lock", status: "passed", meta: {} }
      ]),
      "/work"
    )
    assert.deepStrictEqual(
      linesOf(rows).map((line) => line.split(/ {2,}/)),
      [
        ["scenario", "requests", "faults", "survived", "lost", "notes"],
        ["kill -9", "1,200", "3", "3", "0", "1100 answered"],
        ["packages/a/test/Kill", "0", "2", "2", "0"],
        ["all", "1,200", "5", "5", "0"]
      ]
    )
  })

  it("counts a failed test as a loss, also if the test ended before it reported figures", () => {
    const rows = rowsOf(
      report([
        { title: "kill", status: "failed", meta: { faults: figures } },
        { title: "lock", status: "failed", meta: {} }
      ]),
      "/work"
    )
    assert.deepStrictEqual(
      rows.map(({ lost, notes }) => [lost, notes]),
      [
        [1, "FAILED; 1100 answered"],
        [1, "FAILED: lock"]
      ]
    )
  })
})
