import { assert, describe, it } from "@effect/vitest"
import { rejudge } from "@wcs/conformance/engine/Rejudging"
import type { Profile } from "@wcs/conformance/profile/Profile"
import { exchangeRules, walks } from "@wcs/conformance/walks/Walks"
import { isLost } from "@wcs/conformance/wire/Lost"
import { Effect } from "effect"
import { eventsOf, recordedIn, reportIn } from "../Recorded.ts"
import { started } from "../Specimen.ts"
import { losing } from "./Losing.ts"

const patient = (profile: Profile): Profile => ({ ...profile, run: { ...profile.run, requests: 50_000 } })

/** The reports of a run that loses this many of a thousand answers, and of its recording. */
const judged = Effect.fnUntraced(function* (perMille: number, seed: number) {
  const events = yield* eventsOf(yield* started({ rewrite: losing(perMille, seed), profile: patient }))
  const recorded = recordedIn(events)
  const again = reportIn(yield* rejudge(recorded, { walks, exchangeRules }))
  return { told: reportIn(events), again, lost: recorded.exchanges.filter(isLost) }
}, Effect.scoped)

const ill = ["fail", "warn", "error"]

describe("a deployment that loses answers", () => {
  it.live(
    "breaks no rule at 10 of 1000: at least 140 MUSTs still pass, and its recording gets the same verdicts",
    () =>
      Effect.gen(function* () {
        const { again, lost, told } = yield* judged(10, 3)
        assert.isNotEmpty(lost)
        const broken = told.rules.filter(({ verdict }) => ill.includes(verdict))
        assert.deepStrictEqual(
          broken.map(({ findings, id }) => ({ id, findings })),
          []
        )
        assert.isAtLeast(told.counts.MUST.pass, 140)
        assert.deepStrictEqual(again.rules, told.rules)
      }),
    480_000
  )
})
