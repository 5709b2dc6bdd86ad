import { bulkLimit, FetchRequestFields } from "@wcs/domain/screening/FetchRequests"
import { FetchRequestId, WorkerId } from "@wcs/domain/shared/Id"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { BatchMeta, documentOf, Location, linkTo, Many, One, ResourceId } from "../Envelope.ts"
import { GuardOf, guard } from "../Guard.ts"
import { listParameters, parameter, readParameters } from "../ListParameters.ts"
import { mergePatch } from "../MergePatch.ts"
import { AnswerRefusals, Authenticate, Authorize, Begin, LimitRate, ResolveTenant } from "../Middleware.ts"
import { everyBody, everyCall, wireErrors } from "../WireError.ts"
import { actionErrors, askedOptionally, descriptions, invitationParameters } from "./Inviting.ts"

const { fields } = FetchRequestFields

/** The response form of a fetch request. */
export const FetchRequestDocument = documentOf("captureRequest", FetchRequestId, fields).annotate({
  identifier: "FetchRequest"
})

const shared = { requestedCredentialTypes: fields.requestedCredentialTypes, ...askedOptionally }

/** The body of create and replace. Only the message and the expiry days can change. */
const FetchRequestWrite = Schema.Struct({ worker: linkTo(WorkerId), ...shared }).annotate({
  identifier: "FetchRequestWrite"
})

// A malformed id fails its item, not the request (BLK-17). So the schema accepts any string.
const WorkerName = Schema.Struct({
  id: Schema.optionalKey(Schema.String),
  externalId: Schema.optionalKey(Schema.String)
}).annotate({ description: "A worker, by id or by source.externalId. The external id must be unique." })

/** The body of the bulk create: one request for many workers. */
export const BulkFetchBody = Schema.Struct({
  workers: Schema.Array(WorkerName).check(
    Schema.isMinLength(1, { message: "must have at least one worker" }),
    Schema.isMaxLength(bulkLimit, { message: `must have at most ${bulkLimit} workers` })
  ),
  ...shared
})

/** One item per worker, in request order. Failed items have a plain text error (§4.2). */
const BulkFetch = Schema.Struct({
  data: Schema.Array(
    Schema.Union([
      Schema.Struct({ worker: WorkerName, success: Schema.Literal(true), id: FetchRequestId }),
      Schema.Struct({ worker: WorkerName, success: Schema.Literal(false), error: Schema.String })
    ])
  ),
  meta: BatchMeta
}).annotate({ identifier: "FetchRequestBatch" })

/** `/fetch-requests` (§4.2). */
export class FetchRequestsApi extends HttpApiGroup.make("fetchRequests")
  .add(
    HttpApiEndpoint.get("list", "/fetch-requests", {
      query: {
        ...listParameters,
        ownerExternalId: parameter("Fetch requests to the worker with this source.externalId."),
        workerId: parameter("Fetch requests to the worker with this id."),
        ...invitationParameters
      },
      success: Many(FetchRequestDocument),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    }).annotate(GuardOf, guard("captureRequest", "READ")),
    HttpApiEndpoint.post("create", "/fetch-requests", {
      payload: FetchRequestWrite,
      success: HttpApiSchema.WithHeaders(One(FetchRequestDocument).pipe(HttpApiSchema.status(201)), Location),
      error: [...everyBody, wireErrors.UNPROCESSABLE, ...everyCall]
    }).annotate(GuardOf, guard("captureRequest", "CREATE")),
    HttpApiEndpoint.get("read", "/fetch-requests/:id", {
      params: ResourceId,
      query: readParameters,
      success: One(FetchRequestDocument),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    }).annotate(GuardOf, guard("captureRequest", "READ")),
    HttpApiEndpoint.put("replace", "/fetch-requests/:id", {
      params: ResourceId,
      payload: FetchRequestWrite,
      success: One(FetchRequestDocument),
      error: [...everyBody, wireErrors.UNPROCESSABLE, ...everyCall]
    }).annotate(GuardOf, guard("captureRequest", "UPDATE")),
    HttpApiEndpoint.patch("patch", "/fetch-requests/:id", {
      params: ResourceId,
      payload: mergePatch,
      success: One(FetchRequestDocument),
      error: [...everyBody, wireErrors.UNPROCESSABLE, ...everyCall]
    }).annotate(GuardOf, guard("captureRequest", "UPDATE")),
    HttpApiEndpoint.delete("remove", "/fetch-requests/:id", {
      params: ResourceId,
      success: HttpApiSchema.NoContent,
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    }).annotate(GuardOf, guard("captureRequest", "DELETE")),
    HttpApiEndpoint.post("resend", "/fetch-requests/:id/resend", {
      params: ResourceId,
      success: One(FetchRequestDocument),
      error: actionErrors
    })
      .annotate(OpenApi.Summary, "Record that a fetch request was sent again")
      .annotate(GuardOf, guard("captureRequest", "UPDATE"))
      .annotate(OpenApi.Description, descriptions.resend),
    HttpApiEndpoint.post("remind", "/fetch-requests/:id/remind", {
      params: ResourceId,
      success: One(FetchRequestDocument),
      error: actionErrors
    })
      .annotate(OpenApi.Summary, "Record a reminder of a fetch request")
      .annotate(GuardOf, guard("captureRequest", "UPDATE"))
      .annotate(OpenApi.Description, descriptions.remind),
    HttpApiEndpoint.post("cancel", "/fetch-requests/:id/cancel", {
      params: ResourceId,
      success: One(FetchRequestDocument),
      error: actionErrors
    })
      .annotate(GuardOf, guard("captureRequest", "UPDATE"))
      .annotate(OpenApi.Description, descriptions.cancel),
    HttpApiEndpoint.post("bulk", "/fetch-requests/bulk", {
      payload: BulkFetchBody.annotate({ identifier: "BulkFetchRequest" }),
      success: BulkFetch,
      error: [...everyBody, ...everyCall]
    })
      .annotate(GuardOf, guard("captureRequest", "CREATE", "intensive"))
      .annotate(OpenApi.Summary, "Create many fetch requests")
  )
  .middleware(AnswerRefusals)
  .middleware(Authorize)
  .middleware(LimitRate)
  .middleware(Authenticate)
  .middleware(ResolveTenant)
  .middleware(Begin) {}
