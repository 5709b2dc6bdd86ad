import { countReport } from "@wcs/end-to-end/Counts"
import { assert, describe, it } from "vitest"

const report = (...files: ReadonlyArray<readonly [status: string, ...tests: ReadonlyArray<string>]>): string =>
  JSON.stringify({
    testResults: files.map(([status, ...tests]) => ({
      name: "A.test.ts",
      status,
      assertionResults: tests.map((test) => ({ status: test }))
    }))
  })

describe("counting a test run", () => {
  it("counts passed and failed tests", () => {
    const json = report(["passed", "passed", "passed"], ["failed", "passed", "failed"])
    assert.deepStrictEqual(countReport(json, false), { passed: 3, failed: 1 })
  })
  it("skipped and todo tests count as failed", () => {
    const json = report(["passed", "passed", "skipped", "pending", "todo"])
    assert.deepStrictEqual(countReport(json, true), { passed: 1, failed: 3 })
  })
  it("a file that does not load counts as one failed", () => {
    assert.deepStrictEqual(countReport(report(["passed", "passed"], ["failed"]), false), { passed: 1, failed: 1 })
  })
  it("a file that fails outside its tests counts as one failed", () => {
    assert.deepStrictEqual(countReport(report(["failed", "passed"]), false), { passed: 1, failed: 1 })
  })
  it("a run that failed without a failed test counts as one failed", () => {
    assert.deepStrictEqual(countReport(report(["passed", "passed"]), false), { passed: 1, failed: 1 })
  })
  it("a run without a test is not green", () => {
    assert.deepStrictEqual(countReport(report(), true), { passed: 0, failed: 1 })
  })
})
