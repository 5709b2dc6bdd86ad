import { assert, describe, it } from "@effect/vitest"
import { Applicant, ApplicantFields } from "@wcs/domain/people/Applicant"
import { toDocument } from "@wcs/domain/resource/Resource"
import { Result, Schema } from "effect"
import * as fc from "fast-check"
import * as arbitraries from "../shared/arbitraries.ts"

const read = Schema.decodeUnknownResult(ApplicantFields)
const addressed = { emailAddress: "ann@example.org", status: "NEW" }

describe("Applicant", () => {
  it("decodes what it encodes", () => {
    fc.assert(
      fc.property(arbitraries.applicantFields, (fields) => {
        assert.deepStrictEqual(read(fields), Result.succeed(fields))
      })
    )
  })

  it.each(["NEW", "SCREENING", "COMPLETED", "HIRED", "WITHDRAWN"])("accepts the status %s", (status) => {
    assert.isTrue(Result.isSuccess(read({ ...addressed, status })))
  })

  it.each([
    ["no address", { status: "NEW" }],
    ["an empty address", { ...addressed, emailAddress: "" }],
    ["an address without @", { ...addressed, emailAddress: "ann" }],
    ["an address with two @", { ...addressed, emailAddress: "ann@bo@example.org" }],
    ["an address with white space", { ...addressed, emailAddress: "ann o@example.org" }],
    ["an address with a line break", { ...addressed, emailAddress: "ann@example.org\nBcc: bo@example.org" }],
    ["a too long address", { ...addressed, emailAddress: `${"a".repeat(250)}@b.au` }],
    ["no status, which has a default", { emailAddress: "ann@example.org" }],
    ["an unknown status", { ...addressed, status: "REJECTED" }],
    ["a date that does not exist", { ...addressed, birthDate: "2001-02-29" }]
  ])("refuses %s", (_name, fields) => {
    assert.isTrue(Result.isFailure(read(fields)))
  })

  it("CRD-10: has its fields at the top level of the document", () => {
    fc.assert(
      fc.property(arbitraries.stored("app_", arbitraries.applicantFields), (row) => {
        const { createdAt: _c, id, type, updatedAt: _u, ...fields } = toDocument(Applicant, row)
        assert.deepStrictEqual({ id, type, fields }, { id: row.id, type: "applicant", fields: row.fields })
      })
    )
  })
})
