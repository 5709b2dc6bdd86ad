import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  applicant,
  at,
  complianceCheck,
  credential,
  exemption,
  fetchRequest,
  recruitmentCheck,
  screeningPackage,
  textAt,
  webhook,
  worker
} from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertRefused, assertStatus, get, patch, post, put, remove } from "../NewerSurface.ts"

/** A worker with a value in every part. */
const workerFields = {
  identity: { displayName: "Ann Example", lastName: "Example", otherNames: ["Annie", "Nan"], birthDate: "1980-02-29" },
  contact: { workEmail: "ann@example.org", mobileNumber: "+61 400 000 000" },
  employment: { jobTitle: "Nurse", status: "ACTIVE" },
  source: { externalId: "E-1", sourceSystem: "HR" }
}
const applicantFields = { displayName: "Ann Example", emailAddress: "ann@example.org", status: "SCREENING" }
const credentialFields = { credentialType: "WWCC_VIC", identifier: "1234567A-01", holder: { lastName: "Example" } }

const packageFields = { active: false, requirements: { banChecks: ["NDIS"] }, description: "So it is" }
const exemptionFields = { jurisdiction: "NSW", exemptedCredentialTypes: ["FIRST_AID"], expiryDate: "2030-01-01" }

const invitationFields = { message: "Please", expiryDays: 30 }

/** A resource of each group with its path. */
const oneOfEach = Effect.gen(function* () {
  const owners = { worker: yield* worker(), applicant: yield* applicant() }
  return [
    `/workers/${yield* worker(workerFields)}`,
    `/applicants/${yield* applicant(applicantFields)}`,
    `/credentials/${yield* credential(owners, credentialFields)}`,
    `/credentials/${yield* credential({ worker: owners.worker }, { expiryDate: "2001-01-01" })}`,
    `/exemptions/${yield* exemption({ applicant: { id: owners.applicant } }, exemptionFields)}`,
    `/screening-packages/${yield* screeningPackage(packageFields)}`,
    `/compliance-checks/${yield* complianceCheck({ severity: "CRITICAL", description: "So it is" })}`,
    `/webhooks/${yield* webhook({ filters: { jurisdictions: ["NSW"] } })}`,
    `/recruitment-checks/${yield* recruitmentCheck({ id: owners.applicant }, yield* screeningPackage(), invitationFields)}`,
    `/fetch-requests/${yield* fetchRequest({ id: owners.worker }, invitationFields)}`
  ]
})

const read = (path: string) => Effect.map(get(path), (answer) => Object(at(answer, "data")))

/** A document without the fields that the server adds. */
const fieldsOf = (document: unknown): unknown => {
  const { createdAt: _c, id: _i, type: _t, updatedAt: _u, ...fields } = Object(document)
  return fields
}

layer(layerService(), { excludeTestServices: true })("PUT and PATCH", (it) => {
  it.effect("ENV-16: a body from GET can be sent back by PUT and PATCH, and changes nothing: updatedAt stays", () =>
    Effect.gen(function* () {
      for (const path of yield* oneOfEach) {
        const before = yield* read(path)
        for (const send of [put, patch]) {
          const answer = yield* send(path, before)
          assertStatus(answer, 200)
          assert.deepStrictEqual(at(answer, "data"), before)
          assert.isUndefined(at(answer, "meta.warnings"))
          assert.deepStrictEqual(yield* read(path), before)
        }
      }
    })
  )

  it.effect("ENV-05: unknown fields are ignored and named in meta.warnings", () =>
    Effect.gen(function* () {
      const body = { ...workerFields, shoeSize: 42, identity: { ...workerFields.identity, nick: { name: "A" } } }
      const made = yield* post("/workers", body)
      const path = `/workers/${textAt(made, "data.id")}`
      for (const answer of [made, yield* put(path, body), yield* patch(path, body)]) {
        assert.isBelow(answer.status, 300)
        assert.deepStrictEqual(fieldsOf(at(answer, "data")), workerFields)
        const warnings = String(at(answer, "meta.warnings"))
        assert.include(warnings, "shoeSize")
        assert.include(warnings, "identity.nick")
      }
      assert.deepStrictEqual(fieldsOf(yield* read(path)), workerFields)
    })
  )

  it.effect("SIL-09: PUT and PATCH of a deleted resource are 404, and do not restore it", () =>
    Effect.gen(function* () {
      for (const path of yield* oneOfEach) {
        const before = yield* read(path)
        assertStatus(yield* remove(path), 204)
        for (const send of [put, patch]) assertRefused(yield* send(path, before), "NOT_FOUND")
        assertRefused(yield* get(path), "NOT_FOUND")
      }
    })
  )
})
