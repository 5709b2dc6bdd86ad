import { reportWorkers, VerificationRow } from "@wcs/domain/credential/VerificationReport"
import { verifiableCodes } from "@wcs/domain/holding/CredentialType"
import { Worker } from "@wcs/domain/people/Worker"
import { readsOf } from "@wcs/domain/resource/DerivedAnswer"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Many } from "../Envelope.ts"
import { GuardOf, guardOfAll } from "../Guard.ts"
import { listParameters, pageSizeUpTo, parameter, search, sortOf, unit } from "../ListParameters.ts"
import { TableOf } from "../ListTable.ts"
import { verificationTable } from "../ListTables.ts"
import { guarded } from "../Middleware.ts"
import { everyCall, wireErrors } from "../WireError.ts"

const { eligibility, workerStatus } = VerificationRow.fields

/** `/reports`: rows for auditors, as JSON and as CSV (DECISIONS.md#reports). */
export class ReportsApi extends guarded(
  HttpApiGroup.make("reports").add(
    HttpApiEndpoint.get("verifications", "/reports/verifications", {
      query: {
        ...listParameters,
        pageSize: pageSizeUpTo(reportWorkers),
        sort: sortOf(Worker),
        externalId: parameter("Exact match on `source.externalId` of the worker."),
        sourceSystem: parameter("Exact match on `source.sourceSystem` of the worker."),
        unit,
        query: search,
        credentialType: parameter(
          "Only credentials of this verifiable type. A worker without one has a row without a credential.",
          Schema.Literals(verifiableCodes)
        ),
        eligibility: parameter("Only rows with this outcome.", eligibility.members[0]),
        workerStatus: parameter("Only workers with this `employment.status`.", workerStatus.members[0])
      },
      success: Many(VerificationRow.annotate({ identifier: "VerificationReportRow" })),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    })
      .annotate(OpenApi.Summary, "Report of verifications")
      .annotate(
        OpenApi.Description,
        "Returns what an auditor asks about each worker: name and birth date, number, day of verification, outcome, " +
          "expiry, and whether the worker is paid. A worker has a row for each credential of a verifiable type, or one row " +
          "without a credential. Pages and `meta.total` count workers. `credentialType`, `eligibility` and `workerStatus` " +
          "choose rows of a page, so a page can have few rows, or none, although `meta.nextCursor` is not null. " +
          "`Accept: text/csv` returns all rows as one CSV file instead of a page."
      )
      .annotate(TableOf, verificationTable)
      .annotate(GuardOf, guardOfAll(readsOf("verificationReport"), "intensive"))
  )
) {}
