import { assert, describe, it } from "@effect/vitest"
import type { RuleId } from "@wcs/conformance/catalogue/Catalogue"
import { judge as judgeOverSockets } from "@wcs/conformance/engine/Conformance"
import type { Event } from "@wcs/conformance/evidence/Event"
import { storyOf } from "@wcs/conformance/judgement/Difference"
import type { Finding } from "@wcs/conformance/judgement/Finding"
import type { Profile } from "@wcs/conformance/profile/Profile"
import { NoAnswer } from "@wcs/conformance/wire/Wire"
import type { Serve } from "@wcs/specimen/target/Serve"
import { findingsOf, judge } from "@wcs/specimen/target/Target"
import { Effect, Stream } from "effect"
import { served } from "../command/Served.ts"
import { brokenWhile, faultsOf, type Specimen, started } from "../Specimen.ts"
import { losing } from "./Losing.ts"

const raceRules: ReadonlySet<RuleId> = new Set<RuleId>(["OWN-17", "OWN-18", "OWN-19", "OWN-23"])
const allRules: ReadonlySet<RuleId> = new Set<RuleId>([...raceRules, "OWN-21"])

const within =
  (run: Profile["run"]) =>
  (profile: Profile): Profile => ({ ...profile, run: { ...profile.run, ...run } })

/** The findings of rules on a server with another transport. */
const findingsOn = Effect.fnUntraced(function* (specimen: Specimen, rules: ReadonlySet<RuleId>) {
  return findingsOf(yield* judge(yield* started(specimen), rules)).filter(({ rule }) => rules.has(rule))
}, Effect.scoped)

const told = ({ outcome, rule, walk }: Finding): string => `${rule} ${walk} ${outcome}`

const ill = (findings: ReadonlyArray<Finding>): ReadonlyArray<string> =>
  findings.filter(({ outcome }) => outcome === "fail" || outcome === "error").map(told)

const unlocked = faultsOf("OWN-17", "the slot is not locked")

/** Rounds of the test over sockets. */
const rounds = 100

describe("concurrent calls", () => {
  it.live(
    "OWN-17: the suite detects a server that checks a slot 2 ms before it sets the slot, and prints a timeline",
    () =>
      Effect.gen(function* () {
        const { environment, profile } = yield* served({ hit: brokenWhile(() => true, ...unlocked) })
        const events: Array<Event> = []
        yield* judgeOverSockets({ profile: within({ rounds })(profile), environment, only: new Set(["OWN-17"]) }).pipe(
          Stream.runForEach((event) => Effect.sync(() => void events.push(event)))
        )
        const [found] = findingsOf(events).filter(({ rule }) => rule === "OWN-17")
        assert.strictEqual(found?.outcome, "fail")
        const story = (found?.differences ?? []).flatMap((difference) => storyOf(difference) ?? [])
        assert.match(story[0] ?? "", /^round \d+: c1 belongs to [wa]1 alone$/)
        assert.match(story[1] ?? "", /^\|-+\| +#\d+ link [wa]\d: 200$/)
        assert.match(story[2] ?? "", /^ +\|-+\| +#\d+ link [wa]\d: 200$/)
        const [, wrong, judged] = /^wrong in (\d+) of (\d+) rounds$/.exec(story.at(-1) ?? "") ?? []
        assert.isAbove(Number(judged), rounds * 0.9, "rounds in which the calls overlapped")
        assert.isAbove(Number(wrong), rounds * 0.5, "rounds in which both links won")
      }).pipe(Effect.scoped),
    480_000
  )

  it.live("OWN-17, OWN-18, OWN-19, OWN-23: pass when responses are delayed", () =>
    Effect.gen(function* () {
      const late =
        (serve: Serve): Serve =>
        (request) =>
          Effect.delay(serve(request), 200)
      const specimen = { rewrite: late, profile: within({ rounds: 3 }) }
      const findings = yield* findingsOn(specimen, raceRules)
      assert.isTrue(findings.every(({ outcome }) => outcome === "pass"))
    })
  )

  it.live("OWN-17 to OWN-19, OWN-21, OWN-23: do not fail when responses are lost", () =>
    Effect.gen(function* () {
      const findings = yield* findingsOn({ rewrite: losing(20, 1) }, allRules)
      assert.deepStrictEqual(ill(findings), [])
    })
  )

  it.live("OWN-17 to OWN-19, OWN-21, OWN-23: have no verdict when every ownership call is lost", () =>
    Effect.gen(function* () {
      const rewrite =
        (serve: Serve): Serve =>
        (request) =>
          /\/(?:link|unlink|transfer)$/.test(request.url)
            ? Effect.fail(new NoAnswer({ silence: "reset", detail: "lost" }))
            : serve(request)
      const findings = yield* findingsOn({ rewrite, profile: within({ rounds: 2 }) }, allRules)
      assert.isTrue(findings.some(({ outcome, rule }) => rule === "OWN-21" && outcome === "inconclusive"))
      // a call that is lost each time is judged where it is sent alone
      for (const finding of findings.filter(({ walk }) => !walk.startsWith("ownership/twice-at-once"))) {
        assert.include(["inconclusive", "blocked"], finding.outcome, told(finding))
      }
    })
  )

  it.live("OWN-17: is inconclusive, never passed, when a limit of requests lets no calls overlap", () =>
    Effect.gen(function* () {
      const findings = yield* findingsOn({ profile: within({ rounds: 1, requestsPerSecond: 20 }) }, new Set(["OWN-17"]))
      assert.deepStrictEqual([...new Set(findings.map(({ outcome }) => outcome))], ["inconclusive"])
    })
  )

  it.live("OWN-17 to OWN-19, OWN-21, OWN-23: have the same findings in every run", () =>
    Effect.gen(function* () {
      const once = Effect.map(findingsOn({}, allRules), (findings) => findings.map(told).toSorted())
      const first = yield* once
      assert.deepStrictEqual(yield* once, first)
      assert.isTrue(first.every((one) => one.endsWith(" pass")))
    })
  )
})
