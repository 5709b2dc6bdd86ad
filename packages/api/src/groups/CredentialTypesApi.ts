import { CredentialTypeFields } from "@wcs/domain/credential/CredentialType"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Whole } from "../Envelope.ts"
import { GuardOf, guard } from "../Guard.ts"
import { AnswerRefusals, Authenticate, Authorize, Begin, LimitRate, ResolveTenant } from "../Middleware.ts"
import { everyCall, wireErrors } from "../WireError.ts"

/** `/credential-types`: the catalogue of credential types (DECISIONS.md#fields). */
export class CredentialTypesApi extends HttpApiGroup.make("credentialTypes")
  .add(
    HttpApiEndpoint.get("list", "/credential-types", {
      success: Whole(CredentialTypeFields.annotate({ identifier: "CredentialType" })),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    }).annotate(GuardOf, guard("credential", "READ"))
  )
  .middleware(AnswerRefusals)
  .middleware(Authorize)
  .middleware(LimitRate)
  .middleware(Authenticate)
  .middleware(ResolveTenant)
  .middleware(Begin) {}
