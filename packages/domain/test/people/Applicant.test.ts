import { assert, describe, it } from "@effect/vitest"
import { Applicant, ApplicantFields } from "@wcs/domain/people/Applicant"
import { toDocument } from "@wcs/domain/resource/Resource"
import { Result, Schema } from "effect"
import * as fc from "fast-check"
import * as arbitraries from "../shared/arbitraries.ts"

const read = Schema.decodeUnknownResult(ApplicantFields)
const addressed = { emailAddress: "ann@example.org", status: "NEW" }

describe("Applicant", () => {
  it("reads what it writes", () => {
    fc.assert(
      fc.property(arbitraries.applicantFields, (fields) => {
        assert.deepStrictEqual(read(fields), Result.succeed(fields))
      })
    )
  })

  it.each(["NEW", "SCREENING", "COMPLETED", "HIRED", "WITHDRAWN"])("can be %s", (status) => {
    assert.isTrue(Result.isSuccess(read({ ...addressed, status })))
  })

  it.each([
    ["no address", { status: "NEW" }],
    ["an empty address", { ...addressed, emailAddress: "" }],
    ["an address without @", { ...addressed, emailAddress: "ann" }],
    ["an address with two @", { ...addressed, emailAddress: "ann@bo@example.org" }],
    ["an address with white space", { ...addressed, emailAddress: "ann o@example.org" }],
    ["an address of two lines", { ...addressed, emailAddress: "ann@example.org\nBcc: bo@example.org" }],
    ["an address without end", { ...addressed, emailAddress: `${"a".repeat(250)}@b.au` }],
    ["no status, which the caller is given before", { emailAddress: "ann@example.org" }],
    ["an unknown status", { ...addressed, status: "REJECTED" }],
    ["a day that the calendar has not", { ...addressed, birthDate: "2001-02-29" }]
  ])("refuses %s", (_name, fields) => {
    assert.isTrue(Result.isFailure(read(fields)))
  })

  it("CRD-10: is shown with its fields on itself", () => {
    fc.assert(
      fc.property(arbitraries.stored("app_", arbitraries.applicantFields), (row) => {
        const { createdAt: _c, id, type, updatedAt: _u, ...fields } = toDocument(Applicant, row)
        assert.deepStrictEqual({ id, type, fields }, { id: row.id, type: "applicant", fields: row.fields })
      })
    )
  })
})
