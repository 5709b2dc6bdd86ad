import { CredentialTypeFields } from "@wcs/domain/holding/CredentialType"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Whole } from "../Envelope.ts"
import { GuardOf, guard } from "../Guard.ts"
import { guarded } from "../Middleware.ts"
import { everyCall, wireErrors } from "../WireError.ts"

/** `/credential-types`: the catalogue of credential types (DECISIONS.md#fields). */
export class CredentialTypesApi extends guarded(
  HttpApiGroup.make("credentialTypes").add(
    HttpApiEndpoint.get("list", "/credential-types", {
      success: Whole(CredentialTypeFields.annotate({ identifier: "CredentialType" })),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    }).annotate(GuardOf, guard("credential", "READ"))
  )
) {}
