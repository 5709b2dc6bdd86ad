import { ComplianceCheckFields } from "@wcs/domain/ComplianceChecks"
import { Code } from "@wcs/domain/Id"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { documentOf, Location, Many, One, ResourceId } from "./Envelope.ts"
import { GuardOf, guard } from "./Guard.ts"
import { listParameters, parameter, readParameters } from "./ListParameters.ts"
import { mergePatch } from "./MergePatch.ts"
import { AnswerRefusals, Authenticate, Authorize, Begin, LimitRate, ResolveTenant } from "./Middleware.ts"
import { everyBody, everyCall, wireErrors } from "./WireError.ts"

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
const ComplianceCheckCreate = Schema.Struct({ ...fields, ...optional })

/** What is sent to replace one: the code cannot be changed and may be left out. */
const ComplianceCheckReplace = Schema.Struct({ ...fields, ...optional, code: Schema.optionalKey(Code) })

/** `/compliance-checks` (section 4.2). */
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
    }).annotate(GuardOf, guard("complianceCheck", "DELETE"))
  )
  .middleware(AnswerRefusals)
  .middleware(Authorize)
  .middleware(LimitRate)
  .middleware(Authenticate)
  .middleware(ResolveTenant)
  .middleware(Begin) {}
