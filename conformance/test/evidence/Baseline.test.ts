import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { Event } from "@wcs/conformance/evidence/Event"
import { json } from "@wcs/conformance/formats/Json"
import { junit } from "@wcs/conformance/formats/JUnit"
import { markdown } from "@wcs/conformance/formats/Markdown"
import { terminal } from "@wcs/conformance/formats/Terminal"
import type { Finding } from "@wcs/conformance/judgement/Finding"
import { initialProfile } from "@wcs/conformance/profile/InitialProfile"
import { type Baseline, baselineOf, type Entry, withBaseline } from "@wcs/conformance/report/Baseline"
import { compare, isSame } from "@wcs/conformance/report/Comparison"
import { exitCodeOf } from "@wcs/conformance/report/ExitCode"
import type { Report } from "@wcs/conformance/report/Report"
import { commandLine, inFolder, writeProfile } from "../CommandLine.ts"
import { exchangeOf } from "../Exchanges.ts"
import { redRun } from "../fixtures/RedRun.ts"
import { reported } from "../fixtures/Rendered.ts"

const today = "2026-12-31"

type Position = Finding["differences"][number]["at"]

const broken = (...positions: ReadonlyArray<Position>): Finding => ({
  ...{ rule: "OWN-04", walk: "a/b", outcome: "fail", exchanges: [1] },
  differences: positions.map((at) => ({ kind: "wrong-value", exchange: 1, at, expected: 1, actual: 2 }))
})

const passed: Finding = { rule: "OWN-04", walk: "a/b", outcome: "pass", differences: [], exchanges: [1] }
const blocked: Finding = { ...passed, outcome: "blocked", reason: "needs a second tenant" }

/** A run with one passed rule, and this finding about another. */
const reportOf = (finding: Finding, only: ReadonlyArray<string> | null = ["OWN-04", "AUT-04"]): Report => {
  const [started] = redRun
  const events: ReadonlyArray<Event> = [
    ...(started?.type === "run-started" ? [{ ...started, only }] : []),
    { type: "exchange", exchange: exchangeOf({}) },
    { type: "finding", finding },
    { type: "finding", finding: { ...passed, rule: "AUT-04" } },
    { type: "run-ended", endedAt: 1_700_000_000_001, ending: { as: "finished" } }
  ]
  return reported(events)
}

const entry = (more: Partial<Entry> = {}): Entry => ({
  ...{ rule: "OWN-04", verdict: "fail", reason: "It is mended in 2.3.", expires: "2027-01-31" },
  differences: [{ kind: "wrong-value", at: "body.data.n.id" }],
  ...more
})

const told = (finding: Finding, ...entries: Baseline["entries"]): Report =>
  withBaseline(reportOf(finding), { entries }, today)

const ruleIn = (report: Report, id = "OWN-04") => report.rules.find((rule) => rule.id === id)

describe("a known failure", () => {
  const known = told(broken("body.data.3.id", "body.data.4.id"), entry())

  it("is reported with its reason and expiry date and fails no run", () => {
    assert.deepStrictEqual(
      [ruleIn(known)?.verdict, ruleIn(known)?.reasons, ruleIn(known)?.baseline],
      [
        "baselined",
        ["known until 2027-01-31: It is mended in 2.3."],
        { verdict: "fail", reason: "It is mended in 2.3.", expires: "2027-01-31" }
      ]
    )
    assert.deepStrictEqual([exitCodeOf(reportOf(broken("body.data.3.id"))), exitCodeOf(known)], [1, 0])
    assert.deepStrictEqual([known.counts.MUST.fail, known.counts.MUST.baselined, known.counts.MUST.pass], [0, 1, 1])
  })

  it("is in the headline and in every report, and never green", () => {
    assert.match(known.headline, /^judged 2 of \d+ musts: 1 passed, 0 failed, 1 broken and baselined; /)
    assert.include(terminal(known, { color: false }), "KNOWN   OWN-04")
    assert.include(terminal(known, { color: false }), "known until 2027-01-31: It is mended in 2.3.")
    assert.include(markdown(known), "### OWN-04: baselined")
    assert.match(junit(known), /name="OWN-04[^>]*><skipped message="baselined: known until 2027-01-31: It is mended/)
    assert.include(json(known), '"verdict": "baselined"')
  })

  it("still counts as a failure when two results are compared", () => {
    assert.isTrue(isSame(compare(known, reportOf(broken("body.data.3.id")))))
  })
})

describe("a baseline entry fails the run", () => {
  const complaints: ReadonlyArray<readonly [what: string, report: Report, why: string, verdict: string]> = [
    ["without a reason", told(broken("body.data.3.id"), entry({ reason: " \n" })), "the entry has no reason", "fail"],
    [
      "that is over",
      told(broken("body.data.3.id"), entry({ expires: "2026-12-30" })),
      "the entry expired on 2026-12-30",
      "fail"
    ],
    ["whose rule is kept by now", told(passed, entry()), "the entry is stale: passed", "pass"],
    [
      "whose rule is broken in another way as well",
      told(broken("body.data.3.id", "status"), entry()),
      "the rule fails differently than the entry says: failed by wrong-value at body.data.n.id, " +
        "wrong-value at status, not failed by wrong-value at body.data.n.id",
      "fail"
    ],
    [
      "whose rule is broken in fewer ways",
      told(broken("status"), entry({ differences: ["status", "body"].map((at) => ({ kind: "wrong-value", at })) })),
      "the rule fails differently than the entry says: failed by wrong-value at status, " +
        "not failed by wrong-value at status, wrong-value at body",
      "fail"
    ],
    [
      "whose rule is broken less, or more",
      told(broken("body.data.3.id"), entry({ verdict: "warn" })),
      "the rule fails differently than the entry says: failed by wrong-value at body.data.n.id, " +
        "not warning by wrong-value at body.data.n.id",
      "fail"
    ],
    ["of a rule that there is not", told(passed, entry({ rule: "OWN-99" })), "the catalogue has no such rule", "pass"]
  ]
  for (const [what, report, why, verdict] of complaints) {
    it(what, () => {
      assert.deepStrictEqual(
        report.baseline?.complaints.map((one) => one.why),
        [why]
      )
      assert.strictEqual(ruleIn(report)?.verdict, verdict)
      assert.strictEqual(exitCodeOf(report), 1)
      assert.include(report.headline, "1 entry of the baseline to fix")
      const [id] = report.baseline?.complaints.map(({ rule }) => rule) ?? []
      for (const text of [terminal(report, { color: false }), markdown(report).replaceAll("\\", "")]) {
        assert.include(text, `${id}: ${why}`)
      }
      assert.include(
        junit(report),
        `<testcase name="${id}" classname="wcs.baseline" time="0"><failure message="${why}"`
      )
    })
  }

  it("when it is the second one for a rule", () => {
    const report = told(broken("body.data.3.id"), entry(), entry({ reason: "again" }))
    assert.deepStrictEqual(
      report.baseline?.complaints.map(({ why }) => why),
      ["an earlier entry names the same rule"]
    )
  })

  it("but not when the rule was blocked or not selected", () => {
    for (const report of [
      told(blocked, entry()),
      withBaseline(reportOf({ ...passed, rule: "AUT-04" }, ["AUT-04"]), { entries: [entry()] }, today)
    ]) {
      assert.deepStrictEqual(report.baseline, { entries: 1, complaints: [] })
    }
    assert.strictEqual(ruleIn(told(blocked, entry()))?.verdict, "blocked")
  })
})

describe("the baseline of a result", () => {
  it("contains exactly the failures, and passes once it has reasons", () => {
    const report = reported(redRun)
    const baseline = baselineOf(report, "must", "2027-03-31")
    assert.deepStrictEqual(
      baseline.entries.map(({ expires, reason, rule }) => [rule, reason, expires]),
      ["RID-02", "CRD-05", "OWN-04"].map((rule) => [rule, "", "2027-03-31"])
    )
    const withWarnings = baselineOf(report, "should", "2027-03-31").entries.map(({ rule }) => rule)
    assert.deepStrictEqual(withWarnings, ["AUT-06", "RID-02", "ENV-09", "CRD-05", "OWN-04"])
    const entries = baseline.entries.map((one) => ({ ...one, reason: "so it is" }))
    const known = withBaseline(report, { entries }, today)
    assert.deepStrictEqual([known.counts.MUST.fail, known.counts.MUST.baselined], [0, 3])
    assert.deepStrictEqual(known.baseline?.complaints, [])
    assert.deepStrictEqual(baselineOf(known, "must", "2030-01-01"), { entries }, "reasons and ends are kept")
  })
})

describe("wcs-conformance baseline", () => {
  const written = (folder: string, report: Report): string => {
    writeFileSync(join(folder, "report.json"), json(report))
    return join(folder, "baseline.json")
  }

  it("writes the failures with a place for the reasons, and overwrites nothing", () =>
    inFolder(async (folder) => {
      const file = written(folder, reportOf(broken("body.data.3.id")))
      const first = await commandLine(["baseline", folder, "-o", file, "--days", "30"])
      assert.deepStrictEqual(
        [first.code, first.told],
        [0, `${file} has 1 entry; add a reason to one: an entry without a reason fails the run\n`]
      )
      const { entries } = JSON.parse(readFileSync(file, "utf8"))
      const [{ expires, ...rest }] = entries
      assert.deepStrictEqual(rest, {
        ...{ rule: "OWN-04", verdict: "fail", differences: [{ kind: "wrong-value", at: "body.data.n.id" }], reason: "" }
      })
      assert.match(expires, /^\d{4}-\d\d-\d\d$/)
      const again = await commandLine(["baseline", folder, "-o", file])
      assert.deepStrictEqual([again.code, again.told], [2, `wcs-conformance: ${file} already exists\n`])
      assert.strictEqual((await commandLine(["baseline", folder, "-o", `${file}2`, "--days", "0"])).code, 2)
      assert.strictEqual((await commandLine(["baseline", join(folder, "none"), "-o", `${file}2`])).code, 2)
    }))

  it("is refused by run and judge before they do anything when it is invalid", () =>
    inFolder(async (folder) => {
      const file = join(folder, "baseline.json")
      const bad: ReadonlyArray<readonly [text: string, why: string]> = [
        ["{", "is neither JSON nor YAML"],
        ["{}", "entries: is missing"],
        [JSON.stringify({ entries: [{ ...entry(), rule: "own" }] }), "entries.0.rule: Expected the id of a rule"],
        [JSON.stringify({ entries: [{ ...entry(), expires: "soon" }] }), "entries.0.expires: Expected a date, such as"],
        [JSON.stringify({ entries: [{ ...entry(), expire: "x" }] }), "did you mean expires?"]
      ]
      const profile = writeProfile(folder, initialProfile("https://t1.example", "x"))
      for (const [text, why] of bad) {
        writeFileSync(file, text)
        for (const args of [
          ["judge", folder],
          ["run", "-p", profile, "-o", join(folder, "out")]
        ]) {
          const ran = await commandLine([...args, "--baseline", file])
          assert.strictEqual(ran.code, 2)
          assert.include(ran.told, why)
        }
      }
    }))
})
