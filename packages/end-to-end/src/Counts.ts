/** The counts of a run. */
export interface Counts {
  readonly passed: number
  readonly failed: number
}

interface Report {
  readonly testResults: ReadonlyArray<{
    readonly name: string
    readonly status: string
    readonly assertionResults: ReadonlyArray<{ readonly status: string }>
  }>
}

/**
 * Counts vitest's JSON report. Only a test that ran and passed counts as passed; skipped and unfinished tests count as
 * failed. A file that cannot be loaded counts as one failed test. A failed run, or one without tests, always has at
 * least one failure.
 */
export const countReport = (json: string, runPassed: boolean): Counts => {
  const report: Report = JSON.parse(json)
  const tests = report.testResults.flatMap((file) => file.assertionResults)
  const passed = tests.filter((test) => test.status === "passed").length
  const broken = report.testResults.filter(
    (file) => file.status !== "passed" && file.assertionResults.every((test) => test.status === "passed")
  )
  const failed = tests.length - passed + broken.length
  return { passed, failed: failed === 0 && (!runPassed || passed === 0) ? 1 : failed }
}
