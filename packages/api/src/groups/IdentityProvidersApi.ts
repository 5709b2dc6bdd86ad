import { IdentityProviderId } from "@wcs/domain/shared/Id"
import { IdentityProvider, IdentityProviderFields } from "@wcs/domain/single-sign-on/IdentityProvider"
import { clientSecretMaxLength } from "@wcs/domain/single-sign-on/IdentityProviders"
import { IdentityProviderView } from "@wcs/domain/single-sign-on/IdentityProviderView"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { crudEndpoints } from "../CrudGroup.ts"
import { documentOf, One, ResourceId } from "../Envelope.ts"
import { GuardOf, guard } from "../Guard.ts"
import { parameter } from "../ListParameters.ts"
import { identityProviderTable } from "../ListTables.ts"
import { guarded } from "../Middleware.ts"
import { freshSessionOrToken, StepUpOf } from "../StepUpOf.ts"
import { comparesTag, TagsOf } from "../TagsOf.ts"
import { everyCall, wireErrors } from "../WireError.ts"

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
    Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(clientSecretMaxLength)).annotate({
      description: "Client secret of OpenID Connect. Never returned. Omit the field to keep the present secret."
    })
  )
}).annotate({ identifier: "IdentityProviderWrite" })

const { create, list, patch, read, remove, replace } = crudEndpoints(IdentityProvider, {
  document: IdentityProviderDocument,
  table: identityProviderTable,
  create: IdentityProviderWrite,
  replace: IdentityProviderWrite,
  createErrors: [wireErrors.UNPROCESSABLE],
  updateErrors: [wireErrors.UNPROCESSABLE],
  filters: {
    kind: parameter("Exact match on the protocol."),
    active: parameter("Active or inactive providers only.")
  }
})

/** The guard of a call that may read SAML metadata, which costs as much as an evaluation. */
const reading = (operation: "CREATE" | "UPDATE") => guard("identityProvider", operation, "intensive")

/** `/identity-providers`: single sign-on of the tenant (§5.2, item 9). */
export class IdentityProvidersApi extends guarded(
  HttpApiGroup.make("identityProviders").add(
    list,
    create.annotate(StepUpOf, freshSessionOrToken).annotate(GuardOf, reading("CREATE")),
    read,
    replace.annotate(StepUpOf, freshSessionOrToken).annotate(GuardOf, reading("UPDATE")),
    patch.annotate(StepUpOf, freshSessionOrToken).annotate(GuardOf, reading("UPDATE")),
    remove.annotate(StepUpOf, freshSessionOrToken),
    HttpApiEndpoint.post("verifyDomains", "/identity-providers/:id/verify-domains", {
      params: ResourceId,
      success: One(IdentityProviderDocument),
      error: [wireErrors.INVALID_ARGUMENT, wireErrors.PRECONDITION_FAILED, ...everyCall]
    })
      .annotate(TagsOf, comparesTag)
      .annotate(OpenApi.Summary, "Verify the domains of an identity provider")
      .annotate(
        OpenApi.Description,
        "Looks up the TXT records in `domainProofs`. A verified domain stays verified until it is removed from `domains`."
      )
      .annotate(GuardOf, guard("identityProvider", "UPDATE", "intensive"))
      .annotate(StepUpOf, freshSessionOrToken)
  )
) {}
