import { readsOf } from "@wcs/domain/resource/DerivedAnswer"
import { ComplianceCheckFields } from "@wcs/domain/screening/ComplianceChecks"
import { EvaluationRequest } from "@wcs/domain/screening/ComplianceEvaluation"
import { matrixChecks, matrixWorkers } from "@wcs/domain/screening/ComplianceMatrix"
import { Code, WorkerId } from "@wcs/domain/shared/Id"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { documentOf, Location, Many, One, Page, ResourceId } from "../Envelope.ts"
import { GuardOf, guard, guardOfAll } from "../Guard.ts"
import { listParameters, pageParameters, parameter, readParameters } from "../ListParameters.ts"
import { mergePatch } from "../MergePatch.ts"
import { AnswerRefusals, Authenticate, Authorize, Begin, LimitRate, ResolveTenant } from "../Middleware.ts"
import { withOptionalBody } from "../openapi/OptionalBody.ts"
import { everyBody, everyCall, wireErrors } from "../WireError.ts"

const { fields } = ComplianceCheckFields

/** A compliance check as the wire shows it. */
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
  })
}

/**
 * What is sent to create one: where they are left out `severity` is WARNING, `enabled` true, `mode` ALL and
 * `exemptionsCount` false. The code becomes the id.
 */
const ComplianceCheckCreate = Schema.Struct({ ...fields, ...optional }).annotate({
  identifier: "ComplianceCheckCreate"
})

/** What is sent to replace one: the code cannot be changed and may be left out. */
const ComplianceCheckReplace = Schema.Struct({ ...fields, ...optional, code: Schema.optionalKey(Code) }).annotate({
  identifier: "ComplianceCheckReplace"
})

/** How a worker stands to a check today. */
const Evaluated = Schema.Struct({
  worker: Schema.Struct({ id: WorkerId, externalId: Schema.optionalKey(Schema.String) }),
  result: Schema.Literals(["PASS", "FAIL"]),
  missingCredentialTypes: Schema.Array(Schema.String).annotate({
    description: "The types of the requirement that nothing satisfies; none where it passes."
  })
}).annotate({ identifier: "WorkerEvaluation" })

/** A worker by checks. */
const MatrixRow = Schema.Struct({
  worker: Schema.Struct({ id: WorkerId, externalId: Schema.optionalKey(Schema.String), displayName: Schema.String }),
  checks: Schema.Array(
    Schema.Struct({
      complianceCheckId: Code,
      result: Evaluated.fields.result,
      missingCredentialTypes: Evaluated.fields.missingCredentialTypes
    })
  ).annotate({ description: "In the order of checkId, or else of their creation." })
}).annotate({ identifier: "ComplianceMatrixRow" })

/** `/compliance-checks` (§4.2). */
export class ComplianceChecksApi extends HttpApiGroup.make("complianceChecks")
  .add(
    HttpApiEndpoint.get("list", "/compliance-checks", {
      query: {
        ...listParameters,
        severity: parameter("CRITICAL, WARNING or INFO."),
        enabled: parameter("true or false."),
        query: parameter("Begins the display name, letter case apart.")
      },
      success: Many(ComplianceCheckDocument),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    }).annotate(GuardOf, guard("complianceCheck", "READ")),
    HttpApiEndpoint.post("create", "/compliance-checks", {
      payload: ComplianceCheckCreate,
      success: HttpApiSchema.WithHeaders(One(ComplianceCheckDocument).pipe(HttpApiSchema.status(201)), Location),
      error: [...everyBody, wireErrors.DUPLICATE_ID, ...everyCall]
    }).annotate(GuardOf, guard("complianceCheck", "CREATE")),
    HttpApiEndpoint.get("read", "/compliance-checks/:id", {
      params: ResourceId,
      query: readParameters,
      success: One(ComplianceCheckDocument),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    }).annotate(GuardOf, guard("complianceCheck", "READ")),
    HttpApiEndpoint.put("replace", "/compliance-checks/:id", {
      params: ResourceId,
      payload: ComplianceCheckReplace,
      success: One(ComplianceCheckDocument),
      error: [...everyBody, ...everyCall]
    }).annotate(GuardOf, guard("complianceCheck", "UPDATE")),
    HttpApiEndpoint.patch("patch", "/compliance-checks/:id", {
      params: ResourceId,
      payload: mergePatch,
      success: One(ComplianceCheckDocument),
      error: [...everyBody, ...everyCall]
    }).annotate(GuardOf, guard("complianceCheck", "UPDATE")),
    HttpApiEndpoint.delete("remove", "/compliance-checks/:id", {
      params: ResourceId,
      success: HttpApiSchema.NoContent,
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    }).annotate(GuardOf, guard("complianceCheck", "DELETE")),
    HttpApiEndpoint.get("matrix", "/compliance-matrix", {
      query: {
        ...listParameters,
        pageSize: parameter(`How many workers at most: 1 to ${matrixWorkers}, 25 by default.`),
        externalId: parameter("Workers with exactly this source.externalId."),
        sourceSystem: parameter("Workers with exactly this source.sourceSystem."),
        query: parameter("Begins the worker's display name or last name, letter case apart."),
        checkId: Schema.optionalKey(
          Schema.Union([Schema.Array(Schema.String), Schema.String]).annotate({
            description: `The check with this id; repeat it for up to ${matrixChecks}. Default: the oldest that are enabled.`
          })
        )
      },
      success: Many(MatrixRow),
      error: [wireErrors.UNPROCESSABLE, wireErrors.INVALID_ARGUMENT, ...everyCall]
    })
      .annotate(OpenApi.Summary, "Workers by compliance checks")
      .annotate(
        OpenApi.Description,
        "Each result is that of evaluate for its worker and its check. Checks in which exemptions count also ask for " +
          "exemption READ."
      )
      .annotate(GuardOf, guardOfAll(readsOf("evaluation"), "intensive")),
    HttpApiEndpoint.post("evaluate", "/compliance-checks/:id/evaluate", {
      params: ResourceId,
      query: pageParameters,
      payload: EvaluationRequest.annotate({ identifier: "EvaluationRequest" }),
      success: Page(Evaluated),
      error: [wireErrors.UNPROCESSABLE, ...everyBody, ...everyCall]
    })
      .annotate(OpenApi.Transform, withOptionalBody)
      .annotate(OpenApi.Description, "A check in which exemptions count also asks for exemption READ.")
      .annotate(GuardOf, guardOfAll(readsOf("evaluation"), "intensive"))
  )
  .middleware(AnswerRefusals)
  .middleware(Authorize)
  .middleware(LimitRate)
  .middleware(Authenticate)
  .middleware(ResolveTenant)
  .middleware(Begin) {}
