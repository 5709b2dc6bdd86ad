import { OAuthClientDocument, OAuthClientWrite } from "@wcs/domain/token/OAuthClients"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Location, Many, One, ResourceId } from "../Envelope.ts"
import { GuardOf, guard } from "../Guard.ts"
import { issuedListParameters, readParameters, revokeParameters } from "../ListParameters.ts"
import { guarded } from "../Middleware.ts"
import { freshSessionOrToken, StepUpOf } from "../StepUpOf.ts"
import { everyBody, everyCall, wireErrors } from "../WireError.ts"

const ApiClient = OAuthClientDocument.annotate({ identifier: "ApiClient" })

const NewApiClient = Schema.Struct({
  ...OAuthClientDocument.fields,
  clientSecret: Schema.String.annotate({
    description: "The client secret. It is returned only once. To replace a lost secret, create a new client."
  })
}).annotate({ identifier: "NewApiClient" })

/** `/api-clients`: OAuth clients (§5.2, item 4). A client has every privilege. Only users can create clients. */
export class ApiClientsApi extends guarded(
  HttpApiGroup.make("apiClients").add(
    HttpApiEndpoint.get("list", "/api-clients", {
      query: issuedListParameters,
      success: Many(ApiClient),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    }).annotate(GuardOf, guard("apiClient", "READ")),
    HttpApiEndpoint.post("create", "/api-clients", {
      payload: OAuthClientWrite.annotate({ identifier: "ApiClientWrite" }),
      success: HttpApiSchema.WithHeaders(One(NewApiClient).pipe(HttpApiSchema.status(201)), Location),
      error: [...everyBody, wireErrors.UNPROCESSABLE, ...everyCall]
    })
      .annotate(GuardOf, guard("apiClient", "CREATE"))
      .annotate(StepUpOf, freshSessionOrToken),
    HttpApiEndpoint.get("read", "/api-clients/:id", {
      params: ResourceId,
      query: readParameters,
      success: One(ApiClient),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    }).annotate(GuardOf, guard("apiClient", "READ")),
    HttpApiEndpoint.delete("remove", "/api-clients/:id", {
      params: ResourceId,
      query: revokeParameters,
      success: HttpApiSchema.NoContent,
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    }).annotate(GuardOf, guard("apiClient", "DELETE"))
  )
) {}
