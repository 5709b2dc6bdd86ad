import { bearerKinds } from "@wcs/domain/access/Caller"
import { AuditedType } from "@wcs/domain/audit/AuditEntry"
import { AuditEvent } from "@wcs/domain/audit/AuditEvent"
import { time } from "@wcs/domain/resource/ShownFields"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Many } from "../Envelope.ts"
import { GuardOf, guard } from "../Guard.ts"
import { parameter, timelineParameters } from "../ListParameters.ts"
import { TableOf } from "../ListTable.ts"
import { auditTable } from "../ListTables.ts"
import { guarded } from "../Middleware.ts"
import { everyCall, wireErrors } from "../WireError.ts"

/** `/audit-events`: the audit log, read-only (DECISIONS.md#access). */
export class AuditEventsApi extends guarded(
  HttpApiGroup.make("auditEvents").add(
    HttpApiEndpoint.get("list", "/audit-events", {
      query: {
        ...timelineParameters("written", "desc"),
        entityType: parameter("Exact match on the entity type.", AuditedType),
        entityId: parameter("Events about the entity with this id."),
        account: parameter("Events caused by the account with this URN."),
        action: parameter("Exact match on the action: create, link, revoke …"),
        bearer: parameter("Kind of token or login.", Schema.Literals(bearerKinds)),
        requestId: parameter("Events of the request with this id."),
        include: parameter(
          "changes: adds the changed fields of each entry with their values before and after. Only of entities that the " +
            "caller may READ.",
          Schema.Literal("changes")
        ),
        from: parameter(
          "Earliest time, RFC 3339, inclusive. Not to follow the log, which would miss entries: use `GET /changes`.",
          time
        ),
        to: parameter("Latest time, RFC 3339, exclusive.", time)
      },
      success: Many(AuditEvent.annotate({ identifier: "AuditEvent" })),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    })
      .annotate(TableOf, auditTable)
      .annotate(GuardOf, guard("auditEvent", "READ"))
  )
) {}
