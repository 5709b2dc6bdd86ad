import { assert, describe, it } from "@effect/vitest"
import type { RuleId } from "@wcs/conformance/catalogue/Catalogue"
import type { Profile } from "@wcs/conformance/profile/Profile"
import { reveal } from "@wcs/conformance/profile/Secrets"
import { at } from "@wcs/conformance/text/Json"
import type { Request } from "@wcs/conformance/wire/Exchange"
import { hosts } from "@wcs/specimen/server/World"
import type { Serve } from "@wcs/specimen/target/Serve"
import { findingsOf, judge, type Target } from "@wcs/specimen/target/Target"
import { Effect } from "effect"
import * as Rewrite from "../Rewrite.ts"
import { started } from "../Specimen.ts"

/** A kind of owners that exist, and that the interface cannot create. */
interface Kind {
  readonly type: "worker" | "applicant"
  readonly path: string
  readonly bodyOf: (name: string) => object
}

const workers: Kind = {
  type: "worker",
  path: "/workers",
  bodyOf: (name) => ({ identity: { displayName: name }, source: { externalId: name } })
}
const applicants: Kind = {
  type: "applicant",
  path: "/applicants",
  bodyOf: (name) => ({ fullName: name, email: `${name}@example.org` })
}

/** A server with three owners of each kind, which refuses to create further ones. The profile names them. */
const withExisting = Effect.fnUntraced(function* (...kinds: ReadonlyArray<Kind>) {
  const target = yield* started()
  const token = reveal(target.secrets, target.profile.principals.personalToken ?? "")
  const create = ({ bodyOf, path }: Kind) =>
    Effect.forEach(["one", "two", "three"], (name) =>
      Effect.map(
        target.serve({
          method: "POST",
          url: `https://${hosts.first}/openapi/v1${path}`,
          headers: [
            ["Authorization", `Bearer ${token}`],
            ["Content-Type", "application/json"]
          ],
          body: JSON.stringify(bodyOf(`existing-${name}`))
        }),
        ({ json }) => String(at(json, "data.id"))
      )
    )
  const made = yield* Effect.forEach(kinds, (kind) =>
    Effect.map(create(kind), (ids) => [kind.type, { existing: ids }] as const)
  )
  const serve: Serve = (request) =>
    request.method === "POST" && kinds.some(({ path }) => path === Rewrite.pathOf(request))
      ? target.serve({ ...request, method: "PUT" })
      : target.serve(request)
  return { ...target, serve, profile: naming(target.profile, made) }
})

const naming = (
  profile: Profile,
  made: ReadonlyArray<readonly [type: Kind["type"], owners: { readonly existing: ReadonlyArray<string> }]>
): Profile => {
  const groups = Object.entries(profile.groups ?? {}).filter(([type]) => !made.some(([one]) => one === type))
  return { ...profile, groups: Object.fromEntries(groups), owners: Object.fromEntries(made) }
}

const idsIn = ({ owners = {} }: Profile): ReadonlyArray<string> =>
  Object.values(owners).flatMap((owner) => owner?.existing ?? [])

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

/** Judges a server. Returns the requests that it received, and the findings. */
const judged = Effect.fnUntraced(function* (target: Target) {
  const requests: Array<Request> = []
  const serve: Serve = (request) => {
    requests.push(request)
    return target.serve(request)
  }
  return { requests, findings: findingsOf(yield* judge({ ...target, serve }, rules)), ids: idsIn(target.profile) }
})

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
        const { findings, ids, requests } = yield* judged(yield* withExisting(workers, applicants))
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
        assert.match(reason ?? "", /^a batch without ids would move every credential of wkr_/)
      }).pipe(Effect.scoped),
    240_000
  )

  it.live(
    "are taken out of credentials that cannot be deleted",
    () =>
      Effect.gen(function* () {
        const target = yield* withExisting(applicants)
        const { findings, ids, requests } = yield* judged({ ...target, profile: withoutDeletes(target.profile) })
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
      }).pipe(Effect.scoped),
    240_000
  )

  it.live("block their rules when the deployment does not know them, and the reason names their entry", () =>
    Effect.gen(function* () {
      const target = yield* started()
      const nobody = [`app_${"0".repeat(24)}`, `app_${"1".repeat(24)}`]
      const profile = naming(target.profile, [["applicant", { existing: nobody }]])
      const { findings } = yield* judged({ ...target, profile })
      const { outcome, reason } = findings.find(({ rule }) => rule === "OWN-02") ?? {}
      assert.strictEqual(outcome, "blocked")
      assert.match(reason ?? "", /; look at owners\.applicant\.existing in the profile$/)
    }).pipe(Effect.scoped)
  )
})
