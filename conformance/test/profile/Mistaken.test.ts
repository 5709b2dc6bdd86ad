import { assert, describe, it } from "@effect/vitest"
import { mistakenAt } from "@wcs/conformance/engine/Mistaken"
import type { Profile } from "@wcs/conformance/profile/Profile"
import { exchangeOf } from "../Exchanges.ts"

const profile: Profile = {
  name: "staging",
  newer: { tenantBaseUrl: "https://one.example" },
  principals: { admin: { token: "${ADMIN}" } },
  groups: {
    worker: { update: [{ method: "PATCH", path: "/workers/{{id}}/profile", body: {} }] },
    exemption: { path: "/exemptions", create: { body: {} }, delete: { method: "DELETE", path: "/exemptions/{{id}}" } },
    ban: { path: "/bans" }
  },
  readPaths: { captureRequest: "/captures" },
  audit: { path: "/audit?entity={{id}}", actor: "account" },
  sort: { path: "/workers", parameter: "sort", known: "a", unknown: "b" }
}

const placeOf = (method: string, path: string, status: number, body = "", of = profile) =>
  mistakenAt(of, exchangeOf({ method, url: `https://one.example/openapi/v1${path}`, body, answer: { status } }))

describe("mistakenAt", () => {
  it("names the entry of the profile whose path the deployment does not know", () => {
    assert.strictEqual(placeOf("PATCH", "/workers/wkr_1/profile", 404), "groups.worker.update.0")
    assert.strictEqual(placeOf("DELETE", "/exemptions/exm_1", 405), "groups.exemption.delete")
    assert.strictEqual(placeOf("GET", "/exemptions/exm_1", 404), "groups.exemption.path")
    assert.strictEqual(placeOf("GET", "/bans", 404), "groups.ban.path")
    assert.strictEqual(placeOf("GET", "/captures", 404), "readPaths.captureRequest")
    assert.strictEqual(placeOf("GET", "/audit?entity=wkr_1", 404), "audit.path")
    assert.strictEqual(placeOf("GET", "/workers?sort=a", 404), "sort.path")
  })
  it("names a body only for a status that refuses a body", () => {
    assert.strictEqual(placeOf("POST", "/exemptions", 422), "groups.exemption.create")
    assert.strictEqual(placeOf("PATCH", "/workers/wkr_1/profile", 400), "groups.worker.update.0")
    assert.isUndefined(placeOf("PATCH", "/workers/wkr_1/profile", 403))
    assert.isUndefined(placeOf("GET", "/bans", 400))
  })
  it("names the body of a call on a credential, whose path the specification gives", () => {
    assert.strictEqual(placeOf("POST", "/credentials/cred_1/link", 400), "ownership.link")
    assert.strictEqual(placeOf("POST", "/credentials/cred_1/unlink", 422), "ownership.unlink")
    assert.strictEqual(placeOf("POST", "/credentials/cred_1/verify", 422), "verifiableCredential")
    assert.isUndefined(placeOf("POST", "/credentials/cred_1/link", 404))
  })
  it("names the existing owner of a call that the deployment may not know", () => {
    const owned: Profile = { ...profile, owners: { applicant: { existing: ["app_1", "app_2"] } } }
    const link = (status: number, id: string) =>
      placeOf("POST", "/credentials/cred_1/link", status, JSON.stringify({ type: "applicant", id }), owned)
    assert.strictEqual(link(404, "app_1"), "owners.applicant.existing")
    assert.strictEqual(link(422, "app_2"), "owners.applicant.existing and ownership.link")
    assert.strictEqual(link(422, "app_12"), "ownership.link")
    assert.isUndefined(link(403, "app_1"))
  })
  it("names nothing for paths that the profile does not have", () => {
    assert.isUndefined(placeOf("GET", "/credentials/cred_1", 404))
    assert.isUndefined(placeOf("PATCH", "/workers/wkr_1", 404))
  })
})
