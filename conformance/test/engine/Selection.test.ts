import { assert, describe, it } from "@effect/vitest"
import { planOf, unlockLines } from "@wcs/conformance/engine/Plan"
import { choose } from "@wcs/conformance/engine/Selection"
import { judge, lackNeed } from "@wcs/conformance/judgement/Judge"
import { type Walk, walk } from "@wcs/conformance/judgement/Walk"
import { impacts } from "@wcs/conformance/profile/Impact"
import { initialProfile } from "@wcs/conformance/profile/InitialProfile"
import type { NeedName } from "@wcs/conformance/profile/Need"
import type { Profile } from "@wcs/conformance/profile/Profile"
import { namesOf, secretsOf } from "@wcs/conformance/profile/Secrets"
import { walks } from "@wcs/conformance/walks/Walks"
import { Effect, Redacted } from "effect"
import { keeping, profile, runOver } from "../Invented.ts"

const walkOf = (needs: ReadonlyArray<NeedName>, more: Partial<Walk> = {}): Walk => ({
  ...walk({ name: "area/what", judges: ["WRK-03", "SIL-22"], impact: "read", needs })(judge("WRK-03", [], [])),
  ...more
})

const whole: Profile = { ...profile, secondTenant: { tenantBaseUrl: "https://two.example", admin: { token: "${B}" } } }

describe("the selection of a walk", () => {
  const told: ReadonlyArray<readonly [needs: ReadonlyArray<NeedName>, profile: Profile, choice: object]> = [
    [[], profile, { as: "made" }],
    [["second tenant"], whole, { as: "made" }],
    [["second tenant"], profile, { as: "blocked", reason: "needs second tenant", lacks: ["second tenant"] }],
    [
      ["second tenant", "expired token"],
      profile,
      { as: "blocked", reason: "needs second tenant, expired token", lacks: ["second tenant", "expired token"] }
    ],
    [
      ["second tenant", "expired token"],
      { ...profile, notOffered: ["expired token"] },
      { as: "not-applicable", reason: "not offered: expired token", lacks: ["expired token"] }
    ],
    // a declared feature is offered, even if notOffered lists it
    [["second tenant"], { ...whole, notOffered: ["second tenant"] }, { as: "made" }],
    // no profile meets a need of unchecked rules
    [["receiver"], whole, { as: "blocked", reason: "needs receiver", lacks: ["receiver"] }]
  ]
  for (const [needs, given, choice] of told) {
    it(`${needs.join(" and ") || "nothing needed"}: ${JSON.stringify(choice)}`, () => {
      assert.deepStrictEqual<object>(choose(walkOf(needs), given, "exhaust"), choice)
    })
  }
  it("selects every walk up to the ceiling and none above", () => {
    for (const [height, ceiling] of impacts.entries()) {
      for (const [reach, impact] of impacts.entries()) {
        const choice = choose(walkOf([], { impact }), profile, ceiling)
        const lacks = [`the ceiling ${impact}`]
        const reason = `needs the ceiling ${impact}; the profile allows ${ceiling}`
        assert.deepStrictEqual(choice, reach <= height ? { as: "made" } : { as: "blocked", reason, lacks })
      }
    }
  })
})

describe("a need that is found during a walk", () => {
  const lacking = walkOf([], {
    judges: ["TRN-01"],
    steps: lackNeed("TRN-01", "legacy user", "the 401 may be the legacy surface's own")
  })
  const foundBy = (given: Profile) =>
    Effect.map(runOver({ serve: keeping().serve, walks: [lacking], profile: given }), ({ findings }) => findings)

  it.effect("TRN-01: blocks, unless the profile declares it as not offered", () =>
    Effect.gen(function* () {
      const [blocked] = yield* foundBy(profile)
      assert.deepInclude(blocked, {
        ...{ outcome: "blocked", lacks: ["legacy user"] },
        reason: "needs legacy user: the 401 may be the legacy surface's own"
      })
      const [declared] = yield* foundBy({ ...profile, notOffered: ["legacy user"] })
      assert.deepInclude(declared, { outcome: "not-applicable", lacks: ["legacy user"] })
    })
  )
})

describe("a plan", () => {
  it("lists each unmet need once, with all blocked rules but no observations", () => {
    const some = [
      walkOf(["second tenant"], { judges: ["TRN-06", "SIL-01"] }),
      walkOf(["second tenant", "expired token"], { judges: ["TRN-05"] }),
      walkOf([], { judges: ["WRK-03"] })
    ]
    const { unmet, walks: planned } = planOf(some, { ...profile, notOffered: ["expired token"] })
    assert.deepStrictEqual(
      unmet.map(({ need, rules }) => [need, rules]),
      [["second tenant", ["TRN-05", "TRN-06"]]]
    )
    assert.deepStrictEqual(
      planned.map(({ choice }) => choice.as),
      ["blocked", "not-applicable", "made"]
    )
    const lines = unlockLines(unmet)
    assert.include(lines[0], "second tenant: ")
    assert.include(lines[0], "; unlocks TRN-05 TRN-06")
    assert.match(lines[1] ?? "", /^ {4}"secondTenant": /)
  })
  it("has nothing to unlock when the profile meets every need", () => {
    const met = planOf([walkOf(["second tenant"])], whole)
    assert.deepStrictEqual([met.unmet, unlockLines(met.unmet)], [[], []])
  })
  it("has lines for every need when the profile has only an OAuth client", () => {
    const { unmet } = planOf(walks, initialProfile("https://one.example", "x"))
    assert.isAbove(unmet.length, 10)
    for (const { lines, need, rules, text } of unmet) {
      assert.isNotEmpty(lines, need)
      assert.notStrictEqual(text, need)
      assert.isNotEmpty(rules, need)
    }
  })
})

describe("a profile with only an OAuth client", () => {
  it("selects every walk without further needs", () => {
    const made = planOf(walks, initialProfile("https://one.example", "x")).walks.filter(
      ({ choice }) => choice.as === "made"
    )
    assert.isAbove(made.length, 15)
  })
  it.effect("takes its secret from the environment, and names a missing variable before it sends anything", () =>
    Effect.gen(function* () {
      const given = initialProfile("https://one.example", "x")
      assert.deepStrictEqual(namesOf(given), ["CONF_CLIENT_SECRET"])
      const secrets = yield* secretsOf(given, { CONF_CLIENT_SECRET: "s", OTHER: "o" })
      assert.deepStrictEqual(
        [...secrets].map(([name, secret]) => [name, Redacted.value(secret)]),
        [["${CONF_CLIENT_SECRET}", "s"]]
      )
      for (const environment of [{}, { CONF_CLIENT_SECRET: "" }]) {
        const { message } = yield* Effect.flip(secretsOf(given, environment))
        assert.strictEqual(
          message,
          "the profile names environment variables that are not set: CONF_CLIENT_SECRET " +
            "(to enter one: read -rs CONF_CLIENT_SECRET; export CONF_CLIENT_SECRET)"
        )
      }
    })
  )
  it("finds the secrets in every part of a complete profile", () => {
    const named: Profile = {
      ...whole,
      principals: {
        admin: { oauth: { clientId: "${A}", clientSecret: "${B}" } },
        rotated: { old: "${C}", new: "${D}" },
        limited: [{ token: "${E}", reissued: "${F}", privileges: {} }],
        rateLimited: { token: "${A}" }
      }
    }
    assert.deepStrictEqual(namesOf(named), ["A", "B", "C", "D", "E", "F"])
  })
})
