import { assert, describe, it } from "@effect/vitest"
import type { RuleId } from "@wcs/conformance/catalogue/Catalogue"
import { everyExchangeWalk } from "@wcs/conformance/engine/EveryExchangeFindings"
import type { Event } from "@wcs/conformance/evidence/Event"
import { rulesOf } from "@wcs/conformance/judgement/Walk"
import { walks } from "@wcs/conformance/walks/Walks"
import { findingsOf, judge } from "@wcs/specimen/target/Target"
import { Effect } from "effect"
import { eventsOf, reportIn } from "../Recorded.ts"
import { started } from "../Specimen.ts"

/** The rules of the walks that try every call of every group. */
const rules = new Set(walks.filter(({ name }) => /^(places|privileges)\//.test(name)).flatMap(rulesOf))

/** The places at which walks judged a rule, with the outcome, and the reason of another one than a pass. */
const judgedAt = (events: ReadonlyArray<Event>, rule: RuleId): ReadonlyArray<string> => {
  const own = findingsOf(events).filter((finding) => finding.rule === rule && finding.walk !== everyExchangeWalk)
  const found = own.flatMap(({ outcome, places = [], reason = "" }) => [
    `${outcome} ${reason}`,
    ...places.map((place) => `${outcome} at ${place}`)
  ])
  // a run of PRV-02 alone does not try the batch of fetch requests
  return [...new Set(found)].filter((place) => !place.includes("/fetch-requests/batch")).sort()
}

const requestsIn = (events: ReadonlyArray<Event>): number => events.filter(({ type }) => type === "exchange").length

describe("a run of selected rules", () => {
  it.live("judges each at every place of a full run", () =>
    Effect.gen(function* () {
      const target = yield* started()
      const all = yield* judge(target)
      for (const rule of rules) {
        const some = yield* judge(target, new Set([rule]))
        assert.deepStrictEqual(judgedAt(some, rule), judgedAt(all, rule), rule)
      }
    }).pipe(Effect.scoped)
  )

  it.live("reports no other rule, and sends no calls that only others need", () =>
    Effect.gen(function* () {
      const target = yield* started()
      const one = yield* eventsOf(target, { only: new Set(["AUT-05"] as const) })
      const two = yield* eventsOf(target, { only: new Set(["AUT-05", "AUT-04"] as const) })
      const judged = reportIn(one).rules.filter(({ verdict }) => verdict !== "unchecked" && verdict !== "elsewhere")
      assert.deepStrictEqual(
        judged.map(({ id, verdict }) => `${id} ${verdict}`),
        ["AUT-05 pass"]
      )
      assert.isBelow(requestsIn(one), requestsIn(two))
    }).pipe(Effect.scoped)
  )
})
