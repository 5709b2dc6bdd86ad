import { assert, describe, it } from "@effect/vitest"
import {
  Credential,
  CredentialFields,
  classify,
  documentOn,
  eventOf,
  isVerifiable,
  readOn,
  remarksOn,
  requireOwner,
  unverified
} from "@wcs/domain/holding/Credential"
import { catalogue } from "@wcs/domain/holding/CredentialType"
import { afterUpdate, settleUpdate, withoutStaleJurisdiction } from "@wcs/domain/holding/CredentialUpdate"
import { ownersIn } from "@wcs/domain/ownership/Ownership"
import { InvalidArgument } from "@wcs/domain/shared/InvalidArgument"
import { Result, Schema } from "effect"
import * as fc from "fast-check"
import { fieldsWith, storedWith } from "../credential/CredentialFixtures.ts"
import * as arbitraries from "../shared/arbitraries.ts"

const worker = "wkr_0123456789abcDEF"
const applicant = "app_0123456789abcDEF"
const today = "2026-01-31"
const read = Schema.decodeUnknownResult(CredentialFields)

type Attributes = CredentialFields["attributes"]

describe("Credential: fields", () => {
  it("decodes what it encodes", () => {
    fc.assert(
      fc.property(arbitraries.credentialFields, (fields) => {
        assert.deepStrictEqual(read(fields), Result.succeed(fields))
      })
    )
  })

  it.each([
    ["CRD-05: a worker in the applicant slot", { owners: { worker: null, applicant: worker } }],
    ["CRD-05: an applicant in the worker slot", { owners: { worker: applicant, applicant: null } }],
    ["CRD-05: two workers", { owners: { worker: [worker, worker], applicant: null } }],
    ["CRD-04: a missing slot", { owners: { worker } }],
    ["a type that is not in the catalogue", { credentialType: "LICENCE" }],
    ["an unknown jurisdiction", { jurisdiction: "NZ" }],
    ["a date that does not exist", { expiryDate: "2026-02-30" }],
    ["an unknown eligibility", { eligibility: "PERHAPS" }],
    ["an unknown detail", { statusDetail: "LOST" }],
    ["too long text", { identifier: "1".repeat(101) }],
    ["a holder that is a string", { holder: "Ann" }]
  ])("refuses %s", (_name, attributes) => {
    const { credentialType, identifier, owners } = fieldsWith({}).attributes
    assert.isTrue(Result.isFailure(read({ attributes: { credentialType, identifier, owners, ...attributes } })))
  })
})

describe("Credential: owners", () => {
  it.each([
    [{ worker, applicant: null }, [{ type: "worker", id: worker }]],
    [{ worker: null, applicant }, [{ type: "applicant", id: applicant }]],
    [
      { worker, applicant },
      [
        { type: "worker", id: worker },
        { type: "applicant", id: applicant }
      ]
    ],
    [{ worker: null, applicant: null }, []]
  ])("returns the owners of %j", (owners, expected) => {
    const fields = fieldsWith({ owners })
    assert.deepStrictEqual(ownersIn(owners) as ReadonlyArray<unknown>, expected)
    assert.strictEqual(Result.isSuccess(requireOwner(fields)), expected.length > 0)
  })

  it("§8: refuses a credential without an owner and names the field", () => {
    const outcome = requireOwner(fieldsWith({ owners: { worker: null, applicant: null } }))
    assert.strictEqual(Result.isFailure(outcome) && outcome.failure.field, "attributes.owners")
  })
})

describe("Credential: classification", () => {
  it("CRD-09: creating a credential starts a verification exactly for verifiable types", () => {
    for (const { code, verifiable } of catalogue) {
      assert.strictEqual(isVerifiable(fieldsWith({ credentialType: code })), verifiable)
    }
  })

  it("fills in the jurisdiction of the type if absent", () => {
    const written = Result.getOrThrow(classify(fieldsWith({})))
    assert.deepStrictEqual(written, { fields: fieldsWith({ jurisdiction: "NSW" }), warnings: [] })
    const given = fieldsWith({ credentialType: "POLICE_CHECK_NATIONAL", jurisdiction: "QLD" })
    assert.deepStrictEqual(classify(given), Result.succeed({ fields: given, warnings: [] }))
  })

  it.each([
    ["is from the old type: removes it", "NATIONAL", "NATIONAL", undefined],
    ["is sent with the new type: keeps it", "NATIONAL", "VIC", "VIC"]
  ] as const)("when the type changes and the jurisdiction %s", (_name, was, said, left) => {
    const before = fieldsWith({ credentialType: "NDIS_WORKER_SCREENING", jurisdiction: was })
    const after = fieldsWith({ credentialType: "TEACHER_REGISTRATION_VIC", jurisdiction: said })
    assert.strictEqual(withoutStaleJurisdiction(before, after).attributes.jurisdiction, left)
    assert.deepStrictEqual(withoutStaleJurisdiction(before, before), before)
  })

  it("refuses what the catalogue refuses, and returns its warnings", () => {
    const refused = classify(fieldsWith({ identifier: "42" }))
    assert.isTrue(Result.isFailure(refused) && refused.failure instanceof InvalidArgument)
    const remarked = Result.getOrThrow(classify(fieldsWith({ credentialType: "WWCC_VIC", identifier: "?" })))
    assert.lengthOf(remarked.warnings, 1)
    const elsewhere = Result.getOrThrow(classify(fieldsWith({ jurisdiction: "VIC" })))
    assert.deepStrictEqual(elsewhere.warnings, ["attributes.jurisdiction is unusual for WWCC_NSW: expected NSW"])
  })

  const blueCard: Partial<Attributes> = { credentialType: "BLUE_CARD_QLD", identifier: "123456/1" }
  it.each([
    ["R2: a detail of the register is missing", { holder: { lastName: "Example" } }, ["attributes.holder.birthDate"]],
    ["R1, R2: Queensland gets no declared date", blueCard, ["attributes.expiryDate is missing"]],
    [
      "R1, R2: Queensland's date came from the register",
      { ...blueCard, expiryDate: "2027-01-31", expiryDateOrigin: "register" as const },
      ["attributes.expiryDate is missing"]
    ],
    [
      "R4: no card is valid that long",
      { expiryDate: "2032-01-31" },
      ["attributes.expiryDate is later than any WWCC_NSW"]
    ],
    ["nothing is missing", { expiryDate: "2030-01-31" }, []]
  ] as const)("warns when %s", (_name, attributes, expected) => {
    const remarks = remarksOn(fieldsWith(attributes), today)
    assert.lengthOf(remarks, expected.length)
    for (const [index, text] of expected.entries()) assert.include(remarks[index], text)
  })
})

describe("Credential: last verdict", () => {
  const verified: Partial<Attributes> = {
    eligibility: "MAY_ENGAGE",
    statusDetail: "VALID",
    lastVerifiedAt: "2026-01-31T09:30:00.000Z",
    lastCorrelationId: "c-1",
    lastKnown: { eligibility: "MAY_ENGAGE", statusDetail: "VALID" }
  }

  it("is PENDING after creating a verifiable credential, with the correlation id of its event", () => {
    assert.deepStrictEqual(
      unverified(fieldsWith(verified), "c-2"),
      fieldsWith({ eligibility: "IN_PROGRESS", statusDetail: "PENDING", lastCorrelationId: "c-2" })
    )
  })

  it("is absent if the type is not verifiable", () => {
    assert.deepStrictEqual(
      unverified(fieldsWith({ ...verified, credentialType: "FIRST_AID" }), "c-2"),
      fieldsWith({ credentialType: "FIRST_AID", lastCorrelationId: "c-2" })
    )
  })

  const clearing: ReadonlyArray<readonly [name: string, change: Partial<Attributes>]> = [
    ["credentialType", { credentialType: "WWCC_VIC" }],
    ["identifier", { identifier: "WWC7654321E" }],
    ["issueNumber", { issueNumber: "2" }],
    ["holder", { holder: { firstName: "Ann" } }]
  ]
  it.each(clearing)("is cleared by a change of %s", (_name, change) => {
    const after = afterUpdate(fieldsWith(verified), fieldsWith({ ...verified, ...change }))
    assert.deepStrictEqual(
      after,
      fieldsWith({ ...change, eligibility: "IN_PROGRESS", statusDetail: "PENDING", lastCorrelationId: "c-1" })
    )
  })

  it("is cleared when the holder's name is removed", () => {
    const before = fieldsWith({ ...verified, holder: { firstName: "Ann" } })
    assert.strictEqual(afterUpdate(before, fieldsWith(verified)).attributes.statusDetail, "PENDING")
  })

  const keeping: ReadonlyArray<readonly [name: string, change: Partial<Attributes>]> = [
    ["nothing", {}],
    ["category", { category: "Employee" }],
    ["jurisdiction", { jurisdiction: "VIC" }],
    ["cardType", { cardType: "Paid" }],
    ["issueDate", { issueDate: "2026-01-01" }],
    ["expiryDate", { expiryDate: "2027-01-01" }],
    ["owners", { owners: { worker, applicant } }]
  ]
  it.each(keeping)("is kept by a change of %s", (_name, change) => {
    const after = fieldsWith({ ...verified, ...change })
    assert.deepStrictEqual(afterUpdate(fieldsWith(verified), after), after)
  })

  it("R2: is PENDING again once nothing that the register needs is missing", () => {
    const lacking = {
      credentialType: "BLUE_CARD_QLD",
      eligibility: "REVIEW_REQUIRED",
      statusDetail: "DETAILS_MISSING"
    } as const
    const completed = afterUpdate(fieldsWith(lacking), fieldsWith({ ...lacking, expiryDate: "2027-01-31" }), "c-2")
    assert.deepInclude(completed.attributes, { statusDetail: "PENDING", lastCorrelationId: "c-2" })
  })

  it("R1: is cleared by another declared expiry date where the register is asked with it", () => {
    const card = { ...verified, credentialType: "BLUE_CARD_QLD", expiryDate: "2027-01-31" } as const
    const corrected = afterUpdate(fieldsWith(card), fieldsWith({ ...card, expiryDate: "2028-01-31" }))
    assert.deepInclude(corrected.attributes, { statusDetail: "PENDING", expiryDate: "2028-01-31" })
  })

  it("has the correlation id of the verification that the update starts, if any", () => {
    const corrected = afterUpdate(fieldsWith(verified), fieldsWith({ ...verified, identifier: "WWC7654321E" }), "c-2")
    assert.deepInclude(corrected.attributes, { statusDetail: "PENDING", lastCorrelationId: "c-2" })
    const retyped = afterUpdate(fieldsWith(verified), fieldsWith({ ...verified, credentialType: "FIRST_AID" }), "c-2")
    assert.deepStrictEqual(retyped, fieldsWith({ credentialType: "FIRST_AID", lastCorrelationId: "c-1" }))
    const renamed = afterUpdate(fieldsWith(verified), fieldsWith({ ...verified, category: "Employee" }), "c-2")
    assert.strictEqual(renamed.attributes.lastCorrelationId, "c-1")
  })
})

describe("Credential: origin of the expiry date", () => {
  const given = { expiryDate: "2026-01-31", expiryDateOrigin: "register" } as const
  const another = { identifier: "WWC7654321E" }
  const dateOf = ({ attributes: { expiryDate, expiryDateOrigin } }: CredentialFields) => [expiryDate, expiryDateOrigin]

  it("removes a register's date when the card changes, and keeps a declared date", () => {
    const cleared = afterUpdate(fieldsWith(given), fieldsWith({ ...given, ...another }))
    assert.deepStrictEqual(dateOf(cleared), [undefined, undefined])
    const declared = { expiryDate: "2026-01-31" }
    const kept = afterUpdate(fieldsWith(declared), fieldsWith({ ...declared, ...another }))
    assert.deepStrictEqual(dateOf(kept), ["2026-01-31", undefined])
  })

  it("an update with the same date keeps its origin", () => {
    const renamed = fieldsWith({ ...given, category: "Employee" })
    assert.deepStrictEqual(afterUpdate(fieldsWith(given), renamed), renamed)
  })

  it.each([
    ["another date", { expiryDate: "2027-01-31" }],
    ["another card and another date", { ...another, expiryDate: "2027-01-31" }],
    ["no date", { expiryDate: undefined }]
  ])("an update with %s makes the date declared", (_name, { expiryDate, ...change }) => {
    const { expiryDate: _, ...others } = given
    const date = expiryDate === undefined ? {} : { expiryDate }
    const after = afterUpdate(fieldsWith(given), fieldsWith({ ...others, ...change, ...date }))
    assert.deepStrictEqual(dateOf(after), [expiryDate, undefined])
  })

  it("is stored and never returned", () => {
    const hidden = { cleared: { expiryDate: "2025-01-31" }, declaredExpiryDate: "2025-01-31" }
    const shown = documentOn(storedWith({ ...given, ...hidden }), "2026-01-31").attributes
    assert.strictEqual(shown.expiryDate, given.expiryDate)
    assert.notProperty(shown, "expiryDateOrigin")
    assert.notProperty(shown, "cleared")
    assert.notProperty(shown, "declaredExpiryDate")
  })
})

describe("Credential: ENV-16, a repeated PUT", () => {
  const before = fieldsWith({ jurisdiction: "NSW", expiryDate: "2026-01-31", expiryDateOrigin: "register" })
  const sent = fieldsWith({ credentialType: "WWCC_VIC", jurisdiction: "NSW", expiryDate: "2026-01-31" })
  /** Computed fields keep their stored values for any body. */
  const put = (stored: CredentialFields, { attributes }: CredentialFields) => {
    const { cleared, expiryDateOrigin } = stored.attributes
    const computed = {
      ...(cleared === undefined ? {} : { cleared }),
      ...(expiryDateOrigin === undefined ? {} : { expiryDateOrigin })
    }
    const body = { attributes: { ...attributes, ...computed } }
    return Result.getOrThrow(settleUpdate(stored, body, { method: "replace", correlationId: undefined, today }))
  }
  const once = put(before, sent).fields
  const answer = { expiryDate: "2028-01-31", expiryDateOrigin: "register" } as const
  const answered: CredentialFields = { attributes: { ...once.attributes, ...answer } }

  it("does not restore a cleared date or jurisdiction, and warns each time", () => {
    for (const { fields, warnings } of [put(before, sent), put(once, sent)]) {
      const { expiryDate, jurisdiction } = fields.attributes
      assert.deepStrictEqual([expiryDate, jurisdiction], [undefined, "VIC"])
      assert.includeMembers(
        [...warnings],
        ["set by the server, ignored: attributes.expiryDate", "set by the server, ignored: attributes.jurisdiction"]
      )
    }
  })

  it("keeps the date that the register set for the new fields before the repeated PUT", () => {
    assert.deepInclude(put(answered, sent).fields.attributes, answer)
  })

  it("clears the date again when the body changes the type and repeats a date that was cleared before", () => {
    const third = fieldsWith({ credentialType: "WWCC_SA", expiryDate: "2026-01-31" })
    const { fields } = put(answered, third)
    assert.notProperty(fields.attributes, "expiryDate")
    assert.deepStrictEqual(put(fields, third).fields.attributes.expiryDate, undefined)
  })

  it("clears absent values, and declares values that were not cleared", () => {
    assert.notProperty(put(before, fieldsWith({})).fields.attributes, "expiryDate")
    const own = { jurisdiction: "QLD", expiryDate: "2027-01-31" } as const
    const { attributes } = put(once, fieldsWith({ credentialType: "WWCC_VIC", ...own })).fields
    assert.deepInclude(attributes, own)
    assert.notProperty(attributes, "expiryDateOrigin")
  })

  it("a new type keeps the jurisdiction that is sent with it", () => {
    const other = fieldsWith({ credentialType: "POLICE_CHECK_NATIONAL", jurisdiction: "NSW" })
    assert.strictEqual(put(once, other).fields.attributes.jurisdiction, "NSW")
  })

  it("a PATCH can set a cleared value again", () => {
    const own = { attributes: { ...once.attributes, jurisdiction: "NSW", expiryDate: "2026-01-31" } } as const
    const { fields, warnings } = Result.getOrThrow(
      settleUpdate(once, own, { method: "patch", correlationId: undefined, today })
    )
    assert.deepInclude(fields.attributes, { jurisdiction: "NSW", expiryDate: "2026-01-31" })
    assert.notProperty(fields.attributes, "expiryDateOrigin")
    assert.notInclude(warnings.join(), "ignored")
  })
})

describe("Credential: reads as EXPIRED after its expiry date, without a register", () => {
  const valid = { eligibility: "MAY_ENGAGE", statusDetail: "VALID", expiryDate: "2026-03-01" } as const

  it.each([
    ["is not expired the day before", "2026-02-28", "MAY_ENGAGE VALID"],
    ["is not expired on its last day", "2026-03-01", "MAY_ENGAGE VALID"],
    ["is expired the day after", "2026-03-02", "MAY_NOT_ENGAGE EXPIRED"]
  ])("%s", (_name, today, expected) => {
    const { eligibility, statusDetail } = documentOn(storedWith(valid), today).attributes
    assert.strictEqual(`${eligibility} ${statusDetail}`, expected)
  })

  it("does not change the stored credential", () => {
    const row = storedWith(valid)
    assert.deepStrictEqual(readOn(row, "2030-01-01").fields, {
      attributes: { ...row.fields.attributes, eligibility: "MAY_NOT_ENGAGE", statusDetail: "EXPIRED" }
    })
    assert.deepStrictEqual(row, storedWith(valid))
  })

  it("never expires without an expiry date", () => {
    fc.assert(
      fc.property(arbitraries.stored("cred_", arbitraries.credentialFields), (row) => {
        const { expiryDate: _, ...attributes } = row.fields.attributes
        const endless = { ...row, fields: { attributes } }
        assert.strictEqual(readOn(endless, "9999-12-31"), endless)
      })
    )
  })
})

describe("Credential: events", () => {
  it("threat 39: have ids and no personal data", () => {
    fc.assert(
      fc.property(arbitraries.stored("cred_", arbitraries.credentialFields), (row) => {
        const { fields, id } = row
        const { credentialType, jurisdiction = null, owners } = fields.attributes
        const slots = { ...row, ...fields.attributes, jurisdiction }
        const event = eventOf("credential.created", "evt_0", slots, "c-1", 1_700_000_000_000)
        assert.deepStrictEqual(event, {
          id: "evt_0",
          kind: "credential.created",
          subjectId: id,
          correlationId: "c-1",
          data: { credential: { id, type: "credential", credentialType, owners } },
          about: { credentialType, jurisdiction },
          at: 1_700_000_000_000
        })
      })
    )
  })
})

describe("Credential: document", () => {
  it("CRD-04: has `attributes.owners` with both keys, null for an empty slot", () => {
    const shown = documentOn(storedWith({}), "2026-03-01")
    assert.deepStrictEqual(shown.attributes.owners, { worker, applicant: null })
    assert.include(shown, { id: "cred_0123456789abcDEF", type: "credential", createdAt: "1970-01-01T00:00:00.000Z" })
    assert.strictEqual(Credential.collection, "credentials")
  })
})
