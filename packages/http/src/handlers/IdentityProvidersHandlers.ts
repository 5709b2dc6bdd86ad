import { NewerSurface } from "@wcs/api/NewerSurface"
import { IdentityProviders } from "@wcs/domain/single-sign-on/IdentityProviders"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { refusing } from "../refusal/Refused.ts"
import { collectionHandlers, one } from "./CollectionHandlers.ts"

export const layer = HttpApiBuilder.group(
  NewerSurface,
  "identityProviders",
  Effect.fn(function* (handlers) {
    const providers = yield* IdentityProviders
    const { create, list, patch, read, remove, replace } = collectionHandlers(providers, "identity-providers")
    return handlers
      .handle("list", list)
      .handleRaw("create", create)
      .handle("read", read)
      .handleRaw("replace", replace)
      .handleRaw("patch", patch)
      .handle("remove", remove)
      .handle("verifyDomains", ({ params }) =>
        providers.verifyDomains(params.id).pipe(
          Effect.flatMap((shown) => one(shown)),
          refusing
        )
      )
  })
)
