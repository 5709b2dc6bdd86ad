import { assert, describe, it } from "@effect/vitest"
import { rejudge } from "@wcs/conformance/engine/Rejudging"
import type { Event } from "@wcs/conformance/evidence/Event"
import type { Recorded } from "@wcs/conformance/evidence/Recorded"
import type { Profile } from "@wcs/conformance/profile/Profile"
import { compare, isSame } from "@wcs/conformance/report/Comparison"
import { exitCodeOf } from "@wcs/conformance/report/ExitCode"
import type { Report } from "@wcs/conformance/report/Report"
import { exchangeRules, walks } from "@wcs/conformance/walks/Walks"
import type { Exchange } from "@wcs/conformance/wire/Exchange"
import { hitOf } from "@wcs/specimen/faults/Hits"
import { Deferred, Effect } from "effect"
import { eventsOf, recordedIn, reportIn } from "../Recorded.ts"
import { environmentOf, faultOf, started } from "../Specimen.ts"

const judgedAgain = (recorded: Recorded) => Effect.map(rejudge(recorded, { walks, exchangeRules }), reportIn)

/** All events of a run with a changed profile, and its secrets. */
const judgedWith = Effect.fnUntraced(function* (profile: (profile: Profile) => Profile) {
  const target = yield* started({ profile })
  return { events: yield* eventsOf(target), secrets: environmentOf(target.secrets) }
}, Effect.scoped)

const asItIs = (profile: Profile): Profile => profile

const textOf = (recorded: Recorded): string => JSON.stringify(recorded)

/** Rules about secrets or timing, whose faults only such exchanges show, and some others. */
const rules = [
  ...(["OAU-03", "OAU-12", "LEG-07", "LEG-29", "LEG-30", "LEG-31", "TRN-02", "TRN-10", "RTL-04"] as const),
  ...(["EVT-07", "EVT-08", "EVT-09", "EVT-10", "PRV-16", "PRV-17", "OWN-04", "OWN-21", "RID-07"] as const)
]

const verdictOf = ({ rules }: Report, id: string) => rules.find((rule) => rule.id === id)?.verdict

/** Replaces the status of an exchange that decides a rule. */
const withStatus = (recorded: Recorded, isIt: (exchange: Exchange) => boolean, status: number): Recorded => ({
  ...recorded,
  exchanges: recorded.exchanges.map((exchange) =>
    exchange.answer !== null && isIt(exchange) ? { ...exchange, answer: { ...exchange.answer, status } } : exchange
  )
})

describe("a recorded run", () => {
  it.live(
    "of a right deployment gives the same full report without its secrets; a changed status gives another",
    () =>
      Effect.gen(function* () {
        const { events, secrets } = yield* judgedWith(asItIs)
        const recorded = recordedIn(events)
        const [told, again] = [reportIn(events), yield* judgedAgain(recorded)]
        assert.deepStrictEqual(again, told)
        assert.isTrue(isSame(compare(told, again)))
        assert.isAbove(told.counts.requests, 1500)
        assert.isAbove(told.counts.MUST.pass, 140)
        assert.strictEqual(told.counts.MUST.fail, 0)
        const text = textOf(recorded)
        assert.deepStrictEqual(
          Object.values(secrets).filter((secret) => text.includes(secret)),
          []
        )

        const [finding] = told.rules.find(({ id }) => id === "OWN-04")?.findings ?? []
        const isRefused = ({ answer, number }: Exchange) =>
          finding?.exchanges.includes(number) === true && answer?.status === 409
        const altered = yield* judgedAgain(withStatus(recorded, isRefused, 200))
        assert.deepStrictEqual([verdictOf(told, "OWN-04"), verdictOf(altered, "OWN-04")], ["pass", "fail"])
        assert.deepStrictEqual([exitCodeOf(told), exitCodeOf(altered)], [0, 1])

        const asked = yield* judgedAgain(withStatus(recorded, ({ walk }) => walk === "tokens", 401))
        assert.deepStrictEqual([asked.header.ending.as, exitCodeOf(asked)], ["unreachable", 3])

        const lacking = { ...recorded, exchanges: recorded.exchanges.filter(({ walk }) => walk !== finding?.walk) }
        const blocked = (yield* judgedAgain(lacking)).rules.find(({ id }) => id === "OWN-04")
        assert.deepStrictEqual(
          [blocked?.verdict, blocked?.reasons],
          ["blocked", ["the evidence has no exchange for step 1 of the walk"]]
        )
      }),
    480_000
  )

  it.live(
    "of a broken deployment gives the same report, also for secrets and limits",
    () =>
      Effect.gen(function* () {
        for (const rule of rules) {
          // with a walk of another rule, so that there are exchanges for rules about every exchange
          const fault = faultOf(rule)
          const target = yield* started({ hit: hitOf(fault) })
          const events = yield* eventsOf(target, { only: new Set([rule, "OWN-02"] as const) })
          const [told, again] = [reportIn(events), yield* judgedAgain(recordedIn(events))]
          assert.deepStrictEqual(again, told, fault.name)
          assert.include(["fail", "warn"], verdictOf(told, rule), fault.name)
          const text = textOf(recordedIn(events))
          const secrets = Object.values(environmentOf(target.secrets))
          assert.isFalse(
            secrets.some((secret) => text.includes(secret)),
            fault.name
          )
        }
      }).pipe(Effect.scoped),
    480_000
  )

  it.live("with used-up requests is blocked at the same calls", () =>
    Effect.gen(function* () {
      const { events } = yield* judgedWith((profile) => ({ ...profile, run: { ...profile.run, requests: 300 } }))
      const told = reportIn(events)
      assert.isTrue(told.rules.some(({ reasons }) => reasons.includes("the run has used all of its 300 requests")))
      assert.deepStrictEqual(yield* judgedAgain(recordedIn(events)), told)
    })
  )

  // at the first of them, tokens and shared steps are awaited
  it.live.each([20, 60, 150, 400])("of a run that is interrupted after %i exchanges is partial too", (count) =>
    Effect.gen(function* () {
      const target = yield* started()
      const stop = yield* Deferred.make<void>()
      let exchanges = 0
      const told = (event: Event) => {
        if (event.type === "exchange") exchanges += 1
        return exchanges === count ? Effect.asVoid(Deferred.succeed(stop, undefined)) : Effect.void
      }
      const events = yield* eventsOf(target, { stop: Deferred.await(stop), told })
      const [one, again] = [reportIn(events), yield* judgedAgain(recordedIn(events))]
      assert.deepStrictEqual([one.header.ending.as, exitCodeOf(again)], ["interrupted", 130])
      assert.isTrue(one.rules.some(({ reasons }) => reasons.includes("the run was stopped before the rule was judged")))
      assert.deepStrictEqual(again, one)
    }).pipe(Effect.scoped)
  )
})
