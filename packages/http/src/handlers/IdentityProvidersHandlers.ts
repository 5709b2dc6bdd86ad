import { NewerSurface } from "@wcs/api/NewerSurface"
import { IdentityProviders } from "@wcs/domain/single-sign-on/IdentityProviders"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { refusing } from "../refusal/Refused.ts"
import { collectionHandlers, crudHandlers, one } from "./CollectionHandlers.ts"

export const layer = HttpApiBuilder.group(
  NewerSurface,
  "identityProviders",
  Effect.fn(function* (handlers) {
    const providers = yield* IdentityProviders
    return crudHandlers(handlers, collectionHandlers(providers, "identity-providers")).handle(
      "verifyDomains",
      ({ params }) =>
        providers.verifyDomains(params.id).pipe(
          Effect.flatMap((shown) => one(shown)),
          refusing
        )
    )
  })
)
