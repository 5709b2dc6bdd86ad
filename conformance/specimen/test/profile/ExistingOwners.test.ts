import { assert, describe, it } from "@effect/vitest"
import type { RuleId } from "@wcs/conformance/catalogue/Catalogue"
import type { Profile } from "@wcs/conformance/profile/Profile"
import { at } from "@wcs/conformance/text/Json"
import type { Request } from "@wcs/conformance/wire/Exchange"
import type { Serve } from "@wcs/specimens/Serve"
import type { Specimen } from "@wcs/specimens/Specimen"
import * as Specimens from "@wcs/specimens/Specimens"
import { applicants, type Existing, existing, naming } from "@wcs/specimens/seams/ExistingOwners"
import * as Rewrite from "@wcs/specimens/seams/Rewrite"
import { findingsOf, judge } from "@wcs/specimens/selftest/Judging"
import { Effect } from "effect"

const workers = (count: number): Existing => ({
  type: "worker",
  path: "/workers",
  ids: Array.from({ length: count }, (_, index) => `wkr_existing${index}`),
  bodyOf: (id) => ({ identity: { displayName: id }, source: { externalId: id } })
})

const [people, staff] = [applicants(3), workers(3)]

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

/** Judges a specimen. Returns the requests that it received, and the findings. */
const judged = Effect.fnUntraced(function* (specimen: Specimen) {
  const requests: Array<Request> = []
  const watched = (serve: Serve): Serve => {
    const behind = specimen.rewrite?.(serve) ?? serve
    return (request) => {
      requests.push(request)
      return behind(request)
    }
  }
  const start = yield* Specimens.make
  const events = yield* judge(yield* start({ ...specimen, rewrite: watched }, true), rules)
  return { requests, findings: findingsOf(events) }
}, Effect.scoped)

const names = (ids: ReadonlyArray<string>, text: string): boolean => ids.some((id) => text.includes(id))

const withoutDeletes = (profile: Profile): Profile => {
  const { credential = {}, ...groups } = naming(people)(profile).groups ?? {}
  const { delete: _, ...kept } = credential
  return { ...naming(people)(profile), groups: { ...groups, credential: kept } }
}

describe("existing owners of the profile", () => {
  it.live(
    "are never changed, deleted or emptied by a batch, and judge the ownership of credentials",
    () =>
      Effect.gen(function* () {
        const rewrite = (serve: Serve) => existing(staff)(existing(people)(serve))
        const specimen = { name: "owners-exist", rewrite, profile: naming(people, staff) }
        const { findings, requests } = yield* judged(specimen)
        const ids = [...people.ids, ...staff.ids]
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
        const specimen = { name: "credentials-stay", rewrite: existing(people), profile: withoutDeletes }
        const { findings, requests } = yield* judged(specimen)
        assert.strictEqual(findings.find(({ rule }) => rule === "OWN-02")?.outcome, "pass")
        const unlinked = requests.filter(
          (request) => /^\/credentials\/[^/]+\/unlink$/.test(Rewrite.pathOf(request)) && names(people.ids, request.body)
        )
        const linked = requests.filter(
          (request) => /^\/credentials\/[^/]+\/link$/.test(Rewrite.pathOf(request)) && names(people.ids, request.body)
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
      const profile = naming({ ...people, ids: ["app_nobody00000000001", "app_nobody00000000002"] })
      const { findings } = yield* judged({ name: "owners-do-not-exist", profile })
      const { outcome, reason } = findings.find(({ rule }) => rule === "OWN-02") ?? {}
      assert.strictEqual(outcome, "blocked")
      assert.match(reason ?? "", /; look at owners\.applicant\.existing in the profile$/)
    })
  )
})
