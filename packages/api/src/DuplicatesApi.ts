import { Dismissal, DismissedDocument, DuplicateDocument, reasons } from "@wcs/domain/merge/DuplicatePairs"
import { MergeDocument, MergeRequest, mergePrivileges, statuses } from "@wcs/domain/merge/Merge"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Many, One, Page, ResourceId } from "./Envelope.ts"
import { GuardOf, guard, guardOfAll } from "./Guard.ts"
import { listParameters, parameter, timelineParameters } from "./ListParameters.ts"
import { guarded } from "./Middleware.ts"
import { everyBody, everyCall, wireErrors } from "./WireError.ts"

const { cursor, pageSize } = listParameters

/** `/duplicates`: workers who may be one person (DECISIONS.md#duplicates). */
export class DuplicatesApi extends guarded(
  HttpApiGroup.make("duplicates").add(
    HttpApiEndpoint.get("list", "/duplicates", {
      query: { cursor, pageSize, reason: parameter("Only pairs for this reason.", Schema.Literals(reasons)) },
      success: Page(DuplicateDocument.annotate({ identifier: "Duplicate" })),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    })
      .annotate(OpenApi.Summary, "List workers who may be one person")
      .annotate(
        OpenApi.Description,
        "Pairs of workers, without deleted and dismissed ones. Each pair is listed once, under its first reason. Of more " +
          "than ten workers with the same key, ten are compared. A page can have fewer than `pageSize`."
      )
      .annotate(GuardOf, guard("worker", "READ", "intensive")),
    HttpApiEndpoint.post("dismiss", "/duplicates/dismiss", {
      payload: Dismissal.annotate({ identifier: "Dismissal" }),
      success: One(DismissedDocument.annotate({ identifier: "DuplicateDismissal" })),
      error: [wireErrors.UNPROCESSABLE, ...everyBody, ...everyCall]
    })
      .annotate(OpenApi.Summary, "Dismiss a duplicate")
      .annotate(
        OpenApi.Description,
        "Keeps that two workers are not the same person, so that the list leaves them out. Repeated calls have no effect."
      )
      .annotate(GuardOf, guard("worker", "UPDATE"))
  )
) {}

const document = MergeDocument.annotate({ identifier: "Merge" })

/** `/merges`, and the call that merges two workers. */
export class MergesApi extends guarded(
  HttpApiGroup.make("merges").add(
    HttpApiEndpoint.get("list", "/merges", {
      query: {
        ...timelineParameters("merged", "desc"),
        workerId: parameter("Merges into the worker with this id."),
        fromId: parameter("Merges of the worker with this id into another one."),
        status: parameter("Exact match on the status.", Schema.Literals(statuses))
      },
      success: Many(document),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    }).annotate(GuardOf, guard("worker", "READ")),
    HttpApiEndpoint.post("merge", "/workers/:id/merge", {
      params: ResourceId,
      payload: MergeRequest.annotate({ identifier: "MergeRequest" }),
      success: One(document),
      error: [wireErrors.UNPROCESSABLE, ...everyBody, ...everyCall]
    })
      .annotate(OpenApi.Summary, "Merge another worker into this one")
      .annotate(
        OpenApi.Description,
        "Moves the credentials, exemptions, bans, fetch requests and tasks of the worker in `from` to this worker, and " +
          "deletes the worker in `from`. Its GET is 404, and the message names this worker; with `includeDeleted=true` so " +
          "does `mergedInto`. The fields of this worker stay as they are. Each moved credential sends `credential.updated`. " +
          "The merge can be undone for 30 days."
      )
      .annotate(GuardOf, guardOfAll(mergePrivileges)),
    HttpApiEndpoint.post("undo", "/merges/:id/undo", {
      params: ResourceId,
      success: One(document),
      error: [wireErrors.UNPROCESSABLE, ...everyCall]
    })
      .annotate(OpenApi.Summary, "Undo a merge")
      .annotate(
        OpenApi.Description,
        "Gives everything that the merge moved back to the other worker, and restores that worker. Later changes of these " +
          "rows stay. The call is refused if one of them belongs to somebody else now, 30 days after the merge, and after " +
          "an erasure of the person. A request that the merge completed stays complete. Repeated calls have no effect."
      )
      .annotate(GuardOf, guardOfAll(mergePrivileges))
  )
) {}
