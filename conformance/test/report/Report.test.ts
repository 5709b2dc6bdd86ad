import { assert, describe, it } from "@effect/vitest"
import { requestsLack } from "@wcs/conformance/engine/Selection"
import { verdicts } from "@wcs/conformance/engine/Verdict"
import type { Event } from "@wcs/conformance/evidence/Event"
import { json } from "@wcs/conformance/formats/Json"
import { terminal } from "@wcs/conformance/formats/Terminal"
import type { Finding } from "@wcs/conformance/judgement/Finding"
import { withBaseline } from "@wcs/conformance/report/Baseline"
import { exitCodeOf, exitCodes } from "@wcs/conformance/report/ExitCode"
import { Report } from "@wcs/conformance/report/Report"
import { reportOf } from "@wcs/conformance/report/Reporting"
import { Schema } from "effect"
import fc from "fast-check"
import { redBaseline, redRules, redRun } from "../fixtures/RedRun.ts"
import { reported } from "../fixtures/Rendered.ts"

const started = (only: ReadonlyArray<string> | null = null): Event => ({
  ...{ type: "run-started", run: "r1", suiteVersion: "0", catalogueDigest: "0", profile: "p", deployment: {} },
  ...{ target: "https://tenant.example", ceiling: "mutate-own", startedAt: 0, walks: [], only }
})

type Short = Partial<Finding> & Pick<Finding, "rule" | "outcome">

const found = (...findings: ReadonlyArray<Short>): ReadonlyArray<Event> =>
  findings.map((finding) => ({
    type: "finding",
    finding: { walk: "area/what", differences: [], exchanges: [], ...finding }
  }))

type Ending = Extract<Event, { readonly type: "run-ended" }>["ending"]

const ended = (ending: Ending = { as: "finished" }): Event => ({ type: "run-ended", endedAt: 5, ending })

const run = (findings: ReadonlyArray<Event>, ending?: Ending, only: ReadonlyArray<string> | null = null) =>
  reported([started(only), ...findings, ended(ending)])

const verdictOf = (report: Report, id: string) => report.rules.find((rule) => rule.id === id)?.verdict

describe("the report", () => {
  it("has every verdict and every rule once in the red run", () => {
    const report = withBaseline(reported(redRun), redBaseline, "2026-12-31")
    assert.sameMembers([...new Set(report.rules.map(({ verdict }) => verdict))], [...verdicts])
    assert.deepStrictEqual(
      report.rules.map(({ id }) => id),
      redRules.map(({ id }) => id)
    )
  })

  it("matches its schema and survives its JSON", () => {
    const report = reported(redRun)
    assert.deepStrictEqual(Schema.decodeUnknownSync(Schema.fromJsonString(Report))(json(report)), report)
  })

  it("distinguishes rules that are kept elsewhere, unchecked and not selected", () => {
    const report = run(found({ rule: "OWN-04", outcome: "pass" }), { as: "finished" }, ["OWN-04", "EVT-01"])
    const told = (id: string) =>
      report.rules.filter((rule) => rule.id === id).map(({ reasons, verdict }) => [verdict, ...reasons])
    assert.deepStrictEqual(told("OAU-21"), [["elsewhere", "kept by the client library and judged there"]])
    assert.deepStrictEqual(told("EVT-01"), [["unchecked", "not checked by this release"]])
    assert.deepStrictEqual(told("RID-02"), [["unchecked", "not selected for this run"]])
    assert.deepStrictEqual(told("OWN-04"), [["pass"]])
  })

  it("uses the worst finding of a rule with its reasons", () => {
    const report = run(
      found(
        { rule: "OWN-04", outcome: "pass" },
        { rule: "OWN-04", outcome: "blocked", reason: "needs second tenant", lacks: ["second tenant"] },
        { rule: "OWN-04", outcome: "not-applicable", reason: "not offered" }
      )
    )
    const [rule] = report.rules.filter(({ id }) => id === "OWN-04")
    assert.deepStrictEqual(
      [rule?.verdict, rule?.reasons, rule?.lacks],
      ["blocked", ["needs second tenant"], ["second tenant"]]
    )
    assert.strictEqual(rule?.findings.length, 3)
  })

  it("keeps the verdict of a rule that passed at some places before the run's requests ended, and names the rest", () => {
    const lacks = [requestsLack]
    const some = found(
      { rule: "OWN-04", outcome: "pass", places: ["POST /credentials/{id}/link by an OAuth token"] },
      {
        rule: "OWN-04",
        outcome: "blocked",
        reason: "the run has used all of its 9 requests",
        lacks,
        walk: "area/more"
      },
      { rule: "BLK-08", outcome: "blocked", reason: "the run has used all of its 9 requests", lacks }
    )
    const report = run(some)
    const told = (id: string) => report.rules.find((rule) => rule.id === id)
    assert.deepStrictEqual(
      [told("OWN-04")?.verdict, told("OWN-04")?.reasons, told("OWN-04")?.lacks],
      ["pass", ["passed at 1 place; the run has used all of its 9 requests; not judged to the end: area/more"], lacks]
    )
    assert.strictEqual(verdictOf(report, "BLK-08"), "blocked")
    assert.match(report.headline, /: 1 passed, 0 failed, 1 passed at some of their places only; 1 blocked/)
    assert.strictEqual(exitCodeOf(run(some.slice(0, 2))), exitCodes.unjudged)
    assert.include(terminal(report, { color: false }), "PASS    passed at 1 place")
  })

  it("reports as warnings a broken SHOULD, and a MUST whose breach is only a warning", () => {
    const report = run(found({ rule: "AUT-06", outcome: "fail" }, { rule: "OWN-04", outcome: "warn" }))
    assert.strictEqual(verdictOf(report, "AUT-06"), "warn")
    assert.strictEqual(verdictOf(report, "OWN-04"), "warn")
  })

  it("keeps the exchanges of findings, and those that reproducing a failure needs", () => {
    const report = reported(redRun)
    const numbers = report.exchanges.map(({ number }) => number)
    assert.deepStrictEqual(numbers, [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
    const withoutFailure = redRun.filter(
      (event) => event.type !== "finding" || !["OWN-04", "ENV-09"].includes(event.finding.rule)
    )
    assert.notInclude(
      reported(withoutFailure).exchanges.map(({ number }) => number),
      3
    )
  })

  it("counts every rule once", () => {
    const { counts, rules } = reported(redRun)
    for (const level of ["MUST", "SHOULD", "MAY", "OBSERVE"] as const) {
      const sum = Object.values(counts[level]).reduce((left, right) => left + right, 0)
      assert.strictEqual(sum, rules.filter((rule) => rule.level === level).length)
    }
  })

  it("lists distinct observations", () => {
    const report = run(
      found(
        { rule: "SIL-04", outcome: "observed", observed: null },
        { rule: "SIL-04", outcome: "observed", observed: null },
        { rule: "SIL-04", outcome: "observed", observed: "" }
      )
    )
    assert.deepStrictEqual(report.observations, [
      { rule: "SIL-04", question: "How an empty slot is represented.", observed: [null, ""] }
    ])
  })

  it("is undefined when no run was started", () => {
    assert.isUndefined(reportOf([ended()]))
  })
})

describe("the headline", () => {
  it("counts the judged MUST rules and gives the reasons for the others", () => {
    assert.strictEqual(
      reported(redRun).headline,
      "judged 6 of 14 musts: 2 passed, 3 failed, 1 passed with a warning; 1 not judged because of a fault in the suite; " +
        "3 blocked: 1 needs plain-HTTP address, 1 second tenant, 1 the ceiling exhaust; 1 inconclusive; " +
        "1 not applicable (not offered: 1 rotated token); 2 unchecked in this release; 2 warnings; 2 observations"
    )
  })

  it("groups blocked rules by need, largest group first", () => {
    const blocked = (rule: Finding["rule"], ...lacks: ReadonlyArray<string>): Short => ({
      ...{ rule, outcome: "blocked", lacks },
      reason: "why"
    })
    const report = run(
      found(
        { rule: "OAU-01", outcome: "pass" },
        blocked("TRN-02", "plain-HTTP address"),
        blocked("TRN-05", "second tenant"),
        blocked("OWN-04", "second tenant"),
        blocked("ENV-09", "limited tokens", "write paths"),
        blocked("CRD-05")
      ),
      { as: "interrupted" }
    )
    assert.strictEqual(
      report.headline,
      "interrupted: judged 1 of 14 musts: 1 passed, 0 failed; 5 blocked: 2 need second tenant, 1 plain-HTTP address, " +
        "1 limited tokens and write paths, 1 for another reason; 8 unchecked in this release"
    )
  })

  it("names every need that is declared as not offered", () => {
    const notOffered = (rule: Finding["rule"], lack: string): Short => ({
      ...{ rule, outcome: "not-applicable", lacks: [lack] },
      reason: `not offered: ${lack}`
    })
    const report = run(
      found(
        { rule: "OAU-01", outcome: "pass" },
        notOffered("TRN-05", "second tenant"),
        notOffered("TRN-06", "second tenant")
      ),
      { as: "finished" },
      ["OAU-01", "TRN-05", "TRN-06"]
    )
    assert.strictEqual(
      report.headline,
      "judged 1 of 14 musts: 1 passed, 0 failed; 1 not applicable (not offered: 1 second tenant); " +
        "1 more not applicable (not offered: 1 second tenant); 12 not selected"
    )
  })

  it("has only the reason when the deployment was not reached", () => {
    const report = run([], { as: "unreachable", sentence: "https://tenant.example did not answer (refused)" })
    assert.strictEqual(report.headline, "judged nothing: https://tenant.example did not answer (refused)")
  })

  it("counts unselected rules and unchecked rules separately", () => {
    const report = run(found({ rule: "OAU-01", outcome: "pass" }), { as: "finished" }, ["OAU-01", "EVT-01"])
    assert.strictEqual(
      report.headline,
      "judged 1 of 14 musts: 1 passed, 0 failed; 1 unchecked in this release; 12 not selected"
    )
  })

  it("counts every MUST for any findings", () =>
    fc.assert(
      fc.property(runs, (findings) => {
        const { headline, rules } = run(found(...findings))
        const musts = rules.filter(({ level, verdict }) => level === "MUST" && verdict !== "elsewhere").length
        const numbers = [
          ...[/: (\d+) passed, (\d+) failed(?:, (\d+) passed with)?/, /; (\d+) not judged/, /; (\d+) blocked/],
          ...[/; (\d+) inconclusive/, /; (\d+) not applicable/, /; (\d+) unchecked/, /, (\d+) observed only/]
        ].flatMap((part) => part.exec(headline)?.slice(1) ?? [])
        const sum = numbers.reduce((total, text) => total + Number(text ?? 0), 0)
        assert.include(headline, ` of ${musts} musts`)
        assert.strictEqual(sum, musts, headline)
      })
    ))
})

const outcomes = ["pass", "fail", "warn", "blocked", "inconclusive", "not-applicable", "error"] as const
const judgeable = redRules.filter(({ judged }) => judged !== "elsewhere" && judged !== "observation")
const runs = fc
  .array(fc.record({ rule: fc.nat(judgeable.length - 1), outcome: fc.constantFrom(...outcomes) }), { maxLength: 30 })
  .map((all) =>
    all.flatMap(({ outcome, rule }): ReadonlyArray<Short> => {
      const { id } = judgeable[rule] ?? {}
      return ids.flatMap((one) => (one === id ? [{ rule: one, outcome }] : []))
    })
  )
const ids = [
  "TRN-02",
  "TRN-05",
  "TRN-06",
  "LEG-01",
  "OAU-01",
  "AUT-04",
  "AUT-06",
  "AUT-11",
  "RID-02",
  "ENV-04"
] as const

describe("the exit code", () => {
  const code = (findings: ReadonlyArray<Short>, ending?: Ending, failOn?: "must" | "should") =>
    exitCodeOf(run(found(...findings), ending), failOn)
  const pass: Short = { rule: "OAU-01", outcome: "pass" }
  const table: ReadonlyArray<readonly [what: string, actual: () => number, expected: number]> = [
    ["all that was judged passed", () => code([pass]), 0],
    ["a MUST failed", () => code([pass, { rule: "OWN-04", outcome: "fail" }]), 1],
    [
      "a MUST failed beside one that is blocked",
      () =>
        code([
          { rule: "OWN-04", outcome: "fail" },
          { rule: "TRN-02", outcome: "blocked" }
        ]),
      1
    ],
    ["a should is broken", () => code([pass, { rule: "AUT-06", outcome: "fail" }]), 0],
    [
      "a should is broken, and that was asked for",
      () => code([pass, { rule: "AUT-06", outcome: "fail" }], undefined, "should"),
      1
    ],
    ["a MUST is blocked", () => code([pass, { rule: "TRN-02", outcome: "blocked" }]), 4],
    ["a MUST is inconclusive", () => code([pass, { rule: "TRN-02", outcome: "inconclusive" }]), 4],
    ["a should is blocked", () => code([pass, { rule: "TRN-06", outcome: "blocked" }]), 0],
    ["a MUST does not apply", () => code([pass, { rule: "AUT-11", outcome: "not-applicable" }]), 0],
    ["nothing was judged", () => code([]), 4],
    ["nothing applies", () => code([{ rule: "AUT-11", outcome: "not-applicable" }]), 4],
    ["something was only observed", () => code([{ rule: "SIL-04", outcome: "observed" }]), 4],
    [
      "the suite failed",
      () =>
        code([
          { rule: "OWN-04", outcome: "fail" },
          { rule: "ENV-04", outcome: "error" }
        ]),
      5
    ],
    ["the deployment was not reached", () => code([], { as: "unreachable", sentence: "no" }), 3],
    ["the run was interrupted", () => code([{ rule: "OWN-04", outcome: "fail" }], { as: "interrupted" }), 130],
    ["the run broke off", () => exitCodeOf(reported([started(), ...found(pass)])), 5]
  ]
  for (const [what, actual, expected] of table) it(`${expected}: ${what}`, () => assert.strictEqual(actual(), expected))

  it("is 0 only when a rule passed and no MUST failed, is blocked or inconclusive", () =>
    fc.assert(
      fc.property(runs, fc.constantFrom("must", "should"), (findings, failOn) => {
        const report = run(found(...findings))
        const musts = new Set<string>(
          report.rules.filter(({ level }) => level === "MUST").map(({ verdict }) => verdict)
        )
        const all = new Set(report.rules.map(({ verdict }) => verdict))
        const isGreen =
          (all.has("pass") || all.has("warn")) &&
          !all.has("error") &&
          !["fail", "blocked", "inconclusive"].some((verdict) => musts.has(verdict)) &&
          !(failOn === "should" && all.has("warn"))
        assert.strictEqual(exitCodeOf(report, failOn) === exitCodes.passed, isGreen)
      })
    ))
})
