import { assert, describe, it } from "@effect/vitest"
import { html } from "@wcs/conformance/formats/Html"
import { junit } from "@wcs/conformance/formats/JUnit"
import { markdown } from "@wcs/conformance/formats/Markdown"
import { terminal } from "@wcs/conformance/formats/Terminal"
import { callsPosition, historyPosition } from "@wcs/conformance/judgement/Difference"
import type { Report } from "@wcs/conformance/report/Report"
import { redRun } from "../fixtures/RedRun.ts"
import { reported } from "../fixtures/Rendered.ts"

const lines = ["c1 is of w1 alone", "|---|  #7 <b>link a1</b>: 200"]

/** A report whose first breach has a story. */
const told = (at: string): Report => {
  const report = reported(redRun)
  const [broken] = report.rules.filter(({ verdict }) => verdict === "fail")
  return {
    ...report,
    rules: report.rules.map((rule) =>
      rule !== broken
        ? rule
        : {
            ...rule,
            findings: rule.findings.map((finding) => ({
              ...finding,
              differences: [{ kind: "wrong-value", exchange: 7, at, expected: "an order", actual: lines }]
            }))
          }
    )
  }
}

describe("a story of sequential or concurrent calls", () => {
  for (const at of [callsPosition, historyPosition]) {
    it(`is printed line by line in every report: ${at}`, () => {
      const report = told(at)
      assert.include(terminal(report, { color: false }), `            ${lines[0]}\n            ${lines[1]}\n`)
      assert.include(markdown(report), `      ${lines[0]}\n      ${lines[1]}\n`)
      assert.include(junit(report), `${lines[0]}\n`)
      assert.include(html(report), `<pre>${lines[0]}\n|---|  #7 &lt;b&gt;link a1`)
    })
  }
})
