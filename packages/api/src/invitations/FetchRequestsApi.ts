import { bulkLimit, FetchRequest, FetchRequestFields } from "@wcs/domain/screening/FetchRequests"
import { FetchRequestId, WorkerId } from "@wcs/domain/shared/Id"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { crudEndpoints } from "../CrudGroup.ts"
import { BatchMeta, documentOf, linkTo } from "../Envelope.ts"
import { GuardOf, guard } from "../Guard.ts"
import { includedOwners, includeOwners } from "../IncludedOwners.ts"
import { parameter } from "../ListParameters.ts"
import { fetchRequestTable } from "../ListTables.ts"
import { guarded } from "../Middleware.ts"
import { everyBody, everyCall, wireErrors } from "../WireError.ts"
import { actionEndpoints, askedOptionally, invitationParameters } from "./Inviting.ts"

const { fields } = FetchRequestFields

/** The response form of a fetch request. */
export const FetchRequestDocument = documentOf("captureRequest", FetchRequestId, {
  ...fields,
  owners: includedOwners
}).annotate({
  identifier: "FetchRequest"
})

const shared = { requestedCredentialTypes: fields.requestedCredentialTypes, ...askedOptionally }

/** The body of create and replace. Only the message and the expiry days can change. */
const FetchRequestWrite = Schema.Struct({
  worker: linkTo(WorkerId).annotate({ description: "The worker that is asked for credentials. It cannot change." }),
  ...shared
}).annotate({
  identifier: "FetchRequestWrite"
})

// A malformed id fails its item, not the request (BLK-17). So the schema accepts any string.
const WorkerName = Schema.Struct({
  id: Schema.optionalKey(Schema.String).annotate({ description: "Id of the worker, `wkr_…`." }),
  externalId: Schema.optionalKey(Schema.String).annotate({
    description: "`source.externalId` of the worker, instead of `id`. Exactly one worker must have it."
  })
}).annotate({
  description: "A worker, by id or by source.externalId. The external id must be unique.",
  valueFormat: '{ "id": "…" } or { "externalId": "…" }'
})

/** The body of the bulk create: one request for many workers. */
export const BulkFetchBody = Schema.Struct({
  workers: Schema.Array(WorkerName)
    .check(
      Schema.isMinLength(1, { message: "must have at least one worker" }),
      Schema.isMaxLength(bulkLimit, { message: `must have at most ${bulkLimit} workers` })
    )
    .annotateKey({ description: `The workers, at most ${bulkLimit}. A worker that is named twice gets two requests.` }),
  ...shared
})

const worker = WorkerName.annotate({ description: "The worker as the request named it." })

const success = <const Value extends boolean>(value: Value) =>
  Schema.Literal(value).annotate({ description: "Whether the fetch request was created." })

/** One item per worker, in request order. Failed items have a plain text error (§4.2). */
const BulkFetch = Schema.Struct({
  data: Schema.Array(
    Schema.Union([
      Schema.Struct({ worker, success: success(true), id: FetchRequestId }),
      Schema.Struct({
        worker,
        success: success(false),
        error: Schema.String.annotate({ description: "Why no fetch request was created, for people." })
      })
    ])
  ).annotate({ description: "One item for each worker, in the order of the request." }),
  meta: BatchMeta
}).annotate({ identifier: "FetchRequestBatch" })

const { create, list, patch, read, remove, replace } = crudEndpoints(FetchRequest, {
  document: FetchRequestDocument,
  table: fetchRequestTable,
  create: FetchRequestWrite,
  replace: FetchRequestWrite,
  createErrors: [wireErrors.UNPROCESSABLE],
  updateErrors: [wireErrors.UNPROCESSABLE],
  filters: {
    ...includeOwners,
    ownerExternalId: parameter("Fetch requests to the worker with this source.externalId."),
    workerId: parameter("Fetch requests to the worker with this id."),
    ...invitationParameters
  }
})

const { cancel, remind, resend } = actionEndpoints(FetchRequest, FetchRequestDocument, "fetch request")

/** `/fetch-requests` (§4.2). */
export class FetchRequestsApi extends guarded(
  HttpApiGroup.make("fetchRequests").add(
    list,
    create,
    read,
    replace,
    patch,
    remove,
    resend,
    remind,
    cancel,
    HttpApiEndpoint.post("bulk", "/fetch-requests/bulk", {
      payload: BulkFetchBody.annotate({ identifier: "BulkFetchRequest" }),
      success: BulkFetch,
      error: [...everyBody, ...everyCall]
    })
      .annotate(GuardOf, guard("captureRequest", "CREATE", "intensive"))
      .annotate(OpenApi.Summary, "Create many fetch requests")
      .annotate(
        OpenApi.Description,
        "Each fetch request is created by itself. If the caller's token or session ends during the call, or the caller " +
          "loses a privilege, the answer is 401 or 403. Some fetch requests may have been created: list them before " +
          "you send the call again."
      )
  )
) {}
