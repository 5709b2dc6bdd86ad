import { ScreeningPackageFields } from "@wcs/domain/screening/ScreeningPackages"
import { Code } from "@wcs/domain/shared/Id"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { documentOf, Location, Many, One, ResourceId } from "../Envelope.ts"
import { GuardOf, guard } from "../Guard.ts"
import { listParameters, parameter, readParameters } from "../ListParameters.ts"
import { mergePatch } from "../MergePatch.ts"
import { AnswerRefusals, Authenticate, Authorize, Begin, LimitRate, ResolveTenant } from "../Middleware.ts"
import { everyBody, everyCall, wireErrors } from "../WireError.ts"

const { fields } = ScreeningPackageFields

/** The response form of a screening package. */
export const ScreeningPackageDocument = documentOf("screeningPackage", Code, fields).annotate({
  identifier: "ScreeningPackage"
})

const optional = { active: Schema.optionalKey(fields.active) }

/** The body of create. `active` defaults to true. The code becomes the id. */
const ScreeningPackageCreate = Schema.Struct({ ...fields, ...optional }).annotate({
  identifier: "ScreeningPackageCreate"
})

/** The body of replace. The code is optional and cannot change. */
const ScreeningPackageReplace = Schema.Struct({ ...fields, ...optional, code: Schema.optionalKey(Code) }).annotate({
  identifier: "ScreeningPackageReplace"
})

/** `/screening-packages` (§4.2). */
export class ScreeningPackagesApi extends HttpApiGroup.make("screeningPackages")
  .add(
    HttpApiEndpoint.get("list", "/screening-packages", {
      query: {
        ...listParameters,
        active: parameter("true or false."),
        query: parameter("Prefix of the name, ignoring case.")
      },
      success: Many(ScreeningPackageDocument),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    }).annotate(GuardOf, guard("screeningPackage", "READ")),
    HttpApiEndpoint.post("create", "/screening-packages", {
      payload: ScreeningPackageCreate,
      success: HttpApiSchema.WithHeaders(One(ScreeningPackageDocument).pipe(HttpApiSchema.status(201)), Location),
      error: [...everyBody, wireErrors.DUPLICATE_ID, ...everyCall]
    }).annotate(GuardOf, guard("screeningPackage", "CREATE")),
    HttpApiEndpoint.get("read", "/screening-packages/:id", {
      params: ResourceId,
      query: readParameters,
      success: One(ScreeningPackageDocument),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    }).annotate(GuardOf, guard("screeningPackage", "READ")),
    HttpApiEndpoint.put("replace", "/screening-packages/:id", {
      params: ResourceId,
      payload: ScreeningPackageReplace,
      success: One(ScreeningPackageDocument),
      error: [...everyBody, ...everyCall]
    }).annotate(GuardOf, guard("screeningPackage", "UPDATE")),
    HttpApiEndpoint.patch("patch", "/screening-packages/:id", {
      params: ResourceId,
      payload: mergePatch,
      success: One(ScreeningPackageDocument),
      error: [...everyBody, ...everyCall]
    }).annotate(GuardOf, guard("screeningPackage", "UPDATE")),
    HttpApiEndpoint.delete("remove", "/screening-packages/:id", {
      params: ResourceId,
      success: HttpApiSchema.NoContent,
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    }).annotate(GuardOf, guard("screeningPackage", "DELETE"))
  )
  .middleware(AnswerRefusals)
  .middleware(Authorize)
  .middleware(LimitRate)
  .middleware(Authenticate)
  .middleware(ResolveTenant)
  .middleware(Begin) {}
