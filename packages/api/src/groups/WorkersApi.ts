import { WorkerFields } from "@wcs/domain/people/Worker"
import { WorkerId } from "@wcs/domain/shared/Id"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { documentOf, Location, Many, One, ResourceId } from "../Envelope.ts"
import { GuardOf, guard } from "../Guard.ts"
import { listParameters, parameter, readParameters } from "../ListParameters.ts"
import { mergePatch } from "../MergePatch.ts"
import { AnswerRefusals, Authenticate, Authorize, Begin, LimitRate, ResolveTenant } from "../Middleware.ts"
import { everyBody, everyCall, wireErrors } from "../WireError.ts"
import { CredentialDocument } from "./CredentialsApi.ts"

/** The response form of a worker. */
export const WorkerDocument = documentOf("worker", WorkerId, {
  ...WorkerFields.fields,
  credentials: Schema.optionalKey(
    Schema.Array(CredentialDocument).annotate({
      description: "Present with include=credentials: the oldest 100 credentials of the worker, without deleted ones."
    })
  )
}).annotate({ identifier: "Worker" })

const includeParameter = {
  include: parameter("credentials: includes the credentials of the worker. Requires credential READ.")
}

const WorkerWrite = WorkerFields.annotate({ identifier: "WorkerWrite" })

/** `/workers` (§4.2). */
export class WorkersApi extends HttpApiGroup.make("workers")
  .add(
    HttpApiEndpoint.get("list", "/workers", {
      query: {
        ...listParameters,
        ...includeParameter,
        externalId: parameter("Exact match on source.externalId."),
        sourceSystem: parameter("Exact match on source.sourceSystem."),
        query: parameter("Prefix of the display name or last name, ignoring case.")
      },
      success: Many(WorkerDocument),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    }).annotate(GuardOf, guard("worker", "READ")),
    HttpApiEndpoint.post("create", "/workers", {
      payload: WorkerWrite,
      success: HttpApiSchema.WithHeaders(One(WorkerDocument).pipe(HttpApiSchema.status(201)), Location),
      error: [...everyBody, ...everyCall]
    }).annotate(GuardOf, guard("worker", "CREATE")),
    HttpApiEndpoint.get("read", "/workers/:id", {
      params: ResourceId,
      query: { ...readParameters, ...includeParameter },
      success: One(WorkerDocument),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    }).annotate(GuardOf, guard("worker", "READ")),
    HttpApiEndpoint.put("replace", "/workers/:id", {
      params: ResourceId,
      payload: WorkerWrite,
      success: One(WorkerDocument),
      error: [...everyBody, ...everyCall]
    }).annotate(GuardOf, guard("worker", "UPDATE")),
    HttpApiEndpoint.patch("patch", "/workers/:id", {
      params: ResourceId,
      payload: mergePatch,
      success: One(WorkerDocument),
      error: [...everyBody, ...everyCall]
    }).annotate(GuardOf, guard("worker", "UPDATE")),
    HttpApiEndpoint.delete("remove", "/workers/:id", {
      params: ResourceId,
      success: HttpApiSchema.NoContent,
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    }).annotate(GuardOf, guard("worker", "DELETE"))
  )
  .middleware(AnswerRefusals)
  .middleware(Authorize)
  .middleware(LimitRate)
  .middleware(Authenticate)
  .middleware(ResolveTenant)
  .middleware(Begin) {}
