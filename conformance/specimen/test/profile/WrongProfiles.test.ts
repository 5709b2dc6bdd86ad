import { assert, describe, it } from "@effect/vitest"
import type { Finding } from "@wcs/conformance/judgement/Finding"
import type { Profile } from "@wcs/conformance/profile/Profile"
import type { Serve } from "@wcs/specimen/target/Serve"
import { findingsOf, judge } from "@wcs/specimen/target/Target"
import { Effect } from "effect"
import * as Rewrite from "../Rewrite.ts"
import { reveal, type Specimen, started } from "../Specimen.ts"

const findingsOn = Effect.fnUntraced(function* (specimen: Specimen) {
  return findingsOf(yield* judge(yield* started(specimen)))
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

describe("a deployment that keeps every rule", () => {
  it.live("TRN-05, TRN-06, TRN-10, PRV-01: has fewer judged rules and no failures with a smaller profile", () =>
    Effect.gen(function* () {
      const less = yield* findingsOn({ profile: tellingLess })
      const blocked = rulesThat(less, "blocked")
      for (const rule of ["TRN-05", "TRN-06", "TRN-10", "AUT-09", "PRV-01", "PRV-06", "PRV-16"])
        assert.include(blocked, rule)
      for (const rule of blocked) assert.match(rule, /^(?:TRN-0[56]|TRN-10|AUT-09|PRV-\d\d|EVT-13|SIL-13)$/)
      for (const outcome of ["fail", "warn", "error"] as const) {
        assert.deepStrictEqual(rulesThat(less, outcome), [], outcome)
      }
    })
  )

  for (const [what, rules] of [
    ["create", ["CRD-01", "ENV-11"]],
    ["update", ["PRV-03", "PRV-05"]]
  ] as const) {
    it.live(`does not fail for a profile whose bodies ${what} nothing: ${rules.join(", ")}`, () =>
      Effect.gen(function* () {
        const findings = yield* findingsOn({ profile: wrongAbout(what) })
        assert.includeMembers([...rulesThat(findings, "blocked")], [...rules])
        for (const outcome of ["fail", "warn", "error"] as const) {
          assert.deepStrictEqual(rulesThat(findings, outcome), [], outcome)
        }
      })
    )
  }

  it.live("DEL-01, DEL-02, DEL-03, DEL-07: does not fail for a profile with wrong delete paths", () =>
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
      const findings = yield* findingsOn({ profile: astray })
      for (const outcome of ["fail", "warn", "error"] as const) {
        assert.deepStrictEqual(rulesThat(findings, outcome), [], outcome)
      }
      for (const rule of ["DEL-01", "DEL-02", "DEL-03", "DEL-07"] as const) {
        const reasons = findings.flatMap((one) => (one.rule === rule && one.outcome === "blocked" ? [one.reason] : []))
        assert.match(reasons.join(), /answered 404; look at groups\.\w+\.delete in the profile/, rule)
      }
    })
  )

  it.live("PRV-05: does not fail when the webhook body needs more than CREATE on webhook", () =>
    Effect.gen(function* () {
      const target = yield* started()
      const { limited = [] } = target.profile.principals
      const urns = new Map(
        limited
          .filter(({ privileges }) => privileges["credential"]?.includes("READ") !== true)
          .map(({ accountUrn, token }) => [`Bearer ${reveal(target.secrets, token)}`, accountUrn])
      )
      const needsRead: Serve = (request) => {
        const urn = urns.get(Rewrite.headerOf(request, "authorization") ?? "")
        const isRefused = request.method === "POST" && Rewrite.pathOf(request) === "/webhooks"
        if (!isRefused || urn === undefined) return target.serve(request)
        // the refusal of another call has a request id, which a success need not have
        const refused = { ...request, method: "GET", url: `${request.url}/none`, body: "" }
        return Effect.map(target.serve(refused), (answer) =>
          Rewrite.refusal(answer, 403, "FORBIDDEN", `${urn} is unauthorized to CREATE webhooks about credentials.`)
        )
      }
      const findings = findingsOf(yield* judge({ ...target, serve: needsRead }))
      for (const outcome of ["fail", "warn", "error"] as const) {
        assert.deepStrictEqual(rulesThat(findings, outcome), [], outcome)
      }
      const blocked = findings.filter((one) => one.outcome === "blocked")
      assert.deepStrictEqual([...new Set(blocked.map(({ rule }) => rule))], ["PRV-05"])
      assert.match(blocked[0]?.reason ?? "", /subscribedWebhook/)
    }).pipe(Effect.scoped)
  )

  for (const [what, ownership, rules] of [
    [
      "a link does not nest the owner reference",
      { link: { type: "{{type}}", id: "{{id}}" } },
      ["OWN-01", "OWN-02", "OWN-03", "OWN-11", "OWN-15", "OWN-17", "OWN-19", "OWN-21", "OWN-23"]
    ],
    [
      "a link has no type and an unlink has a wrong field",
      { link: { owner: { id: "{{id}}" } }, unlink: { owner: "{{id}}" } },
      ["OWN-01", "OWN-02", "OWN-03", "OWN-11", "OWN-17", "OWN-21"]
    ],
    [
      "an unlink has a wrong field",
      { unlink: { owner: "{{id}}" } },
      ["OWN-11", "OWN-12", "OWN-14", "OWN-15", "OWN-21"]
    ],
    [
      "a link always has the type worker",
      { link: { owner: { type: "worker", id: "{{id}}" } } },
      ["OWN-02", "OWN-17", "OWN-21"]
    ]
  ] as const) {
    it.live(`does not fail for a profile in which ${what}: ${rules.join(", ")}`, () =>
      Effect.gen(function* () {
        const findings = yield* findingsOn({ profile: wrongOwnership(ownership) })
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
})
