import type { Privilege } from "@wcs/domain/access/Privilege"
import { AnswerView, Rejection } from "@wcs/domain/answer/Answers"
import { Answer, AnswerFields } from "@wcs/domain/screening/Answer"
import { AnswerId } from "@wcs/domain/shared/Id"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { documentOf, Many, One, ResourceId } from "../Envelope.ts"
import { GuardOf, guard, guardOfAll } from "../Guard.ts"
import { listParameters, parameter, readParameters, sortOf } from "../ListParameters.ts"
import { TableOf } from "../ListTable.ts"
import { answerTable } from "../ListTables.ts"
import { guarded } from "../Middleware.ts"
import { ResourceOf } from "../ResourceOf.ts"
import { comparesTag, showsTag, TagsOf } from "../TagsOf.ts"
import { everyBody, everyCall, everyComparison, wireErrors } from "../WireError.ts"

const AnswerDocument = documentOf("answer", AnswerId, AnswerFields.fields).annotate({ identifier: "RequestAnswer" })

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
      success: One(AnswerDocument),
      error: [wireErrors.INVALID_ARGUMENT, wireErrors.UNPROCESSABLE, wireErrors.PRECONDITION_FAILED, ...everyCall]
    })
      .annotate(OpenApi.Summary, "Approve an answer")
      .annotate(
        OpenApi.Description,
        "Writes the cards of a waiting answer to the person's credentials, as POST and PATCH of `/credentials` do: a card with the " +
          "same number, or one whose details were wrong, is corrected. Any other is created. Verifications follow. With `If-Match`, " +
          "the call is refused if the person has corrected the answer meanwhile. An interrupted approval can be repeated."
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
      .annotate(TagsOf, comparesTag)
  )
) {}
