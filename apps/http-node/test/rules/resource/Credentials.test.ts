import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { applicant, at, credential, Service, textAt, tokenOf, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import {
  assertRefused,
  assertStatus,
  dataOf,
  get,
  idOfNothing,
  idsOf,
  post,
  put,
  remove,
  root
} from "../NewerSurface.ts"

const create = (owners: unknown, attributes: Readonly<Record<string, unknown>> = {}) =>
  post("/credentials", { attributes: { credentialType: "FIRST_AID", ...attributes, owners } })

const heldBy = (externalId: string) =>
  Effect.map(get(`/credentials?ownerExternalId=${encodeURIComponent(externalId)}`), (answer) => {
    assertStatus(answer, 200)
    assert.sameMembers(Object.keys(Object(answer.json)), ["data", "meta"])
    return idsOf(answer)
  })

layer(layerService(), { excludeTestServices: true })("credentials", (it) => {
  it.effect("CRD-01: a create is 201, and Location leads to the credential", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const made = yield* create({ worker: yield* worker() })
      assertStatus(made, 201)
      assert.sameMembers(Object.keys(Object(made.json)), ["data", "meta"])
      assert.strictEqual(made.headers["location"], `${root}/credentials/${textAt(made, "data.id")}`)
      const read = yield* call({ method: "GET", path: made.headers["location"] ?? "" })
      assertStatus(read, 200)
      assert.deepStrictEqual(at(read, "data"), at(made, "data"))
    })
  )

  it.effect("CRD-02: a create returns the correlation id of the verification that it starts, a new one each time", () =>
    Effect.gen(function* () {
      const owner = yield* worker()
      const [one, two] = [yield* create({ worker: owner }), yield* create({ worker: owner })]
      assert.notStrictEqual(textAt(one, "meta.correlationId"), textAt(two, "meta.correlationId"))
      assert.notStrictEqual(textAt(one, "meta.correlationId"), textAt(one, "meta.requestId"))
      assert.isNotEmpty(textAt(one, "meta.correlationId"))
      assert.strictEqual(at(one, "data.attributes.lastCorrelationId"), at(one, "meta.correlationId"))
    })
  )

  it.effect("CRD-03, CRD-08: the id is cred_<id>, and the same body sent twice creates two credentials", () =>
    Effect.gen(function* () {
      const owner = yield* worker({ source: { externalId: "CRD-08" } })
      const [one, two] = [yield* create({ worker: owner }), yield* create({ worker: owner })]
      for (const made of [one, two]) {
        assertStatus(made, 201)
        assert.match(textAt(made, "data.id"), /^cred_[0-9A-Za-z]{16}$/)
      }
      assert.notStrictEqual(textAt(one, "data.id"), textAt(two, "data.id"))
      assert.sameMembers([...(yield* heldBy("CRD-08"))], [textAt(one, "data.id"), textAt(two, "data.id")])
    })
  )

  it.effect("CRD-04, CRD-05: attributes.owners has both keys, each with an id of its kind or null", () =>
    Effect.gen(function* () {
      const [w, a] = [yield* worker(), yield* applicant()]
      const rows = [
        { sent: { worker: w }, shown: { worker: w, applicant: null } },
        { sent: { applicant: a }, shown: { worker: null, applicant: a } },
        { sent: { worker: w, applicant: a }, shown: { worker: w, applicant: a } },
        { sent: { worker: w, applicant: null }, shown: { worker: w, applicant: null } }
      ]
      for (const { sent, shown } of rows) {
        const id = textAt(yield* create(sent), "data.id")
        const read = yield* get(`/credentials/${id}`)
        assert.deepStrictEqual(at(read, "data.attributes.owners"), shown)
        const list = yield* get(`/credentials?ownerType=worker&ownerId=${w}`)
        if (shown.worker !== null) assert.deepInclude([...dataOf(list)], at(read, "data"))
      }
    })
  )

  it.effect("CRD-05: a slot never accepts a second owner, an owner of another kind, or a malformed id", () =>
    Effect.gen(function* () {
      const [w, a] = [yield* worker({ source: { externalId: "CRD-05" } }), yield* applicant()]
      const refused = [
        undefined,
        null,
        {},
        [],
        [w],
        w,
        { worker: null },
        { worker: null, applicant: null },
        { worker: [w] },
        { worker: [w, w] },
        { worker: { id: w } },
        { worker: "" },
        { worker: a },
        { applicant: w },
        { worker: w, applicant: w },
        { worker: `${w} ` },
        { worker: w.toLowerCase().replace("wkr", "WKR") },
        { worker: 7 }
      ]
      for (const owners of refused) assertRefused(yield* create(owners), "INVALID_ARGUMENT", "attributes.owners")
      assert.deepStrictEqual(yield* heldBy("CRD-05"), [])
      assertStatus(yield* create({ worker: w }), 201)
      assert.lengthOf(yield* heldBy("CRD-05"), 1)
    })
  )

  it.effect("CRD-06: ownerExternalId finds exactly that owner's credentials, in both slots", () =>
    Effect.gen(function* () {
      const [w, a] = [
        yield* worker({ source: { externalId: "CRD-06" } }),
        yield* applicant({ source: { externalId: "CRD-06" } })
      ]
      const [otherW, otherA] = [yield* worker({ source: { externalId: "CRD-06 " } }), yield* applicant()]
      const mine = [
        yield* credential({ worker: w }),
        yield* credential({ applicant: a }),
        yield* credential({ worker: w, applicant: otherA }),
        yield* credential({ worker: otherW, applicant: a })
      ]
      yield* credential({ worker: otherW })
      yield* credential({ applicant: otherA })
      assert.sameMembers([...(yield* heldBy("CRD-06"))], mine)
    })
  )

  it.effect("CRD-06: follows later links, transfers and deletions", () =>
    Effect.gen(function* () {
      const [w, next] = [
        yield* worker({ source: { externalId: "CRD-06 before" } }),
        yield* worker({ source: { externalId: "CRD-06 after" } })
      ]
      const [kept, moved, deleted] = [
        yield* credential({ worker: w }),
        yield* credential({ worker: w }),
        yield* credential({ worker: w })
      ]
      const refs = { from: { type: "worker", id: w }, to: { type: "worker", id: next } }
      assertStatus(yield* post(`/credentials/${moved}/transfer`, refs), 200)
      assertStatus(yield* remove(`/credentials/${deleted}`), 204)
      assert.deepStrictEqual(yield* heldBy("CRD-06 before"), [kept])
      assert.deepStrictEqual(yield* heldBy("CRD-06 after"), [moved])
    })
  )

  it.effect.each(["nobody", "CRD-0", "crd-07", "%", "_", "CRD%", "CRD-07\0", ""])(
    "CRD-07: an unknown ownerExternalId=%s is 200 with empty data",
    (text) =>
      Effect.gen(function* () {
        const id = yield* credential({ worker: yield* worker({ source: { externalId: "CRD-07" } }) })
        assert.include(yield* heldBy("CRD-07"), id)
        yield* credential({ worker: yield* worker() })
        assert.deepStrictEqual(yield* heldBy(text), [])
      })
  )

  it.effect("CRD-01, ENV-10: a missing owner, a deleted one and another tenant's are each 422", () =>
    Effect.gen(function* () {
      const { call, otherTenant } = yield* Service
      const here = yield* worker()
      const deleted = yield* worker({ source: { externalId: "gone" } })
      assertStatus(yield* remove(`/workers/${deleted}`), 204)
      const { token } = yield* tokenOf("Super Admin", true)
      const body = { identity: { displayName: "Elsewhere" } }
      const elsewhere = yield* call({
        method: "POST",
        path: `${root}/workers`,
        host: otherTenant.hosts[0] ?? "",
        token,
        body
      })
      assertStatus(elsewhere, 201)
      for (const id of [idOfNothing(here), deleted, textAt(elsewhere, "data.id")]) {
        assertRefused(yield* create({ worker: id }), "UNPROCESSABLE", id)
        assertRefused(yield* create({ worker: id, applicant: yield* applicant() }), "UNPROCESSABLE", id)
      }
      const nobody = idOfNothing(yield* applicant())
      assertRefused(yield* create({ worker: here, applicant: nobody }), "UNPROCESSABLE", nobody)
      assertStatus(yield* create({ worker: here }), 201)
    })
  )

  it.effect("CRD-01: keeps and shows every field of a credential unchanged", () =>
    Effect.gen(function* () {
      const attributes = {
        credentialType: "WWCC_NSW",
        category: "Employee",
        jurisdiction: "NSW",
        identifier: "WWC1234567E",
        issueNumber: "1",
        cardType: "Paid",
        holder: { firstName: "Ann", middleName: "Mary", lastName: "Example", birthDate: "1980-02-29" },
        issueDate: "2024-02-29",
        expiryDate: "2999-12-31",
        owners: { worker: yield* worker(), applicant: yield* applicant() }
      }
      const made = yield* post("/credentials", { attributes })
      assertStatus(made, 201)
      assert.strictEqual(at(made, "data.type"), "credential")
      const { eligibility, lastCorrelationId, statusDetail, ...shown } = Object(at(made, "data.attributes"))
      assert.deepStrictEqual(shown, attributes)
      assert.deepStrictEqual([eligibility, statusDetail], ["IN_PROGRESS", "PENDING"])
      assert.strictEqual(lastCorrelationId, at(made, "meta.correlationId"))
      assert.isUndefined(at(made, "meta.warnings"))
    })
  )

  it.effect("CRD-01: ignores computed fields on create, and says so", () =>
    Effect.gen(function* () {
      const sent = {
        eligibility: "MAY_ENGAGE",
        statusDetail: "VALID",
        lastVerifiedAt: "2026-01-01T00:00:00.000Z",
        lastCorrelationId: "mine",
        lastKnown: { eligibility: "MAY_ENGAGE", statusDetail: "VALID" }
      }
      const made = yield* create({ worker: yield* worker() }, sent)
      assertStatus(made, 201)
      const { lastCorrelationId, ...shown } = Object(at(made, "data.attributes"))
      assert.notStrictEqual(lastCorrelationId, "mine")
      for (const name of Object.keys(sent)) {
        assert.notProperty(shown, name)
        assert.include(String(at(made, "meta.warnings")), `attributes.${name}`)
      }
    })
  )

  // DECISIONS.md#fields: strict only if the register's format is certain.
  const identifiers: ReadonlyArray<readonly [string, string, "taken" | "remarked on" | "refused"]> = [
    ["WWCC_NSW", "WWC1234567E", "taken"],
    ["WWCC_NSW", "WWC1234567V", "taken"],
    ["WWCC_NSW", "APP123456", "taken"],
    ["WWCC_NSW", "APP1234567890", "taken"],
    ["WWCC_NSW", "WWC1234567X", "refused"],
    ["WWCC_NSW", "WWC123456E", "refused"],
    ["WWCC_NSW", "APP12345", "refused"],
    ["WWCC_NSW", "APP12345678901", "refused"],
    ["WWCC_NSW", "wwc1234567e", "refused"],
    ["WWCC_NSW", "xWWC1234567E", "refused"],
    ["AHPRA_REGISTRATION", "NMW0001234567", "taken"],
    ["AHPRA_REGISTRATION", "NMW000123456", "refused"],
    ["AHPRA_REGISTRATION", "nmw0001234567", "refused"],
    ["NDIS_WORKER_SCREENING", "12345678", "taken"],
    ["NDIS_WORKER_SCREENING", "unusual", "remarked on"],
    ["TEACHER_REGISTRATION_VIC", "123456", "taken"],
    ["TEACHER_REGISTRATION_VIC", "unusual", "remarked on"],
    ["POLICE_CHECK_NATIONAL", "anything", "taken"],
    ["FIRST_AID", "anything", "taken"]
  ]
  it.effect.each(identifiers)("CRD-01: of %s the identifier %s is %s", ([credentialType, identifier, fate]) =>
    Effect.gen(function* () {
      const made = yield* create({ worker: yield* worker() }, { credentialType, identifier })
      if (fate === "refused") return assertRefused(made, "INVALID_ARGUMENT", "attributes.identifier must be")
      assertStatus(made, 201)
      assert.strictEqual(at(made, "data.attributes.identifier"), identifier)
      const warnings = at(made, "meta.warnings")
      if (fate === "taken") assert.isUndefined(warnings)
      else assert.include(String(warnings), "attributes.identifier")
    })
  )

  it.effect("CRD-01: the type must be in the catalogue, and determines the required fields", () =>
    Effect.gen(function* () {
      const owners = { worker: yield* worker() }
      for (const credentialType of [undefined, null, "", "wwcc-nsw", "wwcc_nsw", "WWCC", "__proto__", "constructor"]) {
        const made = yield* create(owners, { credentialType, identifier: "12345678" })
        assertRefused(made, "INVALID_ARGUMENT", "attributes.credentialType")
      }
      for (const credentialType of ["WWCC_NSW", "WWCC_VIC", "WWCC_SA", "WWCC_WA", "BLUE_CARD_QLD", "WWVP_TAS"]) {
        const made = yield* create(owners, { credentialType })
        assertRefused(made, "INVALID_ARGUMENT", "attributes.identifier")
      }
      assertStatus(yield* create(owners, { credentialType: "FIRST_AID" }), 201)
    })
  )

  it.effect("CRD-01: a type with a register is in progress, another has no verdict", () =>
    Effect.gen(function* () {
      const owners = { worker: yield* worker() }
      const asked = yield* create(owners, { credentialType: "WWCC_VIC", identifier: "1234567A-01" })
      assert.strictEqual(at(asked, "data.attributes.eligibility"), "IN_PROGRESS")
      assert.strictEqual(at(asked, "data.attributes.statusDetail"), "PENDING")
      assert.strictEqual(at(asked, "data.attributes.jurisdiction"), "VIC")
      const notAsked = yield* create(owners, { credentialType: "FIRST_AID" })
      assert.isUndefined(at(notAsked, "data.attributes.eligibility"))
      assert.isString(at(notAsked, "meta.correlationId"))
    })
  )

  it.effect("CRD-04: past its expiryDate a credential reads as MAY_NOT_ENGAGE, EXPIRED, in every response", () =>
    Effect.gen(function* () {
      const owner = yield* worker()
      const expired = yield* create({ worker: owner }, { expiryDate: "2001-01-01" })
      const current = yield* create({ worker: owner }, { expiryDate: "2999-12-31" })
      const verdictOf = (data: unknown) => {
        const { eligibility, statusDetail } = Object(data).attributes
        return [eligibility, statusDetail]
      }
      const lapsed = ["MAY_NOT_ENGAGE", "EXPIRED"]
      assert.deepStrictEqual(verdictOf(at(expired, "data")), lapsed)
      const path = `/credentials/${textAt(expired, "data.id")}`
      assert.deepStrictEqual(verdictOf(at(yield* get(path), "data")), lapsed)
      const to = { type: "applicant", id: yield* applicant() }
      assert.deepStrictEqual(verdictOf(at(yield* post(`${path}/link`, to), "data")), lapsed)
      const list = yield* get(`/credentials?ownerType=worker&ownerId=${owner}&sort=expiryDate`)
      assert.deepStrictEqual(idsOf(list), [textAt(expired, "data.id"), textAt(current, "data.id")])
      assert.deepStrictEqual(verdictOf(at(list, "data.0")), lapsed)
      assert.deepStrictEqual(verdictOf(at(list, "data.1")), [undefined, undefined])
      const renewed = yield* put(path, { attributes: { credentialType: "FIRST_AID", expiryDate: "2999-12-31" } })
      assert.deepStrictEqual(verdictOf(at(renewed, "data")), [undefined, undefined])
    })
  )

  it.effect("ENV-09: a credential's id with its last characters exchanged is 404", () =>
    Effect.gen(function* () {
      const id = yield* credential({ worker: yield* worker() })
      assertStatus(yield* get(`/credentials/${id}`), 200)
      const other = id.slice(0, -2) + (id.endsWith("00") ? "11" : "00")
      assertRefused(yield* get(`/credentials/${other}`), "NOT_FOUND")
    })
  )
})
