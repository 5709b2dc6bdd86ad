import { MonitoredSchedule } from "@wcs/domain/schedule/Monitoring"
import { VerificationSourceId } from "@wcs/domain/shared/Id"
import {
  SourcedRegister,
  SourceTest,
  VerificationSource,
  VerificationSourceView,
  written
} from "@wcs/domain/verification/VerificationSource"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { crudEndpoints } from "../CrudGroup.ts"
import { documentOf, One, ResourceId, Whole } from "../Envelope.ts"
import { GuardOf, guard } from "../Guard.ts"
import { parameter } from "../ListParameters.ts"
import { verificationSourceTable } from "../ListTables.ts"
import { guarded } from "../Middleware.ts"
import { freshSessionOrToken, StepUpOf } from "../StepUpOf.ts"
import { comparesTag, TagsOf } from "../TagsOf.ts"
import { everyCall, wireErrors } from "../WireError.ts"

const VerificationSourceDocument = documentOf(
  "verificationSource",
  VerificationSourceId,
  VerificationSourceView.fields
).annotate({ identifier: "VerificationSource" })

const { credentialType, intervalDays, limits, url } = written

/** The body of a create and a replacement. */
const VerificationSourceWrite = Schema.Struct({
  credentialType,
  url,
  intervalDays: Schema.optionalKey(intervalDays),
  limits: Schema.optionalKey(limits),
  secret: Schema.optionalKey(
    Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(4096)).annotate({
      description:
        "Token for the gateway, visible ASCII, sent as `Authorization: Bearer`. Never returned. Omit the field to keep " +
        "the present secret. Required again with another `url`."
    })
  )
}).annotate({ identifier: "VerificationSourceWrite" })

const { create, list, patch, read, remove, replace } = crudEndpoints(VerificationSource, {
  document: VerificationSourceDocument,
  table: verificationSourceTable,
  create: VerificationSourceWrite,
  replace: VerificationSourceWrite,
  createErrors: [wireErrors.UNPROCESSABLE],
  updateErrors: [],
  filters: {
    credentialType: parameter("Exact match on the credential type."),
    state: parameter("Exact match on the state.")
  }
})

const changing = [wireErrors.PRECONDITION_FAILED, wireErrors.INVALID_ARGUMENT, ...everyCall] as const

/** `/verification-sources`: the tenant's own gateways to registers, and `/monitoring`: their schedules (DECISIONS.md#sources). */
export class VerificationSourcesApi extends guarded(
  HttpApiGroup.make("verificationSources").add(
    list,
    create.annotate(StepUpOf, freshSessionOrToken),
    HttpApiEndpoint.get("registers", "/verification-sources/registers", {
      success: Whole(SourcedRegister.annotate({ identifier: "SourcedRegister" })),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    })
      .annotate(OpenApi.Summary, "List the registers with their sources")
      .annotate(
        OpenApi.Description,
        "Every register that can be asked, and by which way: the tenant's source, or the deployment's register."
      )
      .annotate(GuardOf, guard("verificationSource", "READ")),
    HttpApiEndpoint.get("monitoring", "/monitoring", {
      success: Whole(MonitoredSchedule.annotate({ identifier: "MonitoredSchedule" })),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    })
      .annotate(OpenApi.Summary, "Monitor scheduled verifications")
      .annotate(
        OpenApi.Description,
        "How the scheduled verifications go: one row for each verification source that is asked, and one for the " +
          "deployment's register unless it verifies nothing by itself. A second source of a type has none, because it is not asked."
      )
      .annotate(GuardOf, guard("verificationSource", "READ", "intensive")),
    read,
    replace.annotate(StepUpOf, freshSessionOrToken),
    patch.annotate(StepUpOf, freshSessionOrToken),
    remove,
    HttpApiEndpoint.post("pause", "/verification-sources/:id/pause", {
      params: ResourceId,
      success: One(VerificationSourceDocument),
      error: changing
    })
      .annotate(OpenApi.Description, "Asks nothing until `resume`. Verifications wait and do not fail.")
      .annotate(GuardOf, guard("verificationSource", "UPDATE"))
      .annotate(TagsOf, comparesTag),
    HttpApiEndpoint.post("resume", "/verification-sources/:id/resume", {
      params: ResourceId,
      success: One(VerificationSourceDocument),
      error: changing
    })
      .annotate(OpenApi.Description, "Waiting verifications are asked within 15 minutes.")
      .annotate(GuardOf, guard("verificationSource", "UPDATE"))
      .annotate(TagsOf, comparesTag),
    HttpApiEndpoint.post("test", "/verification-sources/:id/test", {
      params: ResourceId,
      success: One(SourceTest.annotate({ identifier: "SourceTest" })),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    })
      .annotate(OpenApi.Summary, "Test a verification source")
      .annotate(
        OpenApi.Description,
        "Asks the gateway once, with the `credentialType` and nothing else. OK: the gateway gave a verdict, or took the " +
          "secret and refused the question with 400 or 422. Other fields are missing, so it should."
      )
      .annotate(GuardOf, guard("verificationSource", "UPDATE", "intensive"))
  )
) {}
