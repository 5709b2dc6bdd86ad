import { type OwnerType, ownerTypes } from "@wcs/domain/ownership/Ownership"
import { ApplicantFields } from "@wcs/domain/people/Applicant"
import { WorkerFields } from "@wcs/domain/people/Worker"
import { ApplicantId, WorkerId } from "@wcs/domain/shared/Id"
import { Schema } from "effect"
import { documentOf } from "./Envelope.ts"
import { parameter } from "./ListParameters.ts"

const worker = documentOf("worker", WorkerId, WorkerFields.fields).annotate({ identifier: "OwningWorker" })
const applicant = documentOf("applicant", ApplicantId, ApplicantFields.fields).annotate({
  identifier: "OwningApplicant"
})

/** The field `owners` of a document, which `include=owners` adds. */
export const includedOwners = Schema.optionalKey(
  Schema.Struct({
    worker: Schema.NullOr(worker).annotate({
      description: "The worker in full. Null if there is none, or if the worker is deleted."
    }),
    applicant: Schema.NullOr(applicant).annotate({
      description: "The applicant in full. Null if there is none, or if the applicant is deleted."
    })
  } satisfies Record<OwnerType, unknown>).annotate({
    description: "The people of the record. Present with include=owners."
  })
)

const requires = `Requires ${ownerTypes.map((type) => `${type} READ`).join(" and ")}.`

/** The query parameter that adds `owners`. */
export const includeOwners = {
  include: parameter(`owners: includes the people of the record. ${requires}`, Schema.Literal("owners"))
}
