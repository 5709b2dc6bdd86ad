import { assert, describe, it } from "@effect/vitest"
import type { RuleId } from "@wcs/conformance/catalogue/Catalogue"
import type { Profile } from "@wcs/conformance/profile/Profile"
import { at } from "@wcs/conformance/text/Json"
import type { Request } from "@wcs/conformance/wire/Exchange"
import type { Serve } from "@wcs/specimen/target/Serve"
import { findingsOf, judge } from "@wcs/specimen/target/Target"
import { Effect } from "effect"
import * as Rewrite from "../Rewrite.ts"
import { type Specimen, started } from "../Specimen.ts"

const without =
  (type: string) =>
  (profile: Profile): Profile => {
    const { [type]: _, ...groups } = profile.groups ?? {}
    return { ...profile, groups }
  }

/** Rules about owners. */
const rules = new Set<RuleId>([
  "OWN-02",
  "OWN-08",
  "OWN-12",
  "OWN-21",
  "BLK-05",
  "BLK-10",
  "CRD-10",
  "DEL-03",
  "VER-01"
])

/** Judges a server. Returns the requests that it received, the findings, and the ids of the existing owners. */
const judged = Effect.fnUntraced(function* (specimen: Specimen) {
  const target = yield* started(specimen)
  const requests: Array<Request> = []
  const serve: Serve = (request) => {
    requests.push(request)
    return target.serve(request)
  }
  const findings = findingsOf(yield* judge({ ...target, serve }, rules))
  const ids = Object.values(target.profile.owners ?? {}).flatMap((owner) => owner?.existing ?? [])
  return { requests, findings, ids }
}, Effect.scoped)

const names = (ids: ReadonlyArray<string>, text: string): boolean => ids.some((id) => text.includes(id))

const withoutDeletes = (profile: Profile): Profile => {
  const { credential = {}, ...groups } = profile.groups ?? {}
  const { delete: _, ...kept } = credential
  return { ...profile, groups: { ...groups, credential: kept } }
}

describe("existing owners of the profile", () => {
  it.live(
    "are never changed, deleted or emptied by a batch, and judge the ownership of credentials",
    () =>
      Effect.gen(function* () {
        const { findings, ids, requests } = yield* judged({
          choices: ["workers: exist", "applicants: three exist"],
          profile: without("worker")
        })
        const changes = requests.filter(({ method }) => method !== "GET")
        assert.deepStrictEqual(
          changes.filter(({ url }) => names(ids, url)),
          []
        )
        const batches = changes.filter((request) => /^\/credentials\/(?:link|transfer)$/.test(Rewrite.pathOf(request)))
        const ofAll = batches.filter(({ body }) => {
          const all = at(JSON.parse(body), "credentialIds")
          return !Array.isArray(all) || all.length === 0
        })
        assert.deepStrictEqual(
          ofAll.filter(({ body }) => names(ids, JSON.stringify(at(JSON.parse(body), "from") ?? null))),
          []
        )
        const outcomes = (rule: RuleId) => findings.filter((one) => one.rule === rule).map(({ outcome }) => outcome)
        for (const rule of ["OWN-02", "OWN-08", "OWN-12", "OWN-21", "BLK-05", "CRD-10"] as const) {
          assert.deepStrictEqual([...new Set(outcomes(rule))], ["pass"], rule)
        }
        const { reason } = findings.find(({ rule }) => rule === "BLK-10") ?? {}
        assert.match(reason ?? "", /^a batch without ids would move every credential of wkr_existing\d/)
      }),
    240_000
  )

  it.live(
    "are taken out of credentials that cannot be deleted",
    () =>
      Effect.gen(function* () {
        const specimen = { choices: ["applicants: three exist"], profile: withoutDeletes }
        const { findings, ids, requests } = yield* judged(specimen)
        assert.strictEqual(findings.find(({ rule }) => rule === "OWN-02")?.outcome, "pass")
        const unlinked = requests.filter(
          (request) => /^\/credentials\/[^/]+\/unlink$/.test(Rewrite.pathOf(request)) && names(ids, request.body)
        )
        const linked = requests.filter(
          (request) => /^\/credentials\/[^/]+\/link$/.test(Rewrite.pathOf(request)) && names(ids, request.body)
        )
        const credential = (request: Request) => Rewrite.pathOf(request).split("/")[2]
        const released = new Set(unlinked.map(credential))
        assert.isNotEmpty(linked)
        assert.deepStrictEqual(
          linked.filter((request) => !released.has(credential(request))).map((request) => request.body),
          []
        )
      }),
    240_000
  )

  it.live("block their rules when the deployment does not know them, and the reason names their entry", () =>
    Effect.gen(function* () {
      const nobody = [`app_${"0".repeat(24)}`, `app_${"1".repeat(24)}`]
      const profile = (profile: Profile) => ({
        ...without("applicant")(profile),
        owners: { applicant: { existing: nobody } }
      })
      const { findings } = yield* judged({ profile })
      const { outcome, reason } = findings.find(({ rule }) => rule === "OWN-02") ?? {}
      assert.strictEqual(outcome, "blocked")
      assert.match(reason ?? "", /; look at owners\.applicant\.existing in the profile$/)
    })
  )
})
