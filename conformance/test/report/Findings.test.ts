import { assert, describe, it } from "@effect/vitest"
import { annotationsOf } from "@wcs/conformance/formats/Annotations"
import { sarif } from "@wcs/conformance/formats/Sarif"
import { redRun } from "../fixtures/RedRun.ts"
import { reported } from "../fixtures/Rendered.ts"

const report = reported(redRun)

describe("the findings for other tools", () => {
  it("are SARIF 2.1.0: each failure is an error of its rule, with the call as its location", () => {
    const { runs, version } = JSON.parse(sarif(report))
    assert.strictEqual(version, "2.1.0")
    const [{ results, tool }] = runs
    const ids = tool.driver.rules.map(({ id }: { readonly id: string }) => id)
    const failed = report.rules.filter(({ verdict }) => verdict === "fail").map(({ id }) => id)
    const errors = results.filter(({ level }: { readonly level: string }) => level === "error")
    assert.includeMembers(
      errors.map(({ ruleId }: { readonly ruleId: string }) => ruleId),
      failed
    )
    for (const { locations, message, ruleId } of results) {
      assert.include(ids, ruleId)
      assert.notStrictEqual(message.text, "")
      assert.isNotEmpty(locations[0].logicalLocations[0].fullyQualifiedName)
    }
  })

  it("are annotations of GitHub, one line each, also for hostile texts of the deployment", () => {
    const lines = annotationsOf(report)
    for (const line of lines) assert.match(line, /^::(error|warning|notice) title=[^:,\n]+::[^\n\r]+$/)
    for (const { id } of report.rules.filter(({ verdict }) => verdict === "fail")) {
      assert.isTrue(
        lines.some((line) => line.startsWith(`::error title=${id}::`)),
        id
      )
    }
  })
})
