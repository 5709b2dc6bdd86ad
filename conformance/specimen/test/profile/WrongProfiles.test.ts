import { assert, describe, it } from "@effect/vitest"
import type { Finding } from "@wcs/conformance/judgement/Finding"
import type { Profile } from "@wcs/conformance/profile/Profile"
import type { Specimen } from "@wcs/specimens/Specimen"
import * as Specimens from "@wcs/specimens/Specimens"
import { exhausts, findingsOf, judge } from "@wcs/specimens/selftest/Judging"
import { overreaches } from "@wcs/specimens/selftest/Matrix"
import { variants } from "@wcs/specimens/Variants"
import { withOneWebhookBody } from "@wcs/specimens/variants/DerivedReads"
import { Effect } from "effect"

const findingsOn = Effect.fnUntraced(function* (specimen: Specimen) {
  const start = yield* Specimens.make
  return findingsOf(yield* judge(yield* start(specimen, exhausts())))
}, Effect.scoped)

/** A profile without a second tenant and without tokens of limited principals. */
const tellingLess = (profile: Profile): Profile => {
  const { secondTenant: _, ...others } = profile
  const { limited: __, ...principals } = profile.principals
  return { ...others, principals }
}

const nonsense = { body: { nonsense: "{{unique}}" } }

/** A profile with wrong create or change bodies for each group. */
const wrongAbout =
  (what: "create" | "update") =>
  (profile: Profile): Profile => {
    const groups = Object.entries(profile.groups ?? {}).map(([type, group]) => {
      const { create, update } = group
      const wrong =
        what === "create"
          ? { ...(create && { create: nonsense }) }
          : { ...(update && { update: update.map((change) => ({ ...change, ...nonsense })) }) }
      return [type, type === "worker" && what === "create" ? group : { ...group, ...wrong }] as const
    })
    return { ...profile, groups: Object.fromEntries(groups) }
  }

/** A profile with wrong bodies of link and unlink. */
const wrongOwnership =
  (ownership: Profile["ownership"]) =>
  (profile: Profile): Profile => ({ ...profile, ownership: { ...profile.ownership, ...ownership } })

const rulesThat = (findings: ReadonlyArray<Finding>, outcome: Finding["outcome"]): ReadonlyArray<string> => [
  ...new Set(findings.filter((finding) => finding.outcome === outcome).map(({ rule }) => rule))
]

const finding = (rule: Finding["rule"], outcome: Finding["outcome"]): Finding => ({
  rule,
  outcome,
  walk: "any",
  differences: [],
  exchanges: []
})

describe("deployments that keep every rule", () => {
  it("have unique names", () => {
    assert.isAtLeast(variants.length, 20)
    assert.strictEqual(new Set(variants.map(({ name }) => name)).size, variants.length)
  })

  it.live("TRN-05, TRN-06, TRN-10, PRV-01: have fewer judged rules and no failures with a smaller profile", () =>
    Effect.gen(function* () {
      const ours = yield* findingsOn({ name: "ours" })
      const less = yield* findingsOn({ name: "a smaller profile", profile: tellingLess })
      const blocked = rulesThat(less, "blocked").filter((rule) => !rulesThat(ours, "blocked").includes(rule))
      for (const rule of ["TRN-05", "TRN-06", "TRN-10", "AUT-09", "PRV-01", "PRV-06", "PRV-16"])
        assert.include(blocked, rule)
      for (const rule of blocked) assert.match(rule, /^(?:TRN-0[56]|TRN-10|AUT-09|PRV-\d\d|EVT-13|SIL-13)$/)
      assert.deepStrictEqual(rulesThat(less, "fail"), rulesThat(ours, "fail"))
      assert.deepStrictEqual(rulesThat(less, "error"), [])
    })
  )

  for (const [what, rules] of [
    ["create", ["CRD-01", "ENV-11"]],
    ["update", ["PRV-03", "PRV-05"]]
  ] as const) {
    it.live(`do not fail for a profile whose bodies ${what} nothing: ${rules.join(", ")}`, () =>
      Effect.gen(function* () {
        const findings = yield* findingsOn({ name: `bodies that ${what} nothing`, profile: wrongAbout(what) })
        assert.includeMembers([...rulesThat(findings, "blocked")], [...rules])
        for (const outcome of ["fail", "warn", "error"] as const) {
          assert.deepStrictEqual(rulesThat(findings, outcome), [], outcome)
        }
      })
    )
  }

  it.live("DEL-01, DEL-02, DEL-03, DEL-07: do not fail for a profile with wrong delete paths", () =>
    Effect.gen(function* () {
      const astray = (profile: Profile): Profile => ({
        ...profile,
        groups: Object.fromEntries(
          Object.entries(profile.groups ?? {}).map(([type, group]) => [
            type,
            { ...group, ...(group.delete && { delete: { method: "DELETE" as const, path: `/astray/${type}/{{id}}` } }) }
          ])
        )
      })
      const findings = yield* findingsOn({ name: "delete paths lead nowhere", profile: astray })
      for (const outcome of ["fail", "warn", "error"] as const) {
        assert.deepStrictEqual(rulesThat(findings, outcome), [], outcome)
      }
      for (const rule of ["DEL-01", "DEL-02", "DEL-03", "DEL-07"] as const) {
        const reasons = findings.flatMap((one) => (one.rule === rule && one.outcome === "blocked" ? [one.reason] : []))
        assert.match(reasons.join(), /answered 404; look at groups\.\w+\.delete in the profile/, rule)
      }
    })
  )

  it.live("PRV-05: do not fail when the webhook body needs more than CREATE on webhook", () =>
    Effect.gen(function* () {
      const findings = yield* findingsOn({ name: "one body of webhooks", profile: withOneWebhookBody })
      for (const outcome of ["fail", "warn", "error"] as const) {
        assert.deepStrictEqual(rulesThat(findings, outcome), [], outcome)
      }
      const blocked = findings.filter((one) => one.outcome === "blocked")
      assert.deepStrictEqual([...new Set(blocked.map(({ rule }) => rule))], ["PRV-05"])
      assert.match(blocked[0]?.reason ?? "", /subscribedWebhook/)
    })
  )

  for (const [what, ownership, rules] of [
    [
      "a link nests the owner reference",
      { link: { owner: { type: "{{type}}", id: "{{id}}" } } },
      ["OWN-01", "OWN-02", "OWN-03", "OWN-11", "OWN-15", "OWN-17", "OWN-19", "OWN-21", "OWN-23"]
    ],
    [
      "a link has no type and an unlink has a wrong field",
      { link: { id: "{{id}}" }, unlink: { type: "{{type}}", owner: "{{id}}" } },
      ["OWN-01", "OWN-02", "OWN-03", "OWN-11", "OWN-17", "OWN-21"]
    ],
    [
      "an unlink has a wrong field",
      { unlink: { type: "{{type}}", owner: "{{id}}" } },
      ["OWN-11", "OWN-12", "OWN-14", "OWN-15", "OWN-21"]
    ],
    ["a link always has the type worker", { link: { type: "worker", id: "{{id}}" } }, ["OWN-02", "OWN-17", "OWN-21"]]
  ] as const) {
    it.live(`do not fail for a profile in which ${what}: ${rules.join(", ")}`, () =>
      Effect.gen(function* () {
        const findings = yield* findingsOn({ name: what, profile: wrongOwnership(ownership) })
        for (const outcome of ["fail", "warn", "error"] as const) {
          assert.deepStrictEqual(rulesThat(findings, outcome), [], outcome)
        }
        for (const rule of rules) {
          const blocked = findings.find((finding) => finding.rule === rule && finding.outcome === "blocked")
          assert.match(blocked?.reason ?? "", /ownership\.(?:un)?link/, rule)
        }
      })
    )
  }

  it("get a complaint when a rule fails, warns, is blocked or breaks on them and not on our deployment", () => {
    const of = (...findings: ReadonlyArray<Finding>) =>
      overreaches({ name: "theirs" }, findings, [finding("PRV-18", "fail")])
    assert.deepStrictEqual(of(finding("PRV-18", "fail"), finding("OWN-04", "pass"), finding("SIL-04", "observed")), [])
    for (const outcome of ["fail", "warn", "blocked", "inconclusive", "error"] as const) {
      assert.strictEqual(of(finding("OWN-04", outcome)).length, 1, outcome)
    }
    assert.strictEqual(of(finding("PRV-18", "blocked")).length, 1, "blocked, where ours fails")
  })
})
