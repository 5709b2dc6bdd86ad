import { assert, describe, it } from "@effect/vitest"
import type { RuleId } from "@wcs/conformance/catalogue/Catalogue"
import type { Group, Profile } from "@wcs/conformance/profile/Profile"
import { walks } from "@wcs/conformance/walks/Walks"
import { findingsOf, judge, judgeBy } from "@wcs/specimen/target/Target"
import { Effect } from "effect"
import { started } from "../Specimen.ts"

/** Rules whose walks read and change groups by paths of the profile. */
const rules = new Set<RuleId>([
  "AUT-01",
  "PRV-01",
  "PRV-03",
  "PRV-06",
  "PRV-07",
  "PRV-08",
  "ENV-16",
  "DEL-03",
  "TRN-05",
  "VER-07"
])

const judged = Effect.fnUntraced(function* (change: (profile: Profile) => Profile) {
  return findingsOf(yield* judge(yield* started({ profile: change }), rules)).filter(({ rule }) => rules.has(rule))
}, Effect.scoped)

const ofGroups = (change: (group: Group, type: string) => Group) => (profile: Profile) => ({
  ...profile,
  groups: Object.fromEntries(Object.entries(profile.groups ?? {}).map(([type, group]) => [type, change(group, type)]))
})

const named = (findings: Effect.Success<ReturnType<typeof judged>>) => ({
  failed: findings.filter(({ outcome }) => outcome === "fail" || outcome === "error").map(({ rule }) => rule),
  places: [...new Set(findings.flatMap(({ reason = "" }) => /look at (\S+) in the profile/.exec(reason)?.[1] ?? []))]
})

describe.concurrent("a wrong path in the profile", () => {
  it.effect(
    "of an update breaks no rule, and the reason names the entry",
    () =>
      Effect.gen(function* () {
        const { failed, places } = named(
          yield* judged(
            ofGroups(({ update, ...group }) =>
              update === undefined
                ? group
                : { ...group, update: update.map((one) => ({ ...one, path: `${one.path}/no-such-part` })) }
            )
          )
        )
        assert.deepStrictEqual(failed, [])
        assert.include(places.join(), "groups.worker.update.0")
      }),
    240_000
  )
  it.effect(
    "of a read breaks no rule, and the reason names the entry",
    () =>
      Effect.gen(function* () {
        const { failed, places } = named(
          yield* judged((profile) => ({
            ...profile,
            readPaths: { ...profile.readPaths, captureRequest: "/no-such-group" }
          }))
        )
        assert.deepStrictEqual(failed, [])
        assert.include(places, "readPaths.captureRequest")
      }),
    240_000
  )
})

describe("a credential of the profile that cannot be verified", () => {
  it.effect(
    "blocks VER-07 with a reason, and breaks no rule",
    () =>
      Effect.gen(function* () {
        const findings = yield* judged((profile) => ({
          ...profile,
          verifiableCredential: { body: { what: "first-aid", number: "{{unique}}", workerId: "{{worker}}" } }
        }))
        assert.deepStrictEqual(named(findings).failed, [])
        const [found] = findings.filter(({ rule }) => rule === "VER-07")
        assert.strictEqual(found?.outcome, "blocked")
        assert.match(found?.reason ?? "", /may have a type that cannot be verified; look at verifiableCredential/)
      }),
    240_000
  )
})

describe("a revoked legacy token of the profile that has expired", () => {
  it.effect("LEG-19, LEG-31: blocks, because it proves nothing", () =>
    Effect.gen(function* () {
      const target = yield* started({
        profile: ({ legacy, ...profile }) => ({
          ...profile,
          ...(legacy?.expiredToken && { legacy: { ...legacy, revokedToken: legacy.expiredToken } })
        })
      })
      const walk = walks.filter(({ name }) => name === "legacy/revoked-token")
      const told = findingsOf(yield* judgeBy(target, walk, { everywhere: new Set() })).map(
        ({ outcome, reason, rule }) => `${rule} ${outcome}: ${reason}`
      )
      assert.deepStrictEqual(
        told,
        ["LEG-19", "LEG-31"].map((rule) => `${rule} blocked: legacy.revokedToken has expired`)
      )
    }).pipe(Effect.scoped)
  )
})
