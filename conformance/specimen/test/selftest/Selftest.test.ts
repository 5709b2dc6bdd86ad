import { assert, describe, it } from "@effect/vitest"
import { recordedCounts } from "@wcs/conformance/release/Counts"
import { areaOf, faults } from "@wcs/specimen/faults/Faults"
import { type Fault, killBy, row } from "@wcs/specimen/faults/Rows"
import { complaintsAbout, holesIn, worsenings } from "@wcs/specimen/selftest/Complaints"
import { declaredMatrix } from "@wcs/specimen/selftest/DeclaredMatrix"
import { judgeAll } from "@wcs/specimen/selftest/Jobs"
import { judgedRules } from "@wcs/specimen/selftest/Judged"
import { rateOf } from "@wcs/specimen/selftest/KillRates"
import { withoutFault } from "@wcs/specimen/selftest/Selftest"
import { type Verdict, verdictOf } from "@wcs/specimen/selftest/Verdict"
import { Effect } from "effect"

/** Some tests run many walks, which is slow on a busy machine. */
const timeout = 300_000

/** Faults spread over all areas. The complete self-test judges the others. */
const sample: ReadonlyArray<Fault> = [...Map.groupBy(faults, areaOf).values()].flatMap((own) =>
  [0.1, 0.45, 0.8].flatMap((part) => own[Math.floor(own.length * part)] ?? [])
)

const recorded = recordedCounts().secondServer
const missed = new Set(recorded.areas.flatMap(({ otherwise, survivors }) => [...otherwise, ...survivors]))

describe("the suite on the second server", () => {
  it.live(
    "raises no false alarm, judges every place, and sends as many requests as recorded",
    () =>
      Effect.gen(function* () {
        const { alarms, covered, requests } = yield* withoutFault
        assert.deepStrictEqual(alarms, [])
        assert.deepStrictEqual(
          covered.flatMap(({ missing, rule }) => missing.map((place) => `${rule} at ${place}`)),
          []
        )
        const { places, requests: before } = recordedCounts()
        assert.deepStrictEqual(Object.fromEntries(covered.map(({ of, rule }) => [rule, of])), places)
        // on a slow machine a limit is reset while it is exhausted, and exhausted again
        const { "rate-limits/exhaust": _, ...steady } = before
        const wrong = Object.entries(steady).flatMap(([walk, count]) => {
          const now = requests[walk] ?? 0
          return Math.abs(now - count) <= Math.max(12, count / 10) ? [] : [`${walk}: ${now}, not ${count}`]
        })
        assert.deepStrictEqual(wrong, [])
      }),
    timeout
  )

  it.live(
    "finds a sample of the faults as expected, except the recorded ones",
    () =>
      Effect.gen(function* () {
        const { faults: verdicts } = yield* judgeAll({ faults: sample })
        assert.isAtLeast(verdicts.length, 40)
        const others = verdicts.filter(({ as, name }) => as !== "expected" && !missed.has(name))
        assert.deepStrictEqual(others, [])
      }),
    timeout
  )

  it("has a recorded rate of the present faults", () => {
    const areas = Object.fromEntries(recorded.areas.map(({ area, faults: count }) => [area, count]))
    const present = Object.fromEntries([...Map.groupBy(faults, areaOf)].map(([area, own]) => [area, own.length]))
    assert.deepStrictEqual(areas, present)
    const names = new Set(faults.map(({ name }) => name))
    for (const name of missed) assert.isTrue(names.has(name), name)
    assert.deepStrictEqual(recorded.falseAlarms, [])
  })

  it("has a fault for every judged rule, and each rule is in the kill matrix", () => {
    assert.isAbove(judgedRules.length, 140)
    assert.deepStrictEqual(holesIn(faults), [])
    const killed = new Set(declaredMatrix().kills.map(({ rule }) => rule))
    assert.deepStrictEqual(
      judgedRules.filter((rule) => !killed.has(rule)),
      []
    )
  })
})

const expected = (fault: Fault): Verdict => ({
  name: fault.name,
  as: "expected",
  failing: [killBy(fault)],
  walks: 1,
  beside: [],
  errors: []
})

const survivor = (fault: Fault): Verdict => ({ ...expected(fault), as: "survivor", failing: [] })

describe("the complaints of the self-test", () => {
  const all = faults.map(expected)
  const best = rateOf(faults, all, [])
  const first = faults[0] ?? assert.fail()
  const complaintsWith = (verdict: Verdict, judged = faults) => {
    const verdicts = [...all.slice(1), verdict]
    return complaintsAbout(judged, verdicts, rateOf(judged, verdicts, []), best)
  }

  it("are none when every fault is found as expected, with any record", () => {
    assert.deepStrictEqual(complaintsAbout(faults, all, best, recorded), [])
    assert.strictEqual(best.found, faults.length)
  })

  it("name a new survivor, a fault that is found otherwise now, and a false alarm", () => {
    assert.deepStrictEqual(complaintsWith(survivor(first)), [`${first.name}: survives now`])
    assert.deepStrictEqual(complaintsWith({ ...expected(first), as: "otherwise" }), [
      `${first.name}: found otherwise now`
    ])
    assert.deepStrictEqual(worsenings(rateOf(faults, all, ["warn OWN-05"]), best), [
      "false alarm on the server without a fault: warn OWN-05"
    ])
  })

  it("name a new survivor also in an area whose number of faults changed", () => {
    const fewer = { ...best, areas: best.areas.map((area) => ({ ...area, faults: area.faults - 1 })) }
    const verdicts = faults.map((fault) => (fault === first ? survivor(fault) : expected(fault)))
    assert.deepStrictEqual(worsenings(rateOf(faults, verdicts, []), fewer), [`${first.name}: survives now`])
  })

  it("name a rule that no fault breaks, a declared kind that only others show, and a defect of the suite", () => {
    const alone = faults.find(({ rule }) => faults.filter((one) => one.rule === rule).length === 1) ?? assert.fail()
    const others = faults.map(
      (fault): Verdict => (fault === alone ? { ...expected(fault), as: "otherwise" } : expected(fault))
    )
    assert.includeMembers(
      [...complaintsAbout(faults, others, rateOf(faults, others, []), best)],
      [
        `${alone.rule}: no fault breaks it as expected, so nothing shows that it can fail`,
        `${killBy(alone)}: declared, but other kinds show the faults`
      ]
    )
    assert.deepStrictEqual(complaintsWith({ ...expected(first), errors: ["OWN-01: a reason"] }), [
      `${first.name}: the suite failed at OWN-01: a reason`
    ])
  })

  it("come from the failing rule and the kind of its differences", () => {
    const [fault] = row("OWN-04 status", "a point")
    if (fault === undefined) return assert.fail()
    const difference = { kind: "status", exchange: 1, at: "status", expected: 1, actual: 2 } as const
    const found = { rule: "OWN-04", walk: "any", outcome: "fail", differences: [difference], exchanges: [1] } as const
    assert.strictEqual(verdictOf(fault, [found], 1).as, "expected")
    const other = { ...found, differences: [{ ...difference, kind: "changed" }] } as const
    assert.strictEqual(verdictOf(fault, [other], 1).as, "otherwise")
    assert.strictEqual(verdictOf(fault, [{ ...found, rule: "OWN-21" }], 1).as, "otherwise")
    const warned = verdictOf(fault, [{ ...found, outcome: "warn" }], 1)
    assert.deepStrictEqual([warned.as, warned.beside], ["survivor", ["warn OWN-04"]])
  })
})
