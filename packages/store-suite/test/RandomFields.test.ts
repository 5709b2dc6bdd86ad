import { assert, describe, it } from "@effect/vitest"
import { Applicant } from "@wcs/domain/Applicant"
import { Credential } from "@wcs/domain/Credential"
import type { JsonObject } from "@wcs/domain/Json"
import type { Resource } from "@wcs/domain/Resource"
import { Worker } from "@wcs/domain/Worker"
import { fullApplicant, fullCredential, fullWorker } from "@wcs/store-suite/FullFields"
import { applicants, credentials, workers } from "@wcs/store-suite/RandomFields"
import { Schema } from "effect"
import fc from "fast-check"

const decodesToItself = <Fields extends JsonObject>(resource: Resource<Fields>, fields: Fields): void =>
  assert.deepStrictEqual(Schema.decodeUnknownSync(resource.fields)(fields), fields)

// A store may decode what it reads: what the suite stores must be what the domain lets in.
describe("the fields that the suite stores", () => {
  it("are fields of their resources, drawn at random", () => {
    fc.assert(fc.property(workers, (fields) => decodesToItself(Worker, fields)))
    fc.assert(fc.property(applicants, (fields) => decodesToItself(Applicant, fields)))
    fc.assert(fc.property(credentials, (fields) => decodesToItself(Credential, fields)))
  })

  it("are fields of their resources, all of them present", () => {
    decodesToItself(Worker, fullWorker)
    decodesToItself(Applicant, fullApplicant)
    decodesToItself(Credential, fullCredential("wkr_0123456789abcdef", "app_0123456789abcdef"))
  })
})
