import { NewerSurface } from "@wcs/api/NewerSurface"
import { IdentityProviders } from "@wcs/domain/single-sign-on/IdentityProviders"
import { Effect } from "effect"
import { handlersOf } from "../pipeline/Endpoints.ts"
import { collectionHandlers, type OfOne, shownOf } from "./CollectionHandlers.ts"

export const make = Effect.map(IdentityProviders, (providers) =>
  handlersOf(NewerSurface, "identityProviders", {
    ...collectionHandlers(providers, "identity-providers"),
    verifyDomains: (call: OfOne) => shownOf(call, providers.verifyDomains(call.params.id))
  })
)
