import { ErasureDocument, ErasureRequest, statuses } from "@wcs/domain/erasure/Erasure"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Many, One, ResourceId } from "../Envelope.ts"
import { GuardOf, guard } from "../Guard.ts"
import { parameter, timelineParameters } from "../ListParameters.ts"
import { TableOf } from "../ListTable.ts"
import { erasureTable } from "../ListTables.ts"
import { guarded } from "../Middleware.ts"
import { freshSession, StepUpOf } from "../StepUpOf.ts"
import { everyBody, everyCall, wireErrors } from "../WireError.ts"

const document = ErasureDocument.annotate({ identifier: "Erasure" })

/** `/erasures`, and the call that erases a worker. */
export class ErasuresApi extends guarded(
  HttpApiGroup.make("erasures").add(
    HttpApiEndpoint.get("list", "/erasures", {
      query: {
        ...timelineParameters("requested", "desc"),
        status: parameter("Exact match on the status.", Schema.Literals(statuses))
      },
      success: Many(document),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    })
      .annotate(TableOf, erasureTable)
      .annotate(GuardOf, guard("erasure", "READ")),
    HttpApiEndpoint.post("erase", "/workers/:id/erase", {
      params: ResourceId,
      payload: ErasureRequest.annotate({ identifier: "ErasureRequest" }),
      success: One(document),
      error: [...everyBody, wireErrors.UNPROCESSABLE, ...everyCall]
    })
      .annotate(OpenApi.Summary, "Erase a worker")
      .annotate(
        OpenApi.Description,
        "Removes the personal data of a worker, deleted or not, and of everything about the person: credentials, " +
          "exemptions, bans, fetch requests, scans, notices, and an applicant who owns a credential together with the " +
          "worker. These stay deleted for ever. Ids, verdicts and the audit log stay. Nothing undoes an erasure. Repeated " +
          "calls have no effect."
      )
      .annotate(GuardOf, guard("erasure", "CREATE", "intensive"))
      .annotate(StepUpOf, freshSession)
  )
) {}
