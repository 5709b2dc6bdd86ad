import { assert, describe, it } from "@effect/vitest"
import { Credential, type CredentialFields, documentOn } from "@wcs/domain/holding/Credential"
import { Applicant, type ApplicantFields } from "@wcs/domain/people/Applicant"
import { Worker, type WorkerFields } from "@wcs/domain/people/Worker"
import { type Resource, type Stored, toDocument } from "@wcs/domain/resource/Resource"
import * as Write from "@wcs/domain/resource/Write"
import { ScreeningPackage } from "@wcs/domain/screening/ScreeningPackage"
import type { InvalidArgument } from "@wcs/domain/shared/InvalidArgument"
import { at, type JsonObject, type JsonValue, type Path, put } from "@wcs/domain/shared/Json"
import { Result } from "effect"
import * as fc from "fast-check"
import * as arbitraries from "../shared/arbitraries.ts"

type Outcome<Fields extends JsonObject> = Result.Result<Write.Written<Fields>, InvalidArgument>

const refusedField = (outcome: Result.Result<unknown, InvalidArgument>): string =>
  Result.isFailure(outcome) ? outcome.failure.field : "nothing was refused"
const fieldsOf = <Fields extends JsonObject>(outcome: Outcome<Fields>): Fields => Result.getOrThrow(outcome).fields

/** Every write to one stored resource. */
const writing = <Fields extends JsonObject>(resource: Resource<Fields>, id: string, fields: Fields) => {
  const stored: Stored<Fields> = { id, version: 1, createdAt: 0, updatedAt: 1000, deletedAt: null, fields }
  const shown = toDocument(resource, stored)
  return {
    stored,
    shown,
    post: (body: JsonValue): Outcome<Fields> => Write.create(resource, body),
    put: (body: JsonValue): Outcome<Fields> => Write.replace(resource, stored, shown, body),
    patch: (body: JsonValue): Outcome<Fields> => Write.patch(resource, stored, shown, body)
  }
}

const ann: WorkerFields = {
  identity: { displayName: "Ann O'Brien", firstName: "Ann", otherNames: ["Annie", "Nan"] },
  employment: { jobTitle: "Nurse", status: "ACTIVE" },
  source: { externalId: "E-1" }
}
const worker = writing(Worker, "wkr_0123456789abcDEF", ann)

const bo: ApplicantFields = { emailAddress: "bo@example.org", status: "HIRED", phone: "1" }
const applicant = writing(Applicant, "app_0123456789abcDEF", bo)

const card: CredentialFields = {
  attributes: {
    credentialType: "WWCC_VIC",
    identifier: "1234567A",
    eligibility: "MAY_ENGAGE",
    statusDetail: "VALID",
    lastVerifiedAt: "2026-01-31T09:30:00.000Z",
    lastCorrelationId: "c-1",
    lastKnown: { eligibility: "MAY_ENGAGE", statusDetail: "VALID" },
    owners: { worker: "wkr_0123456789abcDEF", applicant: null }
  }
}
const credential = writing(Credential, "cred_0123456789abcDEF", card)

describe("Write: the document of GET can be sent back", () => {
  const isTaken = <Fields extends JsonObject>(
    name: string,
    resource: Resource<Fields>,
    stored: fc.Arbitrary<Stored<Fields>>,
    show: (stored: Stored<Fields>) => JsonObject = (row) => toDocument(resource, row)
  ) =>
    it(`${name}: PUT and PATCH leave it unchanged, POST creates a copy`, () => {
      fc.assert(
        fc.property(stored, (row) => {
          const same = Result.succeed({ fields: row.fields, warnings: [] })
          assert.deepStrictEqual(Write.replace(resource, row, show(row), show(row)), same)
          assert.deepStrictEqual(Write.patch(resource, row, show(row), show(row)), same)
          assert.deepStrictEqual(Write.patch(resource, row, show(row), {}), same)
          const uncomputed = resource.computed.reduce<JsonObject>(
            (rest, path) => put(rest, path, undefined),
            row.fields
          )
          assert.deepStrictEqual(fieldsOf(Write.create(resource, show(row))) as JsonObject, uncomputed)
        })
      )
    })

  isTaken("a worker", Worker, arbitraries.stored("wkr_", arbitraries.workerFields))
  isTaken("an applicant", Applicant, arbitraries.stored("app_", arbitraries.applicantFields))
  isTaken(
    "a credential, expired or not",
    Credential,
    arbitraries.stored("cred_", arbitraries.credentialFields),
    (row) => documentOn(row, "2026-03-01")
  )
})

describe("Write: POST", () => {
  it("WRK-11: accepts the required fields only", () => {
    const fields = { identity: { displayName: "Ann" } }
    assert.deepStrictEqual(worker.post(fields), Result.succeed({ fields, warnings: [] }))
  })

  it("sets defaults for absent fields", () => {
    assert.deepStrictEqual(fieldsOf(applicant.post({ emailAddress: "bo@example.org" })), {
      emailAddress: "bo@example.org",
      status: "NEW"
    })
    const attributes = { credentialType: "FIRST_AID", owners: { worker: "wkr_0123456789abcDEF" } }
    assert.deepStrictEqual(fieldsOf(credential.post({ attributes })).attributes.owners, {
      worker: "wkr_0123456789abcDEF",
      applicant: null
    })
  })

  it("WRK-03: ignores the caller's id and computed fields with a warning", () => {
    const sent = { ...worker.shown, id: "wkr_AAAAAAAAAAAAAAAA", createdAt: "2000-01-01T00:00:00.000Z" }
    assert.deepStrictEqual(
      worker.post(sent),
      Result.succeed({
        fields: ann,
        warnings: ["id", "type", "createdAt", "updatedAt"].map((name) => `set by the server, ignored: ${name}`)
      })
    )
    const written = Result.getOrThrow(credential.post({ attributes: card.attributes }))
    assert.hasAllKeys(written.fields.attributes, ["credentialType", "identifier", "owners"])
    assert.deepStrictEqual(
      written.warnings,
      ["eligibility", "statusDetail", "lastVerifiedAt", "lastCorrelationId", "lastKnown"].map(
        (name) => `set by the server, ignored: attributes.${name}`
      )
    )
  })

  it("ignores unknown fields with a warning", () => {
    const sent = {
      identity: { displayName: "Ann", nickname: "A", otherNames: ["Nan"] },
      salary: { amount: 1, currency: "AUD" }
    }
    assert.deepStrictEqual(
      worker.post(sent),
      Result.succeed({
        fields: { identity: { displayName: "Ann", otherNames: ["Nan"] } },
        warnings: ["unknown field ignored: identity.nickname", "unknown field ignored: salary"]
      })
    )
  })

  it("names at most 20 unknown fields, each cut to a limit", () => {
    const unknown = Object.fromEntries(Array.from({ length: 50 }, (_, index) => ["x".repeat(500) + index, 1]))
    const { warnings } = Result.getOrThrow(worker.post({ ...unknown, identity: { displayName: "Ann" } }))
    assert.lengthOf(warnings, 20)
    for (const warning of warnings) assert.isAtMost(warning.length, 250)
  })

  it("threat 27: treats `__proto__` as an unknown field", () => {
    const sent: JsonValue = JSON.parse('{"identity":{"displayName":"Ann","__proto__":{"x":1}},"__proto__":{"y":1}}')
    const { fields, warnings } = Result.getOrThrow(worker.post(sent))
    assert.deepStrictEqual(fields, { identity: { displayName: "Ann" } })
    assert.lengthOf(warnings, 2)
    assert.isUndefined(({} as Record<string, unknown>)["y"])
  })
})

describe("Write: refused bodies and the field in the error", () => {
  const everyWay = ["post", "put", "patch"] as const

  it.each([null, [], [{}], "text", 1, true])("a body that is not an object: %j", (body) => {
    for (const way of everyWay) {
      assert.strictEqual(refusedField(worker[way](body)), "")
      assert.strictEqual(refusedField(credential[way](body)), "")
    }
  })

  const required: ReadonlyArray<readonly [name: string, outcome: Outcome<JsonObject>, field: string]> = [
    ["WRK-01: POST without identity", worker.post({}), "identity.displayName"],
    ["WRK-01: POST without displayName", worker.post({ identity: {} }), "identity.displayName"],
    ["WRK-01: POST with an empty displayName", worker.post({ identity: { displayName: "" } }), "identity.displayName"],
    ["WRK-01: POST with null", worker.post({ identity: { displayName: null } }), "identity.displayName"],
    ["ENV-05: PUT without displayName", worker.put({ identity: { firstName: "Ann" } }), "identity.displayName"],
    ["ENV-05: PUT of an empty object", worker.put({}), "identity.displayName"],
    ["PATCH that clears displayName", worker.patch({ identity: { displayName: null } }), "identity.displayName"],
    ["PATCH that clears identity", worker.patch({ identity: null }), "identity.displayName"],
    ["ENV-05: POST of an applicant without an address", applicant.post({}), "emailAddress"],
    ["PATCH that clears an address", applicant.patch({ emailAddress: null }), "emailAddress"],
    ["ENV-05: POST of a credential without attributes", credential.post({}), "attributes.credentialType"],
    ["PUT of a credential without a type", credential.put({ attributes: {} }), "attributes.credentialType"],
    [
      "PATCH that clears a type",
      credential.patch({ attributes: { credentialType: null } }),
      "attributes.credentialType"
    ]
  ]
  it.each(required)("a required field is missing or cleared: %s", (_name, outcome, field) => {
    assert.strictEqual(refusedField(outcome), field)
  })

  const mistyped: ReadonlyArray<readonly [body: JsonValue, field: string]> = [
    [{ identity: { displayName: 42 } }, "identity.displayName"],
    [{ identity: "Ann" }, "identity"],
    [{ identity: ["Ann"] }, "identity"],
    [{ identity: { displayName: "Ann", otherNames: "Nan" } }, "identity.otherNames"],
    [{ identity: { displayName: "Ann", otherNames: ["Nan", 1] } }, "identity.otherNames.1"],
    [{ identity: { displayName: "Ann" }, employment: { status: "RETIRED" } }, "employment.status"],
    [{ identity: { displayName: "Ann", birthDate: "2001-02-29" } }, "identity.birthDate"]
  ]
  it.each(mistyped)("ENV-06: a field of the wrong type: %j", (body, field) => {
    assert.strictEqual(refusedField(worker.post(body)), field)
    assert.strictEqual(refusedField(worker.put(body)), field)
    assert.strictEqual(refusedField(worker.patch(body)), field)
  })

  it("threat 39: the error does not repeat the value", () => {
    const secret = "1999-99-99 Ann's own business"
    const sent = { identity: { displayName: "Ann", birthDate: secret }, employment: { status: secret } }
    for (const way of everyWay) assert.notInclude(JSON.stringify(worker[way](sent)), "business")
  })
})

describe("Write: fields that only the server or a separate operation changes", () => {
  const paths: ReadonlyArray<Path> = [
    ["id"],
    ["type"],
    ["createdAt"],
    ["updatedAt"],
    ["attributes", "eligibility"],
    ["attributes", "statusDetail"],
    ["attributes", "lastVerifiedAt"],
    ["attributes", "lastCorrelationId"],
    ["attributes", "lastKnown"],
    ["attributes", "owners"]
  ]
  const others: ReadonlyArray<JsonValue> = ["other", 7, { other: 1 }, [], false]

  const isMovedByUpdates = (path: Path) => !["id", "type", "attributes.owners"].includes(path.join("."))

  it.each(paths)("%s %s: PATCH refuses another value; PUT too, except for values that updates change", (...path) => {
    const names = path.filter((name) => name !== undefined)
    for (const value of others) {
      const replaced = credential.put(put(credential.shown, names, value))
      if (isMovedByUpdates(names)) {
        const warnings = [`set by the server, ignored: ${names.join(".")}`]
        assert.deepStrictEqual(replaced, Result.succeed({ fields: card, warnings }))
      } else assert.strictEqual(refusedField(replaced), names.join("."))
      assert.strictEqual(refusedField(credential.patch(put({}, names, value))), names.join("."))
    }
    assert.strictEqual(refusedField(credential.patch(put({}, names, null))), names.join("."))
  })

  it.each(paths)("%s %s: may be absent or equal to GET, and stays unchanged", (...path) => {
    const names = path.filter((name) => name !== undefined)
    for (const outcome of [
      credential.put(put(credential.shown, names, undefined)),
      credential.put(credential.shown),
      credential.patch(put({}, names, at(credential.shown, names) ?? null))
    ]) {
      assert.deepStrictEqual(outcome, Result.succeed({ fields: card, warnings: [] }))
    }
  })

  it("ENV-16: a repeated PUT succeeds after any change by the first one", () => {
    const body = put(credential.shown, ["attributes", "identifier"], "7654321B")
    const first = fieldsOf(credential.put(body))
    const moved = put(
      put(credential.shown, ["updatedAt"], "2030-01-01T00:00:00.000Z"),
      ["attributes", "eligibility"],
      "ERROR"
    )
    const stored = { ...credential.stored, version: 9, fields: first }
    const second = Write.replace(Credential, stored, put(moved, ["attributes", "identifier"], "7654321B"), body)
    assert.deepStrictEqual(fieldsOf(second), first)
    assert.isTrue(Result.isSuccess(second) && second.success.warnings.includes("set by the server, ignored: updatedAt"))
  })

  it("PUT without these fields keeps them", () => {
    const attributes = { credentialType: "WWCC_VIC", identifier: "1234567A" }
    assert.deepStrictEqual(credential.put({ attributes }), Result.succeed({ fields: card, warnings: [] }))
  })

  it("an empty slot may be absent, but cannot be filled or exchanged", () => {
    const { worker } = card.attributes.owners
    const app = "app_0123456789abcDEF"
    assert.deepStrictEqual(fieldsOf(credential.patch({ attributes: { owners: { worker } } })), card)
    assert.deepStrictEqual(fieldsOf(credential.put(put(credential.shown, ["attributes", "owners"], { worker }))), card)
    for (const owners of [
      { worker, applicant: app },
      { worker: null, applicant: app },
      { worker: null },
      { applicant: app },
      { worker: "wkr_AAAAAAAAAAAAAAAA" }
    ]) {
      assert.strictEqual(refusedField(credential.patch({ attributes: { owners } })), "attributes.owners")
      assert.strictEqual(
        refusedField(credential.put(put(credential.shown, ["attributes", "owners"], owners))),
        "attributes.owners"
      )
    }
  })
})

describe("Write: PUT replaces", () => {
  it("clears absent fields", () => {
    assert.deepStrictEqual(fieldsOf(worker.put({ identity: { displayName: "Ann" } })), {
      identity: { displayName: "Ann" }
    })
  })

  it("ENV-16: gives the same result when repeated", () => {
    fc.assert(
      fc.property(arbitraries.workerFields, (body) => {
        const once = fieldsOf(worker.put(body))
        assert.deepStrictEqual(fieldsOf(writing(Worker, "wkr_0123456789abcDEF", once).put(body)), once)
        assert.deepStrictEqual(once, body)
      })
    )
  })

  it("sets defaults for absent fields", () => {
    assert.deepStrictEqual(fieldsOf(applicant.put({ emailAddress: "bo@example.org" })), {
      emailAddress: "bo@example.org",
      status: "NEW"
    })
  })

  it("warns about unknown fields", () => {
    assert.deepStrictEqual(Result.getOrThrow(worker.put({ ...worker.shown, salary: 1 })).warnings, [
      "unknown field ignored: salary"
    ])
  })
})

describe("Write: PATCH merges", () => {
  const changes: ReadonlyArray<readonly [name: string, patch: JsonObject, result: WorkerFields]> = [
    ["absent keeps", { source: { sourceSystem: "hr" } }, { ...ann, source: { externalId: "E-1", sourceSystem: "hr" } }],
    [
      "a value replaces",
      { employment: { jobTitle: "Tutor" } },
      { ...ann, employment: { jobTitle: "Tutor", status: "ACTIVE" } }
    ],
    ["null clears", { employment: { status: null } }, { ...ann, employment: { jobTitle: "Nurse" } }],
    ["null clears a whole object", { employment: null }, { identity: ann.identity, source: { externalId: "E-1" } }],
    ["null of an absent field changes nothing", { contact: null }, ann],
    [
      "an array replaces the array",
      { identity: { otherNames: ["Anna"] } },
      { ...ann, identity: { ...ann.identity, otherNames: ["Anna"] } }
    ]
  ]
  it.each(changes)("%s", (_name, patch, result) => {
    assert.deepStrictEqual(worker.patch(patch), Result.succeed({ fields: result, warnings: [] }))
  })

  it("a cleared field gets its default again", () => {
    assert.deepStrictEqual(fieldsOf(applicant.patch({ status: null })), { ...bo, status: "NEW" })
  })

  it("warns about unknown fields that remain after the merge", () => {
    assert.deepStrictEqual(Result.getOrThrow(worker.patch({ salary: 1, pension: null })).warnings, [
      "unknown field ignored: salary"
    ])
  })
})

describe("Write: fixed fields", () => {
  const reasonOf = <Fields extends JsonObject>(
    resource: Resource<Fields>,
    fields: Fields,
    path: Path,
    value: JsonValue
  ) => {
    const { patch } = writing(resource, "cred_0123456789abcDEF", fields)
    const outcome = patch(put({}, path, value))
    return Result.isFailure(outcome) ? outcome.failure.reason : "nothing was refused"
  }

  it("the error has the advice of the definition", () => {
    const owners = { worker: null, applicant: "app_0123456789abcDEF" }
    const reason = reasonOf(Credential, card, ["attributes", "owners"], owners)
    assert.strictEqual(reason, "cannot be changed by an update: use link, unlink or transfer")
  })

  it("the error has no advice if the definition has none", () => {
    const path = ["attributes", "credentialType"]
    const typed = { ...Credential, fixed: [{ path }] }
    assert.strictEqual(reasonOf(typed, card, path, "WWCC_NSW"), "cannot be changed")
  })

  it("a code is the id", () => {
    const fields = { code: "a", name: "A", active: true }
    assert.strictEqual(reasonOf(ScreeningPackage, fields, ["code"], "b"), "is the id and cannot be changed")
  })
})

describe("Write: plausible texts", () => {
  const today = "2026-11-28"
  const judged = <Fields extends JsonObject>(resource: Resource<Fields>, before: Fields | undefined, fields: Fields) =>
    refusedField(Write.judge(resource, before, { fields, warnings: [] }, today))
  const born = (birthDate: string): WorkerFields => ({ identity: { displayName: "Ann", birthDate } })
  const reached = (contact: WorkerFields["contact"]): WorkerFields => ({ ...ann, ...(contact && { contact }) })
  const held = (birthDate: string): CredentialFields => ({
    attributes: { ...card.attributes, holder: { firstName: "Ann", birthDate } }
  })
  const none = "nothing was refused"

  it("threat 41: refuses a birth date that nobody can have, and an email address without an @", () => {
    assert.strictEqual(judged(Worker, undefined, born("1990-01-01")), none)
    assert.strictEqual(judged(Worker, undefined, born("2026-11-30")), "identity.birthDate")
    assert.strictEqual(judged(Worker, undefined, born("1899-01-01")), "identity.birthDate")
    assert.strictEqual(judged(Applicant, bo, { ...bo, birthDate: "0990-01-01" }), "birthDate")
    assert.strictEqual(judged(Credential, card, held("2090-01-01")), "attributes.holder.birthDate")
    assert.strictEqual(judged(Worker, ann, reached({ workEmail: "none" })), "contact.workEmail")
    assert.strictEqual(judged(Worker, ann, reached({ personalEmail: "a b@c" })), "contact.personalEmail")
    assert.strictEqual(judged(Worker, ann, reached({ workEmail: "ann@example.org" })), none)
  })

  it("keeps a stored text that is not plausible, and refuses another one", () => {
    const old = { ...born("0990-01-01"), contact: { workEmail: "none" } }
    assert.strictEqual(judged(Worker, old, { ...old, source: { externalId: "E-2" } }), none)
    assert.strictEqual(judged(Worker, old, { ...old, contact: { workEmail: "nobody" } }), "contact.workEmail")
    assert.strictEqual(judged(Worker, old, { ...old, ...born("0991-01-01") }), "identity.birthDate")
  })
})
