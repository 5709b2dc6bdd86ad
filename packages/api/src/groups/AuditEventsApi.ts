import { AuditEvent } from "@wcs/domain/audit/AuditEvents"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Many } from "../Envelope.ts"
import { GuardOf, guard } from "../Guard.ts"
import { parameter, seriesParameters } from "../ListParameters.ts"
import { AnswerRefusals, Authenticate, Authorize, Begin, LimitRate, ResolveTenant } from "../Middleware.ts"
import { everyCall, wireErrors } from "../WireError.ts"

/** `/audit-events`: the audit history, READ only (DECISIONS.md#access). */
export class AuditEventsApi extends HttpApiGroup.make("auditEvents")
  .add(
    HttpApiEndpoint.get("list", "/audit-events", {
      query: {
        ...seriesParameters("written", "desc"),
        entityType: parameter("Exactly this type of entity."),
        entityId: parameter("What was done to the entity with exactly this id."),
        account: parameter("What the account with exactly this URN did."),
        action: parameter("Exactly this action: create, link, revoke …"),
        bearer: parameter(
          "Done with this kind of token or login: oauth, personal, legacy, password, session or external."
        ),
        requestId: parameter("What the request with exactly this id did."),
        from: parameter("RFC 3339 time, inclusive."),
        to: parameter("RFC 3339 time, exclusive.")
      },
      success: Many(AuditEvent.annotate({ identifier: "AuditEvent" })),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    }).annotate(GuardOf, guard("auditEvent", "READ"))
  )
  .middleware(AnswerRefusals)
  .middleware(Authorize)
  .middleware(LimitRate)
  .middleware(Authenticate)
  .middleware(ResolveTenant)
  .middleware(Begin) {}
