/** The table of `npm run faults`, from vitest's reports. */
import { relative } from "node:path"
import type { Figures } from "./Figures.ts"

interface Result {
  readonly title: string
  readonly status: string
  readonly meta: { readonly faults?: Figures }
}

interface Report {
  readonly testResults: ReadonlyArray<{ readonly name: string; readonly assertionResults: ReadonlyArray<Result> }>
}

const isPassed = ({ status }: Result): boolean => status === "passed"

/** A failed test counts as at least one loss: it may have ended before it counted its losses. */
const ofScenario = (result: Result, figures: Figures): Figures =>
  isPassed(result) ? figures : { ...figures, lost: Math.max(1, figures.lost), notes: `FAILED; ${figures.notes}` }

/** Tests without figures count as one fault each, by file. */
const ofFile = (file: string, results: ReadonlyArray<Result>): ReadonlyArray<Figures> => {
  if (results.length === 0) return []
  const survived = results.filter(isPassed).length
  const lost = results.length - survived
  const failed = results.filter((result) => !isPassed(result)).map(({ title }) => `FAILED: ${title}`)
  return [{ scenario: file, requests: 0, faults: results.length, survived, lost, notes: failed.join("; ") }]
}

/** The rows of a report: one for each scenario, then one for each file of other tests. */
export const rowsOf = (report: string, root: string): ReadonlyArray<Figures> => {
  const { testResults }: Report = JSON.parse(report)
  const scenarios = testResults.flatMap(({ assertionResults }) =>
    assertionResults.flatMap((result) =>
      result.meta.faults === undefined ? [] : [ofScenario(result, result.meta.faults)]
    )
  )
  const files = testResults.flatMap(({ assertionResults, name }) =>
    ofFile(
      relative(root, name).replace(/\.test\.ts$/, ""),
      assertionResults.filter(({ meta }) => meta.faults === undefined)
    )
  )
  return [...scenarios, ...files]
}

const sum = (rows: ReadonlyArray<Figures>, key: "requests" | "faults" | "survived" | "lost"): number =>
  rows.reduce((total, row) => total + row[key], 0)

/** The lines of the table, with the sums in the last one. */
export const linesOf = (rows: ReadonlyArray<Figures>): ReadonlyArray<string> => {
  const total = {
    scenario: "all",
    requests: sum(rows, "requests"),
    faults: sum(rows, "faults"),
    survived: sum(rows, "survived"),
    lost: sum(rows, "lost"),
    notes: ""
  }
  const cells = [...rows, total].map(({ faults, lost, notes, requests, scenario, survived }) => [
    scenario,
    ...[requests, faults, survived, lost].map((count) => count.toLocaleString("en")),
    notes
  ])
  const all = [["scenario", "requests", "faults", "survived", "lost", "notes"], ...cells]
  const widths = all[0]?.map((_, column) => Math.max(...all.map((line) => line[column]?.length ?? 0))) ?? []
  return all.map((line) =>
    line
      .map((cell, column) =>
        column >= 1 && column <= 4
          ? cell.padStart(widths[column] ?? 0)
          : cell.padEnd(column === 0 ? (widths[0] ?? 0) : 0)
      )
      .join("  ")
      .trimEnd()
  )
}
