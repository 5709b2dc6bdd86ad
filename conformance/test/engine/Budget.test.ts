import { assert, describe, it } from "@effect/vitest"
import { affordable } from "@wcs/conformance/engine/Budget"
import { chooseAll } from "@wcs/conformance/engine/Selection"
import { block, judge } from "@wcs/conformance/judgement/Judge"
import { type Walk, walk } from "@wcs/conformance/judgement/Walk"
import { recordedCounts } from "@wcs/conformance/release/Counts"
import { walks } from "@wcs/conformance/walks/Walks"
import { Effect } from "effect"
import * as fc from "fast-check"
import { keeping, profile, runOver } from "../Invented.ts"

const about = (name: string, judges: Walk["judges"]): Walk =>
  walk({ name, judges, impact: "read", needs: [] })(block("is not run"))

const namesOf = (chosen: ReadonlySet<Walk>): ReadonlyArray<string> => [...chosen].map(({ name }) => name)

describe("affordable", () => {
  const many = about("many", ["WRK-03", "WRK-04", "WRK-11"])
  const same = about("same", ["WRK-03", "WRK-04"])
  const one = about("one", ["CRD-01"])
  const silent = about("silent", ["SIL-01"])
  const requests = { many: 10, same: 5, one: 20, silent: 1 }

  it("chooses most rules per request first, then further walks about judged rules, and never silences", () => {
    assert.deepStrictEqual(namesOf(affordable([silent, one, same, many], 28 + 15, requests)), ["same", "many"])
    assert.deepStrictEqual(namesOf(affordable([silent, one, same, many], 28 + 10, requests)), ["same"])
    assert.deepStrictEqual(namesOf(affordable([silent, one, same, many], 1000, requests)), ["same", "one", "many"])
  })
  it("never chooses walks with more requests than the budget", () => {
    const figures = recordedCounts().requests
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 5000 }), (budget) => {
        const cost = [...affordable(walks, budget, figures)].reduce((sum, { name }) => sum + (figures[name] ?? 30), 0)
        assert.isAtMost(cost, Math.max(0, budget - 28))
      }),
      { seed: 1, numRuns: 50 }
    )
  })
  it("has a figure of every walk that needs no more than our profile has, and none of other walks", () => {
    const names = walks.map(({ name }) => name)
    const recorded = Object.keys(recordedCounts().requests)
    assert.deepStrictEqual(
      recorded.filter((name) => !names.includes(name) && !["preflight", "tokens"].includes(name)),
      []
    )
    assert.isAbove(recorded.length, names.length * 0.9)
  })
})

describe("a run with a budget", () => {
  const passing = walk({ name: "cheap", judges: ["WRK-11"], impact: "read", needs: [] })(judge("WRK-11", [], []))
  // a walk without a figure counts as thirty requests
  const costly = walk({ name: "costly", judges: ["WRK-11", "WRK-03"], impact: "read", needs: [] })(
    Effect.andThen(judge("WRK-11", [], []), judge("WRK-03", [], []))
  )
  const small = { ...profile, run: { budget: 60 } }

  it.effect("blocks only rules that no chosen walk judges, with the budget as the reason", () =>
    Effect.gen(function* () {
      const { events, findings } = yield* runOver({ ...keeping(), walks: [passing, costly], profile: small })
      assert.deepStrictEqual(
        findings.map(({ outcome, rule }) => `${rule} ${outcome}`),
        ["WRK-11 pass", "WRK-03 pass"]
      )
      assert.deepInclude(events[0], { type: "run-started", walks: ["costly"] })
      const tiny = yield* runOver({ ...keeping(), walks: [passing], profile: { ...profile, run: { budget: 20 } } })
      assert.deepInclude(tiny.findings[0], { outcome: "blocked", lacks: ["a larger budget"] })
    })
  )
  it("runs every walk without a budget", () => {
    assert.deepStrictEqual(
      [...chooseAll([passing, costly], profile).values()].map(({ as }) => as),
      ["made", "made"]
    )
  })
})
