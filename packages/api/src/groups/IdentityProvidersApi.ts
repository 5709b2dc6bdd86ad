import { IdentityProviderId } from "@wcs/domain/shared/Id"
import { IdentityProviderFields } from "@wcs/domain/single-sign-on/IdentityProvider"
import { IdentityProviderView } from "@wcs/domain/single-sign-on/IdentityProviderView"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { documentOf, Location, Many, One, ResourceId } from "../Envelope.ts"
import { GuardOf, guard } from "../Guard.ts"
import { listParameters, parameter, readParameters } from "../ListParameters.ts"
import { mergePatch } from "../MergePatch.ts"
import { AnswerRefusals, Authenticate, Authorize, Begin, LimitRate, ResolveTenant } from "../Middleware.ts"
import { freshSessionOrToken, StepUpOf } from "../StepUpOf.ts"
import { everyBody, everyCall, wireErrors } from "../WireError.ts"

const IdentityProviderDocument = documentOf(
  "identityProvider",
  IdentityProviderId,
  IdentityProviderView.fields
).annotate({
  identifier: "IdentityProvider"
})

const { active, domains, kind, name, oidc, required, saml } = IdentityProviderFields.fields

const optionally = <S extends Schema.Top>(schema: S) => Schema.optionalKey(schema)

/** The body of a create and a replacement. */
const IdentityProviderWrite = Schema.Struct({
  name,
  kind,
  active: optionally(active),
  required: optionally(required),
  domains: optionally(domains),
  saml,
  oidc,
  metadata: optionally(
    Schema.String.annotate({ description: "SAML metadata of the identity provider as XML. Replaces the field `saml`." })
  ),
  clientSecret: optionally(
    Schema.String.annotate({
      description: "Client secret of OpenID Connect. Never returned. Omit the field to keep the present secret."
    })
  )
}).annotate({ identifier: "IdentityProviderWrite" })

/** `/identity-providers`: single sign-on of the tenant (§5.2, item 9). */
export class IdentityProvidersApi extends HttpApiGroup.make("identityProviders")
  .add(
    HttpApiEndpoint.get("list", "/identity-providers", {
      query: { ...listParameters, kind: parameter("saml or oidc."), active: parameter("true or false.") },
      success: Many(IdentityProviderDocument),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    }).annotate(GuardOf, guard("identityProvider", "READ")),
    HttpApiEndpoint.post("create", "/identity-providers", {
      payload: IdentityProviderWrite,
      success: HttpApiSchema.WithHeaders(One(IdentityProviderDocument).pipe(HttpApiSchema.status(201)), Location),
      error: [wireErrors.UNPROCESSABLE, ...everyBody, ...everyCall]
    })
      .annotate(GuardOf, guard("identityProvider", "CREATE"))
      .annotate(StepUpOf, freshSessionOrToken),
    HttpApiEndpoint.get("read", "/identity-providers/:id", {
      params: ResourceId,
      query: readParameters,
      success: One(IdentityProviderDocument),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    }).annotate(GuardOf, guard("identityProvider", "READ")),
    HttpApiEndpoint.put("replace", "/identity-providers/:id", {
      params: ResourceId,
      payload: IdentityProviderWrite,
      success: One(IdentityProviderDocument),
      error: [wireErrors.UNPROCESSABLE, ...everyBody, ...everyCall]
    })
      .annotate(GuardOf, guard("identityProvider", "UPDATE"))
      .annotate(StepUpOf, freshSessionOrToken),
    HttpApiEndpoint.patch("patch", "/identity-providers/:id", {
      params: ResourceId,
      payload: mergePatch,
      success: One(IdentityProviderDocument),
      error: [wireErrors.UNPROCESSABLE, ...everyBody, ...everyCall]
    })
      .annotate(GuardOf, guard("identityProvider", "UPDATE"))
      .annotate(StepUpOf, freshSessionOrToken),
    HttpApiEndpoint.delete("remove", "/identity-providers/:id", {
      params: ResourceId,
      success: HttpApiSchema.NoContent,
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    })
      .annotate(GuardOf, guard("identityProvider", "DELETE"))
      .annotate(StepUpOf, freshSessionOrToken),
    HttpApiEndpoint.post("verifyDomains", "/identity-providers/:id/verify-domains", {
      params: ResourceId,
      success: One(IdentityProviderDocument),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    })
      .annotate(OpenApi.Summary, "Verify the domains of an identity provider")
      .annotate(
        OpenApi.Description,
        "Looks up the TXT records in `domainProofs`. A verified domain stays verified until it is removed from `domains`."
      )
      .annotate(GuardOf, guard("identityProvider", "UPDATE", "intensive"))
      .annotate(StepUpOf, freshSessionOrToken)
  )
  .middleware(AnswerRefusals)
  .middleware(Authorize)
  .middleware(LimitRate)
  .middleware(Authenticate)
  .middleware(ResolveTenant)
  .middleware(Begin) {}
