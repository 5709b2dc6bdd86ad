import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { differences } from "@wcs/conformance/formats/Differences"
import { json } from "@wcs/conformance/formats/Json"
import { compare, isSame } from "@wcs/conformance/report/Comparison"
import type { Report } from "@wcs/conformance/report/Report"
import { commandLine, inFolder } from "../CommandLine.ts"
import { hostile, redRun } from "../fixtures/RedRun.ts"
import { reported } from "../fixtures/Rendered.ts"

const staging = reported(redRun)

/** Another run against another target with the same findings. */
const elsewhere: Report = {
  ...staging,
  header: { ...staging.header, profile: "production", target: "https://production.example", run: "r2" }
}

const withVerdict = (report: Report, id: string, verdict: Report["rules"][number]["verdict"]): Report => ({
  ...report,
  rules: report.rules.map((rule) => (rule.id === id ? { ...rule, verdict, reasons: ["for once"] } : rule))
})

const withObserved = (report: Report, observed: Report["observations"]): Report => ({
  ...report,
  observations: observed
})

const without = (report: Report, id: string): Report => ({
  ...report,
  rules: report.rules.filter((rule) => rule.id !== id)
})

const [silence] = staging.observations

describe("two results", () => {
  it("are equal when all verdicts and observations are, at any time and target", () => {
    const comparison = compare(staging, elsewhere)
    assert.isTrue(isSame(comparison))
    assert.deepStrictEqual([comparison.left.profile, comparison.right.profile], [staging.header.profile, "production"])
    assert.match(differences(comparison), /^\d+ rules: 0 verdicts and 0 observations differ$/m)
  })

  it("differ by a verdict, with the reasons of both sides", () => {
    const comparison = compare(staging, withVerdict(elsewhere, "OWN-04", "blocked"))
    const [verdict, ...more] = comparison.verdicts
    assert.deepStrictEqual(more, [])
    assert.deepStrictEqual(
      [verdict?.rule, verdict?.left, verdict?.right, verdict?.rightReasons],
      ["OWN-04", "fail", "blocked", ["for once"]]
    )
    assert.include(differences(comparison), "    - failed\n    + blocked: for once\n")
  })

  it("differ when only one catalogue has a rule", () => {
    const shorter = without(elsewhere, "OWN-04")
    assert.deepStrictEqual(
      [compare(staging, shorter), compare(shorter, staging)].map(({ verdicts }) =>
        verdicts.map(({ left, right }) => [left, right])
      ),
      [[["fail", null]], [[null, "fail"]]]
    )
  })

  it("differ by an observation, but not by the order of observations", () => {
    const seen = { rule: "SIL-04", question: "How?", observed: [{ a: 1, b: 2 }, "null"] }
    const inOtherWords = { ...seen, observed: ["null", { b: 2, a: 1 }] }
    const observing = (one: typeof seen) => withObserved(staging, [one])
    assert.isTrue(isSame(compare(observing(seen), observing(inOtherWords))))
    const other = compare(observing(seen), observing({ ...seen, observed: ["null"] }))
    assert.deepStrictEqual(other.observations, [
      { rule: "SIL-04", question: "How?", left: seen.observed, right: ["null"] }
    ])
    assert.deepStrictEqual(compare(observing(seen), withObserved(staging, [])).observations[0]?.right, [])
  })

  it("are printed without control characters", () => {
    const comparison = compare(
      withVerdict(
        withObserved(staging, silence === undefined ? [] : [{ ...silence, observed: [hostile] }]),
        "OWN-04",
        "pass"
      ),
      { ...elsewhere, header: { ...elsewhere.header, profile: hostile, target: hostile } }
    )
    assert.notMatch(differences(comparison), /(?!\n)[\p{Cc}\p{Bidi_Control}]/u)
  })
})

describe("wcs-conformance diff", () => {
  const put = (folder: string, name: string, report: Report): string => {
    mkdirSync(join(folder, name))
    writeFileSync(join(folder, name, "report.json"), json(report))
    return join(folder, name)
  }

  it("ends with 0 for equal folders and with 1 for different ones, as text and as JSON", () =>
    inFolder(async (folder) => {
      const [left, same] = [put(folder, "left", staging), put(folder, "same", elsewhere)]
      const other = put(folder, "other", withVerdict(elsewhere, "OWN-04", "pass"))
      assert.strictEqual((await commandLine(["diff", left, same])).code, 0)
      const told = await commandLine(["diff", left, join(other, "report.json")])
      assert.strictEqual(told.code, 1)
      assert.include(told.told, "OWN-04  must  An occupied slot is not given to another owner.")
      const machine = await commandLine(["diff", left, other, "--json"])
      assert.strictEqual(machine.code, 1)
      assert.deepStrictEqual(
        JSON.parse(machine.told).verdicts.map(({ rule }: { rule: string }) => rule),
        ["OWN-04"]
      )
    }))

  it("ends with 2 and the reason when a file is missing, not a report, or of another version", () =>
    inFolder(async (folder) => {
      const left = put(folder, "left", staging)
      const file = (name: string, text: string) => {
        writeFileSync(join(folder, name), text)
        return join(folder, name)
      }
      const refused = [
        [join(folder, "none"), "cannot be read"],
        [folder, "report.json cannot be read"],
        [file("text", "no JSON"), "is not a report of this suite"],
        [file("other", "{}"), "is not a report of this suite"],
        [file("more", JSON.stringify({ ...staging, more: 1 })), "is not a report of this suite"],
        [file("later", JSON.stringify({ ...staging, version: 99 })), "is a report of version 99: this release reads"]
      ] as const
      for (const [path, why] of refused) {
        const { code, told } = await commandLine(["diff", left, path])
        assert.strictEqual(code, 2, path)
        assert.include(told, why)
      }
    }))
})
