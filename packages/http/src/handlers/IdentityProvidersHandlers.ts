import { identityProviderTable } from "@wcs/api/ListTables"
import { NewerSurface } from "@wcs/api/NewerSurface"
import { IdentityProviders } from "@wcs/domain/single-sign-on/IdentityProviders"
import { Effect } from "effect"
import { handlersOf } from "../pipeline/Endpoints.ts"
import { type OfOne, recordHandlers, shownOf } from "./CollectionHandlers.ts"
import * as FileLists from "./FileLists.ts"

export const make = Effect.gen(function* () {
  const providers = yield* IdentityProviders
  const fileList = yield* FileLists.make
  return handlersOf(NewerSurface, "identityProviders", {
    list: fileList("identity-providers", identityProviderTable, providers.list),
    ...recordHandlers(providers, "identity-providers"),
    verifyDomains: (call: OfOne) => shownOf(call, providers.verifyDomains(call.params.id))
  })
})
