import { PersonalTokenDocument, PersonalTokenWrite } from "@wcs/domain/token/PersonalTokens"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Location, Many, One, ResourceId } from "../Envelope.ts"
import { GuardOf, judgedWithin } from "../Guard.ts"
import { issuedListParameters, readParameters, revokeParameters } from "../ListParameters.ts"
import { guarded } from "../Middleware.ts"
import { freshSessionOrToken, StepUpOf } from "../StepUpOf.ts"
import { everyBody, everyCall, wireErrors } from "../WireError.ts"

const AccessToken = PersonalTokenDocument.annotate({ identifier: "AccessToken" })

const NewAccessToken = Schema.Struct({
  ...PersonalTokenDocument.fields,
  token: Schema.String.annotate({ description: "The secret token. It is returned only once." })
}).annotate({ identifier: "NewAccessToken" })

/**
 * `/access-tokens`: personal access tokens (§5.2, item 2a). Callers manage their own tokens. Access to the tokens of
 * others needs the privilege on access tokens (DECISIONS.md#access).
 */
export class AccessTokensApi extends guarded(
  HttpApiGroup.make("accessTokens").add(
    HttpApiEndpoint.get("list", "/access-tokens", {
      query: issuedListParameters,
      success: Many(AccessToken),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    }).annotate(GuardOf, judgedWithin),
    HttpApiEndpoint.post("create", "/access-tokens", {
      payload: PersonalTokenWrite.annotate({ identifier: "AccessTokenWrite" }),
      success: HttpApiSchema.WithHeaders(One(NewAccessToken).pipe(HttpApiSchema.status(201)), Location),
      error: [...everyBody, wireErrors.UNPROCESSABLE, ...everyCall]
    })
      .annotate(GuardOf, judgedWithin)
      .annotate(StepUpOf, freshSessionOrToken),
    HttpApiEndpoint.get("read", "/access-tokens/:id", {
      params: ResourceId,
      query: readParameters,
      success: One(AccessToken),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    }).annotate(GuardOf, judgedWithin),
    HttpApiEndpoint.delete("remove", "/access-tokens/:id", {
      params: ResourceId,
      query: revokeParameters,
      success: HttpApiSchema.NoContent,
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    })
      .annotate(
        OpenApi.Description,
        "Revokes the token. A cascade that reaches an API client also requires apiClient DELETE."
      )
      .annotate(GuardOf, judgedWithin)
  )
) {}
