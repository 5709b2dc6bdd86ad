import { Reach } from "@wcs/domain/people/Address"
import { Worker, WorkerFields } from "@wcs/domain/people/Worker"
import { Proof } from "@wcs/domain/proof/ProofFile"
import { readsOf } from "@wcs/domain/resource/DerivedAnswer"
import { results } from "@wcs/domain/screening/KeptCompliance"
import { WorkerId } from "@wcs/domain/shared/Id"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { crudEndpoints } from "../CrudGroup.ts"
import { documentOf, One, ResourceId } from "../Envelope.ts"
import { GuardOf, guard, guardOfAll } from "../Guard.ts"
import { asOf, parameter, readParameters, search, unit, unreachable } from "../ListParameters.ts"
import { PrintedOf } from "../ListTable.ts"
import { workerTable } from "../ListTables.ts"
import { guarded } from "../Middleware.ts"
import { restoreEndpoint } from "../Restoring.ts"
import { showsTag, TagsOf } from "../TagsOf.ts"
import { everyCall, everyComparison, wireErrors } from "../WireError.ts"
import { CredentialDocument } from "./CredentialsApi.ts"

/** The response form of a worker. */
export const WorkerDocument = documentOf("worker", WorkerId, {
  ...{ ...WorkerFields.fields, ...Reach.fields },
  credentials: Schema.optionalKey(
    Schema.Array(CredentialDocument).annotate({
      description: "Present with include=credentials: the oldest 100 credentials of the worker, without deleted ones."
    })
  )
}).annotate({ identifier: "Worker" })

const includeParameter = {
  include: parameter(
    "credentials: includes the credentials of the worker. Requires credential READ.",
    Schema.Literal("credentials")
  )
}

const WorkerWrite = WorkerFields.annotate({ identifier: "WorkerWrite" })

const { create, list, patch, remove, replace } = crudEndpoints(Worker, {
  document: WorkerDocument,
  table: workerTable,
  create: WorkerWrite,
  replace: WorkerWrite,
  createErrors: [wireErrors.UNPROCESSABLE],
  updateErrors: [wireErrors.UNPROCESSABLE],
  filters: {
    ...includeParameter,
    compliance: parameter(
      "PASS: passes every enabled compliance check today. FAIL: fails at least one. Without enabled checks, no worker " +
        "matches. Requires READ of complianceCheck, credential, ban and exemption.",
      Schema.Literals(results)
    ),
    externalId: parameter("Exact match on `source.externalId`."),
    sourceSystem: parameter("Exact match on `source.sourceSystem`."),
    unit,
    unreachable,
    query: search
  }
})

/** `/workers` (§4.2). */
export class WorkersApi extends guarded(
  HttpApiGroup.make("workers").add(
    list,
    create,
    HttpApiEndpoint.get("read", "/workers/:id", {
      params: ResourceId,
      query: { ...readParameters, ...includeParameter, asOf },
      success: One(WorkerDocument),
      error: [...everyComparison, ...everyCall]
    })
      .annotate(GuardOf, guard("worker", "READ"))
      .annotate(TagsOf, showsTag(Worker)),
    HttpApiEndpoint.get("proof", "/workers/:id/proof", {
      params: ResourceId,
      query: { asOf },
      success: One(Proof.annotate({ identifier: "Proof" })),
      error: [wireErrors.UNPROCESSABLE, ...everyCall]
    })
      .annotate(OpenApi.Summary, "Proof of a worker's clearance")
      .annotate(
        OpenApi.Description,
        "Returns what was known of the worker at a time, as a file that `wcs audit verify --file` checks without the " +
          "service: the six facts of each card, the result of each compliance check and why, decisions, exemptions, and the " +
          "seals of the audit log that cover them. Keep the whole answer, byte by byte. `doesNotProve` says what a proof " +
          "does not show. `Accept: text/html` returns the same facts as a page to print. The audit entries need auditEvent READ."
      )
      .annotate(PrintedOf, true)
      .annotate(GuardOf, guardOfAll(readsOf("proof"), "intensive")),
    replace,
    patch,
    remove,
    restoreEndpoint(Worker, One(WorkerDocument))
  )
) {}
