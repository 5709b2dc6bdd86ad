import { ScanDocument, scanStatuses } from "@wcs/domain/holding/Scan"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Many } from "../Envelope.ts"
import { GuardOf, guard } from "../Guard.ts"
import { parameter, timelineParameters } from "../ListParameters.ts"
import { TableOf } from "../ListTable.ts"
import { scanTable } from "../ListTables.ts"
import { guarded } from "../Middleware.ts"
import { everyCall, wireErrors } from "../WireError.ts"

/** `/scans`: the scans of the legacy surface, read-only. */
export class ScansApi extends guarded(
  HttpApiGroup.make("scans").add(
    HttpApiEndpoint.get("list", "/scans", {
      query: {
        ...timelineParameters("submitted", "desc"),
        correlationId: parameter("Exact match on `correlationId`."),
        identifier: parameter("Match on the identifier, ignoring letter case, spaces and hyphens."),
        credentialId: parameter("Scans that matched the credential with this id."),
        status: parameter("Exact match on the status.", Schema.Literals(scanStatuses))
      },
      success: Many(ScanDocument.annotate({ identifier: "SubmittedScan" })),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    })
      .annotate(TableOf, scanTable)
      .annotate(GuardOf, guard("credential", "READ"))
  )
) {}
