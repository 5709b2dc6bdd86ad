import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  type Answer,
  applicant,
  at,
  complianceCheck,
  credential,
  exemption,
  fetchRequest,
  recruitmentCheck,
  Service,
  screeningPackage,
  textAt,
  verified,
  webhook,
  worker
} from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertRefused, assertStatus, get, idOfNothing, patch, post, put, remove, root } from "../NewerSurface.ts"

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

const isInvitation = (path: string): boolean => /^\/(recruitment-checks|fetch-requests)\//.test(path)

/** The required fields that no update can change. */
const askedOnly = (document: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    ["applicant", "screeningPackageCode", "worker", "requestedCredentialTypes"]
      .filter((name) => document[name] !== undefined)
      .map((name) => [name, document[name]])
  )

/** Checks that a PUT succeeded, and named the fields that it ignored. */
const assertIgnored = (answer: Answer, field: string): void => {
  assertStatus(answer, 200)
  assert.include(JSON.stringify(at(answer, "meta.warnings")), `set by the server, ignored: ${field}`)
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

  it.effect("ENV-16: a PUT may omit fields that the server writes, and keeps them", () =>
    Effect.gen(function* () {
      for (const path of yield* oneOfEach) {
        const before = yield* read(path)
        const sent = Object(fieldsOf(before))
        if (isInvitation(path)) for (const name of ["status", "expiryDate", "requirements"]) delete sent[name]
        if (sent.attributes !== undefined) {
          const {
            eligibility: _e,
            lastCorrelationId: _l,
            owners: _o,
            statusDetail: _s,
            ...attributes
          } = sent.attributes
          sent.attributes = attributes
        }
        const answer = yield* put(path, sent)
        assertStatus(answer, 200)
        assert.deepStrictEqual(at(answer, "data"), before)
      }
    })
  )

  it.effect("ENV-16: the same PUT twice leaves the same state as once, with the same status", () =>
    Effect.gen(function* () {
      const bodies: Readonly<Record<string, unknown>> = {
        workers: { identity: { displayName: "Ann Changed", otherNames: [] } },
        applicants: { emailAddress: "changed@example.org" },
        credentials: { attributes: { credentialType: "WWCC_WA", identifier: "12345" } },
        exemptions: { exemptionType: "CHANGED", worker: { externalId: "PUT twice" } },
        "screening-packages": { name: "Changed" },
        "compliance-checks": { displayName: "Changed", requirement: { credentialTypes: ["WWCC_VIC"] } },
        webhooks: { name: "Changed", url: "https://changed.invalid/", events: ["webhook.test"] }
      }
      yield* worker({ source: { externalId: "PUT twice" } })
      for (const path of yield* oneOfEach) {
        const before = yield* read(path)
        const body = isInvitation(path) ? askedOnly(before) : bodies[path.split("/")[1] ?? ""]
        const [once, twice] = [yield* put(path, body), yield* put(path, body)]
        assertStatus(once, 200)
        assertStatus(twice, 200)
        assert.notDeepEqual(fieldsOf(at(once, "data")), fieldsOf(before))
        assert.deepStrictEqual(at(twice, "data"), at(once, "data"))
        assert.deepStrictEqual(yield* read(path), at(once, "data"))
      }
    })
  )

  it.effect("ENV-16: so does a body from GET with one field changed, though the first PUT moved the times", () =>
    Effect.gen(function* () {
      const changes: Readonly<Record<string, unknown>> = {
        workers: { identity: { displayName: "Ann Changed" } },
        applicants: { emailAddress: "changed@example.org" },
        credentials: { attributes: { credentialType: "WWCC_WA", identifier: "12345" } },
        exemptions: { exemptionType: "CHANGED" },
        "screening-packages": { name: "Changed" },
        "compliance-checks": { displayName: "Changed" },
        webhooks: { name: "Changed" },
        "recruitment-checks": { expiryDays: 7 },
        "fetch-requests": { expiryDays: 7 }
      }
      for (const path of yield* oneOfEach) {
        const body = { ...(yield* read(path)), ...Object(changes[path.split("/")[1] ?? ""]) }
        const [once, twice] = [yield* put(path, body), yield* put(path, body)]
        assertStatus(once, 200)
        assertStatus(twice, 200)
        assert.deepStrictEqual(at(twice, "data"), at(once, "data"))
        assert.include(JSON.stringify(at(twice, "meta.warnings")), "set by the server, ignored: updatedAt")
      }
    })
  )

  it.effect("ENV-16: PUT replaces: omitted fields are cleared", () =>
    Effect.gen(function* () {
      const path = `/workers/${yield* worker(workerFields)}`
      const body = { identity: { displayName: "Ann Example" }, source: { externalId: "E-2" } }
      const answer = yield* put(path, body)
      assertStatus(answer, 200)
      assert.deepStrictEqual(fieldsOf(at(answer, "data")), body)
      const { createdAt, id, type, updatedAt } = yield* read(path)
      assert.deepStrictEqual([id, type], [path.slice("/workers/".length), "worker"])
      assert.isAtLeast(Date.parse(updatedAt), Date.parse(createdAt))
    })
  )

  const merges: ReadonlyArray<{ readonly what: string; readonly patch: unknown; readonly leaves: unknown }> = [
    { what: "an empty patch keeps all", patch: {}, leaves: workerFields },
    { what: "empty objects keep all", patch: { identity: {}, contact: {} }, leaves: workerFields },
    {
      what: "a field changes and its neighbours stay",
      patch: { identity: { lastName: "Sample" } },
      leaves: { ...workerFields, identity: { ...workerFields.identity, lastName: "Sample" } }
    },
    {
      what: "a field is added",
      patch: { contact: { personalEmail: "ann@example.net" } },
      leaves: { ...workerFields, contact: { ...workerFields.contact, personalEmail: "ann@example.net" } }
    },
    {
      what: "null clears a field",
      patch: { contact: { mobileNumber: null } },
      leaves: { ...workerFields, contact: { workEmail: "ann@example.org" } }
    },
    {
      what: "null clears an object",
      patch: { contact: null, employment: null },
      leaves: { identity: workerFields.identity, source: workerFields.source }
    },
    { what: "null of a missing field does nothing", patch: { contact: { personalEmail: null } }, leaves: workerFields },
    {
      what: "an array replaces",
      patch: { identity: { otherNames: ["Anna"] } },
      leaves: { ...workerFields, identity: { ...workerFields.identity, otherNames: ["Anna"] } }
    },
    {
      what: "an empty array replaces",
      patch: { identity: { otherNames: [] } },
      leaves: { ...workerFields, identity: { ...workerFields.identity, otherNames: [] } }
    }
  ]
  it.effect.each(merges)("ENV-16, RFC 7396: $what", ({ leaves, patch: body }) =>
    Effect.gen(function* () {
      const { call } = yield* Service
      for (const contentType of ["application/merge-patch+json", "application/json"]) {
        const path = `/workers/${yield* worker(workerFields)}`
        const answer = yield* call({
          method: "PATCH",
          path: root + path,
          body,
          headers: { "content-type": contentType }
        })
        assertStatus(answer, 200)
        assert.deepStrictEqual(fieldsOf(at(answer, "data")), leaves)
        assert.deepStrictEqual(fieldsOf(yield* read(path)), leaves)
        const again = yield* patch(path, body)
        assert.deepStrictEqual(at(again, "data"), at(answer, "data"))
      }
    })
  )

  it.effect("ENV-16: PATCH merges an applicant and a credential likewise", () =>
    Effect.gen(function* () {
      const [, applicantPath = "", credentialPath = ""] = yield* oneOfEach
      const patched = yield* patch(applicantPath, { status: "HIRED", displayName: null, phone: "1" })
      const { displayName: _, ...kept } = applicantFields
      assert.deepStrictEqual(fieldsOf(at(patched, "data")), { ...kept, status: "HIRED", phone: "1" })
      const before = yield* read(credentialPath)
      const answer = yield* patch(credentialPath, { attributes: { category: "Employee", expiryDate: "2999-12-31" } })
      const expected = { attributes: { ...before.attributes, category: "Employee", expiryDate: "2999-12-31" } }
      assert.deepStrictEqual(fieldsOf(at(answer, "data")), expected)
    })
  )

  it.effect("ENV-05: clearing a required field is 400, and changes nothing", () =>
    Effect.gen(function* () {
      const [workerPath = "", applicantPath = "", credentialPath = ""] = yield* oneOfEach
      const refused: ReadonlyArray<readonly [typeof put, string, unknown, string]> = [
        [put, workerPath, {}, "identity"],
        [put, workerPath, { identity: {} }, "identity.displayName"],
        [put, workerPath, { identity: { displayName: null } }, "identity.displayName"],
        [patch, workerPath, { identity: null }, "identity"],
        [patch, workerPath, { identity: { displayName: null } }, "identity.displayName"],
        [put, applicantPath, {}, "emailAddress"],
        [patch, applicantPath, { emailAddress: null }, "emailAddress"],
        [put, credentialPath, {}, "attributes"],
        [put, credentialPath, { attributes: {} }, "attributes.credentialType"],
        [put, credentialPath, { attributes: { credentialType: "WWCC_VIC" } }, "attributes.identifier"],
        [patch, credentialPath, { attributes: null }, "attributes"],
        [patch, credentialPath, { attributes: { credentialType: null } }, "attributes.credentialType"],
        [patch, credentialPath, { attributes: { identifier: null } }, "attributes.identifier"]
      ]
      for (const [send, path, body, field] of refused) {
        const before = yield* read(path)
        assertRefused(yield* send(path, body), "INVALID_ARGUMENT", field)
        assert.deepStrictEqual(yield* read(path), before)
      }
    })
  )

  it.effect("ENV-05: a different id or type is 400, by PATCH a time too; PUT ignores and reports it", () =>
    Effect.gen(function* () {
      for (const path of yield* oneOfEach) {
        const before = yield* read(path)
        const others = {
          id: [`${String(before.id).slice(0, -1)}~`, "", null, 7],
          type: ["other", null],
          createdAt: ["2001-01-01T00:00:00.000Z", null],
          updatedAt: ["2001-01-01T00:00:00.000Z", null]
        }
        for (const [name, values] of Object.entries(others)) {
          for (const value of values) {
            const replaced = yield* put(path, { ...before, [name]: value })
            if (name.endsWith("At")) assertIgnored(replaced, name)
            else assertRefused(replaced, "INVALID_ARGUMENT", name)
            assertRefused(yield* patch(path, { [name]: value }), "INVALID_ARGUMENT", name)
          }
          assertStatus(yield* patch(path, { [name]: before[name] }), 200)
        }
        assert.deepStrictEqual(yield* read(path), before)
      }
    })
  )

  it.effect("CRD-04, ENV-16: no caller writes computed fields: another value is 400 by PATCH, ignored by PUT", () =>
    Effect.gen(function* () {
      const path = `/credentials/${yield* verified({ worker: yield* worker() }, credentialFields)}`
      const before = yield* read(path)
      const others: Readonly<Record<string, ReadonlyArray<unknown>>> = {
        eligibility: ["MAY_NOT_ENGAGE", null],
        statusDetail: ["EXPIRED", null],
        lastCorrelationId: ["mine", null],
        lastVerifiedAt: ["2026-01-01T00:00:00.000Z"],
        lastKnown: [{ eligibility: "MAY_ENGAGE", statusDetail: "VALID" }, {}]
      }
      for (const [name, values] of Object.entries(others)) {
        for (const value of values) {
          const body = { attributes: { ...before.attributes, [name]: value } }
          assertIgnored(yield* put(path, body), `attributes.${name}`)
          assertRefused(yield* patch(path, { attributes: { [name]: value } }), "INVALID_ARGUMENT", `attributes.${name}`)
        }
        if (before.attributes[name] !== undefined) {
          assertStatus(yield* patch(path, { attributes: { [name]: before.attributes[name] } }), 200)
        }
      }
      assert.deepStrictEqual(yield* read(path), before)
    })
  )

  it.effect("CRD-05, OWN-21: no update changes owners; the refusal names the calls that do", () =>
    Effect.gen(function* () {
      const [w, other, a] = [yield* worker(), yield* worker(), yield* applicant()]
      const path = `/credentials/${yield* credential({ worker: w })}`
      const before = yield* read(path)
      const otherOwners = [
        { worker: other },
        { worker: other, applicant: null },
        { worker: w, applicant: a },
        { applicant: a },
        { worker: null, applicant: a },
        { worker: null, applicant: null },
        { worker: null },
        { worker: [w] },
        null,
        [],
        w
      ]
      for (const owners of otherOwners) {
        assertRefused(yield* put(path, { attributes: { credentialType: "FIRST_AID", owners } }), "INVALID_ARGUMENT")
        const answer = yield* patch(path, { attributes: { owners } })
        assertRefused(answer, "INVALID_ARGUMENT", "use link, unlink or transfer")
      }
      assert.deepStrictEqual(yield* read(path), before)
      const same = { worker: w, applicant: null }
      for (const owners of [same, { worker: w }]) {
        assertStatus(yield* put(path, { attributes: { credentialType: "FIRST_AID", owners } }), 200)
        assertStatus(yield* patch(path, { attributes: { owners } }), 200)
      }
      assertStatus(yield* patch(path, { attributes: { owners: { applicant: null } } }), 200)
      assert.deepStrictEqual((yield* read(path)).attributes.owners, same)
    })
  )

  it.effect("CRD-04: a change of type resets the verdict to the new type's, and no other change does", () =>
    Effect.gen(function* () {
      const owner = yield* worker()
      const pending = { eligibility: "IN_PROGRESS", statusDetail: "PENDING" }
      const path = `/credentials/${yield* credential({ worker: owner }, { credentialType: "FIRST_AID", identifier: "12345" })}`
      assert.isUndefined((yield* read(path)).attributes.eligibility)
      assertStatus(yield* patch(path, { attributes: { category: "Employee" } }), 200)
      assert.isUndefined((yield* read(path)).attributes.eligibility)
      assertStatus(yield* patch(path, { attributes: { credentialType: "WWCC_WA", jurisdiction: "WA" } }), 200)
      assert.deepInclude((yield* read(path)).attributes, pending)
      assertStatus(yield* patch(path, { attributes: { credentialType: "FIRST_AID" } }), 200)
      assert.isUndefined((yield* read(path)).attributes.eligibility)
    })
  )

  it.effect("ENV-05: PUT and PATCH check a strict identifier like create", () =>
    Effect.gen(function* () {
      const attributes = { credentialType: "WWCC_NSW", identifier: "WWC1234567E" }
      const path = `/credentials/${yield* verified({ worker: yield* worker() }, attributes)}`
      const before = yield* read(path)
      const wrong = { attributes: { ...attributes, identifier: "12345" } }
      for (const send of [put, patch]) {
        assertRefused(yield* send(path, wrong), "INVALID_ARGUMENT", "attributes.identifier must be")
      }
      assert.deepStrictEqual(yield* read(path), before)
      assertStatus(yield* patch(path, { attributes: { identifier: "WWC7654321V" } }), 200)
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

  it.effect("ENV-12: of 5,000 unknown fields some are named, and none is kept", () =>
    Effect.gen(function* () {
      const unknown = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`f${index}`, 0]))
      const made = yield* post("/workers", { ...workerFields, ...unknown })
      assertStatus(made, 201)
      assert.deepStrictEqual(fieldsOf(at(made, "data")), workerFields)
      assert.isBelow(made.text.length, 10_000)
    })
  )

  it.effect("ENV-04, ENV-05: a body that is not an object is 400", () =>
    Effect.gen(function* () {
      for (const path of yield* oneOfEach) {
        for (const body of [null, true, 7, "text", [], [{}]]) {
          assertRefused(yield* put(path, body), "INVALID_ARGUMENT")
          assertRefused(yield* patch(path, body), "INVALID_ARGUMENT")
          assertRefused(yield* post(path.slice(0, path.lastIndexOf("/")), body), "INVALID_ARGUMENT")
        }
      }
    })
  )

  it.effect(
    "ENV-08, ENV-09: PUT and PATCH of a missing resource are 404 and create nothing, of a malformed id 400",
    () =>
      Effect.gen(function* () {
        for (const path of yield* oneOfEach) {
          const before = yield* read(path)
          const [, collection = "", id = ""] = path.split("/")
          const nowhere = `/${collection}/${idOfNothing(id)}`
          const body = fieldsOf(before)
          for (const send of [put, patch]) {
            assertRefused(yield* send(nowhere, body), "NOT_FOUND")
            const ofMinted = ["x", `${id}0`, id.slice(0, -1), id.replace("_", "-"), `${id.slice(0, -1)}~`]
            for (const malformed of id.startsWith("code-") ? ["X", `${id}~`, "-x", "a".repeat(65)] : ofMinted) {
              assertRefused(yield* send(`/${collection}/${malformed}`, body), "INVALID_ARGUMENT", "id")
            }
          }
          assertRefused(yield* get(nowhere), "NOT_FOUND")
          assertStatus(yield* put(path, body), 200)
        }
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

  it.effect("ENV-16: concurrent updates are each complete, and none is lost", () =>
    Effect.gen(function* () {
      const path = `/workers/${yield* worker(workerFields)}`
      const names = ["firstName", "middleName", "lastName", "displayName"]
      const answers = yield* Effect.forEach(
        names.flatMap((name) => [1, 2, 3, 4].map((count) => ({ name, value: `${name} ${count}` }))),
        ({ name, value }) => patch(path, { identity: { [name]: value } }),
        { concurrency: "unbounded" }
      )
      for (const answer of answers) assertStatus(answer, 200)
      const { identity } = yield* read(path)
      for (const name of names) assert.match(identity[name], new RegExp(`^${name} [1-4]$`))
      assert.deepStrictEqual(identity.otherNames, workerFields.identity.otherNames)
    })
  )
})
