import type { Privilege } from "@wcs/domain/access/Privilege"
import { AnswerView, Rejection } from "@wcs/domain/answer/Answers"
import { Approval } from "@wcs/domain/answer/Approval"
import { FilesView } from "@wcs/domain/document/Document"
import { Answer, AnswerFields } from "@wcs/domain/screening/Answer"
import { AnswerId } from "@wcs/domain/shared/Id"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { documentOf, Many, One, ResourceId } from "../Envelope.ts"
import { GuardOf, guard, guardOfAll } from "../Guard.ts"
import { listParameters, parameter, readParameters, sortOf } from "../ListParameters.ts"
import { TableOf } from "../ListTable.ts"
import { answerTable } from "../ListTables.ts"
import { guarded } from "../Middleware.ts"
import { withOptionalBody } from "../openapi/OptionalBody.ts"
import { documentOfOne, downloadDescription, file } from "../RecordsApi.ts"
import { ResourceOf } from "../ResourceOf.ts"
import { comparesTag, showsTag, TagsOf } from "../TagsOf.ts"
import { everyBody, everyCall, everyComparison, wireErrors } from "../WireError.ts"

const document = documentOf("answer", AnswerId, AnswerFields.fields).annotate({ identifier: "RequestAnswer" })
type Document = typeof document

/** The response form of an answer. Its type has a name, because the compiler limits the text of a surface's type. */
export interface AnswerDocument extends Document {}
const AnswerDocument: AnswerDocument = document

const AnswerViewDocument = documentOf("answer", AnswerId, AnswerView.fields).annotate({
  identifier: "RequestAnswerWithTargets"
})

/** An approval writes credentials, too. */
const approvalPrivileges: readonly [Privilege, ...ReadonlyArray<Privilege>] = [
  { entityType: "answer", operation: "UPDATE" },
  { entityType: "credential", operation: "READ" },
  { entityType: "credential", operation: "CREATE" },
  { entityType: "credential", operation: "UPDATE" }
]

/** A file shows what a card shows. */
const downloadPrivileges: readonly [Privilege, ...ReadonlyArray<Privilege>] = [
  { entityType: "answer", operation: "READ" },
  { entityType: "credential", operation: "READ" }
]

/** `/answers`: what people answered to fetch requests and recruitment checks (DECISIONS.md#answers). */
export class AnswersApi extends guarded(
  HttpApiGroup.make("answers").add(
    HttpApiEndpoint.get("list", "/answers", {
      query: {
        ...listParameters,
        sort: sortOf(Answer),
        requestId: parameter("The answer to the fetch request or recruitment check with this id."),
        state: parameter("Exact match on the state."),
        workerId: parameter("Answers of the worker with this id."),
        applicantId: parameter("Answers of the applicant with this id.")
      },
      success: Many(AnswerDocument),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    })
      .annotate(TableOf, answerTable)
      .annotate(
        OpenApi.Description,
        "A fetch request or recruitment check has at most one answer: the last one of the person."
      )
      .annotate(GuardOf, guard("answer", "READ"))
      .annotate(ResourceOf, Answer),
    HttpApiEndpoint.get("read", "/answers/:id", {
      params: ResourceId,
      query: readParameters,
      success: One(AnswerViewDocument),
      error: [...everyComparison, ...everyCall]
    })
      .annotate(GuardOf, guard("answer", "READ"))
      .annotate(TagsOf, showsTag(Answer)),
    HttpApiEndpoint.post("approve", "/answers/:id/approve", {
      params: ResourceId,
      payload: Approval.annotate({ identifier: "AnswerApproval" }),
      success: One(AnswerDocument),
      error: [wireErrors.UNPROCESSABLE, wireErrors.PRECONDITION_FAILED, ...everyBody, ...everyCall]
    })
      .annotate(OpenApi.Transform, withOptionalBody)
      .annotate(OpenApi.Summary, "Approve an answer")
      .annotate(
        OpenApi.Description,
        "Writes the cards of a waiting answer to the person's credentials, as POST and PATCH of `/credentials` do: a card with the " +
          "same number, or one whose details were wrong, is corrected. Any other is created. Verifications follow. With `If-Match`, " +
          "the call is refused if the person has corrected the answer meanwhile, and with `targets` if a credential was changed. An interrupted approval can be repeated."
      )
      .annotate(GuardOf, guardOfAll(approvalPrivileges))
      .annotate(TagsOf, comparesTag),
    HttpApiEndpoint.post("reject", "/answers/:id/reject", {
      params: ResourceId,
      payload: Rejection.annotate({ identifier: "AnswerRejection" }),
      success: One(AnswerDocument),
      error: [wireErrors.UNPROCESSABLE, wireErrors.PRECONDITION_FAILED, ...everyBody, ...everyCall]
    })
      .annotate(OpenApi.Summary, "Reject an answer")
      .annotate(
        OpenApi.Description,
        "Writes no card. A message tells the person the reason, and the person can answer again while the request is open."
      )
      .annotate(GuardOf, guard("answer", "UPDATE"))
      .annotate(TagsOf, comparesTag),
    HttpApiEndpoint.get("documents", "/answers/:id/documents", {
      params: ResourceId,
      success: One(FilesView.annotate({ identifier: "AnswerDocuments" })),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    })
      .annotate(OpenApi.Summary, "List the documents of an answer")
      .annotate(
        OpenApi.Description,
        "The photos and scans that the person has added. An approval moves each to the credential of the card that it shows."
      )
      .annotate(GuardOf, guard("answer", "READ")),
    HttpApiEndpoint.get("document", "/answers/:id/documents/:documentId", {
      params: documentOfOne,
      success: file,
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    })
      .annotate(OpenApi.Summary, "Download a document of an answer")
      .annotate(OpenApi.Description, downloadDescription)
      .annotate(GuardOf, guardOfAll(downloadPrivileges))
  )
) {}
