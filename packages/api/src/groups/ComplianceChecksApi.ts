import { BanUrn } from "@wcs/domain/holding/Ban"
import { CodeOfType } from "@wcs/domain/holding/CredentialType"
import { EligibilityWord, StatusDetailWord } from "@wcs/domain/holding/Verification"
import { Worker } from "@wcs/domain/people/Worker"
import { readsOf } from "@wcs/domain/resource/DerivedAnswer"
import { time } from "@wcs/domain/resource/ShownFields"
import { ComplianceCheck, ComplianceCheckFields } from "@wcs/domain/screening/ComplianceCheck"
import { EvaluationRequest } from "@wcs/domain/screening/ComplianceEvaluation"
import { matrixChecks, matrixWorkers } from "@wcs/domain/screening/ComplianceMatrix"
import { results } from "@wcs/domain/screening/KeptCompliance"
import { Code, CredentialId, WorkerId } from "@wcs/domain/shared/Id"
import { CalendarDate } from "@wcs/domain/shared/Instant"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { crudEndpoints } from "../CrudGroup.ts"
import { documentOf, Many, Page, ResourceId } from "../Envelope.ts"
import { GuardOf, guardOfAll } from "../Guard.ts"
import {
  asOf,
  listParameters,
  pageParameters,
  pageSizeUpTo,
  parameter,
  repeatable,
  search,
  sortOf,
  unit
} from "../ListParameters.ts"
import { TableOf } from "../ListTable.ts"
import { complianceCheckTable, matrixTable } from "../ListTables.ts"
import { guarded } from "../Middleware.ts"
import { withOptionalBody } from "../openapi/OptionalBody.ts"
import { everyBody, everyCall, wireErrors } from "../WireError.ts"

const { fields } = ComplianceCheckFields

/** The response form of a compliance check. */
export const ComplianceCheckDocument = documentOf("complianceCheck", Code, fields).annotate({
  identifier: "ComplianceCheck"
})

const { credentialTypes, exemptionsCount, mode } = fields.requirement.fields

const optional = {
  severity: Schema.optionalKey(fields.severity),
  enabled: Schema.optionalKey(fields.enabled),
  requirement: Schema.Struct({
    credentialTypes,
    mode: Schema.optionalKey(mode),
    exemptionsCount: Schema.optionalKey(exemptionsCount)
  }).annotate({ description: "The credentials that pass the check." })
}

/**
 * The body of create. Defaults: `severity` WARNING, `enabled` true, `mode` ALL, `exemptionsCount` false. The code
 * becomes the id.
 */
const ComplianceCheckCreate = Schema.Struct({ ...fields, ...optional }).annotate({
  identifier: "ComplianceCheckCreate"
})

/** The body of replace. The code is optional and cannot change. */
const ComplianceCheckReplace = Schema.Struct({
  ...fields,
  ...optional,
  code: Schema.optionalKey(fields.code)
}).annotate({
  identifier: "ComplianceCheckReplace"
})

const evaluatedWorker = {
  id: WorkerId,
  externalId: Schema.optionalKey(Schema.String).annotate({
    description: "`source.externalId` of the worker. Absent if there is none."
  })
}

/** The result of a check for a worker today. */
const Evaluated = Schema.Struct({
  worker: Schema.Struct(evaluatedWorker).annotate({ description: "The evaluated worker." }),
  result: Schema.Literals(["PASS", "FAIL"]).annotate({ description: "Result as of today. It is not stored." }),
  missingCredentialTypes: Schema.Array(Schema.String).annotate({
    description: "The required types that the worker lacks. Empty if the check passes."
  }),
  reviews: Schema.Array(
    Schema.Struct({
      credentialType: CodeOfType.annotateKey({ description: "One of `missingCredentialTypes`." }),
      statusDetail: StatusDetailWord.annotateKey({ description: "What a person has to look at." })
    })
  ).annotate({
    description:
      "The missing types whose card of the worker needs a review, for example a card for volunteers of an " +
      "employee (VOLUNTEER_ONLY). Empty if the check passes."
  }),
  failingCredentials: Schema.Array(
    Schema.Struct({
      id: CredentialId.annotateKey({ description: "Id of a credential of the worker." }),
      credentialType: CodeOfType.annotateKey({ description: "One of `missingCredentialTypes`." }),
      statusDetail: StatusDetailWord.annotateKey({
        description: "Why the credential does not count. If VALID or VALID_EXPIRING, a decision bars the person."
      }),
      since: Schema.optionalKey(time).annotateKey({
        description:
          "Since when the register says so, or the time of that decision. Absent if unknown, and for EXPIRED."
      }),
      expiryDate: Schema.optionalKey(CalendarDate).annotateKey({
        description: "Last valid day of a credential that has expired (EXPIRED)."
      })
    })
  ).annotate({
    description:
      "The missing types for which the worker has a credential. Each names the gravest credential: a bar before a review, " +
      "and an expired one last. A missing type without an entry has no credential. Empty if the check passes."
  }),
  bans: Schema.Array(
    Schema.Struct({
      id: BanUrn,
      eligibility: EligibilityWord.annotateKey({
        description: "MAY_NOT_ENGAGE: the worker is banned. REVIEW_REQUIRED: the record may be another person's."
      })
    })
  ).annotate({ description: "Bans of the worker that keep every check from passing. At most 100." })
}).annotate({ identifier: "WorkerEvaluation" })

/** The results of several checks for a worker. */
const MatrixRow = Schema.Struct({
  worker: Schema.Struct({
    ...evaluatedWorker,
    displayName: Schema.String.annotate({ description: "`identity.displayName` of the worker." })
  }).annotate({ description: "The evaluated worker." }),
  checks: Schema.Array(
    Schema.Struct({
      complianceCheckId: Code.annotateKey({ description: "Id of the compliance check." }),
      result: Evaluated.fields.result,
      missingCredentialTypes: Evaluated.fields.missingCredentialTypes,
      reviews: Evaluated.fields.reviews,
      failingCredentials: Evaluated.fields.failingCredentials,
      bans: Evaluated.fields.bans
    })
  ).annotate({ description: "In the order of the checkId parameters. Without checkId, in the order of creation." })
}).annotate({ identifier: "ComplianceMatrixRow" })

const { create, list, patch, read, remove, replace } = crudEndpoints(ComplianceCheck, {
  document: ComplianceCheckDocument,
  table: complianceCheckTable,
  create: ComplianceCheckCreate,
  replace: ComplianceCheckReplace,
  createErrors: [wireErrors.DUPLICATE_ID],
  updateErrors: [],
  filters: {
    severity: parameter("Exact match on the severity."),
    enabled: parameter("Enabled or disabled checks only."),
    query: search
  }
})

/** `/compliance-checks` (§4.2). */
export class ComplianceChecksApi extends guarded(
  HttpApiGroup.make("complianceChecks").add(
    list,
    create,
    read,
    replace,
    patch,
    remove,
    HttpApiEndpoint.get("matrix", "/compliance-matrix", {
      query: {
        ...listParameters,
        pageSize: pageSizeUpTo(matrixWorkers),
        sort: sortOf(Worker),
        externalId: parameter("Exact match on `source.externalId` of the worker."),
        sourceSystem: parameter("Exact match on `source.sourceSystem` of the worker."),
        unit,
        query: search,
        workerId: repeatable(
          `Id of a worker. Repeat the parameter for up to ${matrixWorkers} workers, in this order. ` +
            "Cannot be combined with parameters that select other workers.",
          WorkerId,
          matrixWorkers
        ),
        asOf,
        result: parameter(
          "FAIL: workers that fail at least one of the checks in `checkId`. PASS: workers that pass each of them. " +
            "Without `checkId`, all enabled checks count, and READ of exemption is required.",
          Schema.Literals(results)
        ),
        checkId: repeatable(
          `Id of a check. Repeat the parameter for up to ${matrixChecks} checks. Default: the oldest enabled checks.`,
          Code,
          matrixChecks
        )
      },
      success: Many(MatrixRow),
      error: [wireErrors.UNPROCESSABLE, wireErrors.INVALID_ARGUMENT, ...everyCall]
    })
      .annotate(OpenApi.Summary, "Compliance matrix of workers and checks")
      .annotate(
        OpenApi.Description,
        "Evaluates several checks for a page of workers. Results equal those of the evaluate call. A page leaves out workers " +
          "who have left, so it can have fewer rows than `pageSize`; `includeDeleted=true` shows them. " +
          "Checks that count exemptions also require exemption READ. With `asOf`, the workers and checks of that time are " +
          "read in the order of creation, or those in `workerId` and `checkId`; other filters and orders are 400."
      )
      .annotate(TableOf, matrixTable)
      .annotate(GuardOf, guardOfAll(readsOf("evaluation"), "intensive")),
    HttpApiEndpoint.post("evaluate", "/compliance-checks/:id/evaluate", {
      params: ResourceId,
      query: pageParameters,
      payload: EvaluationRequest.annotate({ identifier: "EvaluationRequest" }),
      success: Page(Evaluated),
      error: [wireErrors.UNPROCESSABLE, ...everyBody, ...everyCall]
    })
      .annotate(OpenApi.Transform, withOptionalBody)
      .annotate(
        OpenApi.Description,
        "Evaluates a check for workers. A check that counts exemptions also requires exemption READ."
      )
      .annotate(GuardOf, guardOfAll(readsOf("evaluation"), "intensive"))
  )
) {}
