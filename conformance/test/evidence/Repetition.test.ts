import { assert, describe, it } from "@effect/vitest"
import type { Event } from "@wcs/conformance/evidence/Event"
import { junit } from "@wcs/conformance/formats/JUnit"
import { markdown } from "@wcs/conformance/formats/Markdown"
import { terminal } from "@wcs/conformance/formats/Terminal"
import type { Finding } from "@wcs/conformance/judgement/Finding"
import { exitCodeOf } from "@wcs/conformance/report/ExitCode"
import { ofAll } from "@wcs/conformance/report/Repetition"
import type { Report } from "@wcs/conformance/report/Report"
import { commandLine } from "../CommandLine.ts"
import { exchangeOf } from "../Exchanges.ts"
import { redRun } from "../fixtures/RedRun.ts"
import { reported } from "../fixtures/Rendered.ts"

type Ending = Extract<Event, { readonly type: "run-ended" }>["ending"]

const finding = (rule: Finding["rule"], outcome: Finding["outcome"], more: Partial<Finding> = {}): Finding => ({
  ...{ rule, outcome, walk: "a/b", differences: [], exchanges: [1] },
  ...more
})

const pass = finding("OWN-04", "pass")
const fail = finding("OWN-04", "fail", {
  differences: [{ kind: "status", exchange: 1, at: "status", expected: 409, actual: 200 }]
})
const blocked = finding("OWN-04", "blocked", { reason: "needs a second tenant" })

/** The reports of runs with these findings, and a rule that passes each time. */
const runsOf = (...found: readonly [ReadonlyArray<Finding>, ...ReadonlyArray<ReadonlyArray<Finding>>]) => {
  const [first, ...others] = found.map((some, index) => runOf(some, index))
  return [first ?? assert.fail(), ...others] as const
}

const runOf = (found: ReadonlyArray<Finding>, index: number, ending: Ending = { as: "finished" }): Report => {
  const [started] = redRun
  return reported([
    ...(started?.type === "run-started"
      ? [{ ...started, run: `r${index}`, only: ["OWN-04", "AUT-04", "SIL-04"] }]
      : []),
    { type: "exchange", exchange: exchangeOf({}) },
    ...[...found, finding("AUT-04", "pass")].map((one): Event => ({ type: "finding", finding: one })),
    { type: "run-ended", endedAt: 1_700_000_000_000 + index, ending }
  ])
}

const ruleIn = ({ rules }: Report, id = "OWN-04") => rules.find((rule) => rule.id === id)

describe("several runs", () => {
  it("have the common verdict when all agree", () => {
    for (const [found, code] of [
      [pass, 0],
      [fail, 1],
      [blocked, 4]
    ] as const) {
      const reports = runsOf([found], [found], [found])
      const all = ofAll(reports)
      assert.deepStrictEqual(all.rules, reports[0].rules)
      assert.deepStrictEqual([exitCodeOf(all), all.counts.requests], [code, 3])
      assert.isTrue(all.headline.startsWith("in 3 runs judged "), all.headline)
      assert.deepStrictEqual(
        all.header.repeats?.map(({ run }) => run),
        ["r0", "r1", "r2"]
      )
    }
  })

  it("are inconclusive about a rule with different verdicts, and list them", () => {
    const all = ofAll(runsOf([pass], [fail], [pass]))
    const reason = "different verdicts: passed in run 1, 3; failed (status: expected 409, got 200) in run 2"
    assert.deepStrictEqual([ruleIn(all)?.verdict, ruleIn(all)?.reasons], ["inconclusive", [reason]])
    assert.strictEqual(ruleIn(all, "AUT-04")?.verdict, "pass")
    assert.deepStrictEqual([exitCodeOf(all), all.counts.MUST.inconclusive], [4, 1])
    assert.include(all.headline, "1 inconclusive")
    for (const text of [terminal(all, { color: false }), junit(all), markdown(all)]) assert.include(text, reason)
    const others = ofAll(runsOf([fail], [blocked]))
    assert.deepStrictEqual(ruleIn(others)?.reasons, [
      "different verdicts: failed (status: expected 409, got 200) in run 1; blocked (needs a second tenant) in run 2"
    ])
  })

  it("have a fault of the suite when one of them has", () => {
    const all = ofAll(runsOf([pass], [finding("OWN-04", "error", { reason: "x is undefined" })]))
    assert.deepStrictEqual([ruleIn(all)?.verdict, exitCodeOf(all)], ["error", 5])
  })

  it("combine all observations", () => {
    const observing = (observed: Finding["observed"]) => finding("SIL-04", "observed", { observed: observed ?? null })
    const all = ofAll(runsOf([observing("null")], [observing("{}")], [observing("null")]))
    assert.deepStrictEqual(
      all.observations.map(({ observed, rule }) => [rule, observed]),
      [["SIL-04", ["null", "{}"]]]
    )
    assert.strictEqual(ruleIn(all, "SIL-04")?.verdict, "observed")
  })

  it("have the ending of the last run, but not its verdicts when that run did not finish", () => {
    const cut = runOf([blocked], 1, { as: "interrupted" })
    const all = ofAll([runOf([pass], 0), cut])
    assert.deepStrictEqual([ruleIn(all)?.verdict, exitCodeOf(all)], ["pass", 130])
    assert.isTrue(all.headline.startsWith("interrupted: in 2 runs judged "))
    const alone = runOf([pass], 0)
    assert.strictEqual(ofAll([alone]), alone)
  })
})

describe("wcs-conformance run --repeat", () => {
  it("accepts only a valid number of runs", async () => {
    for (const times of ["0", "101", "-1", "two"]) {
      const { code, told } = await commandLine(["run", "--repeat", times])
      assert.strictEqual(code, 2, times)
      assert.include(told, "repeat")
    }
  })
})
