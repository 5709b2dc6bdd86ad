import { NewerSurface } from "@wcs/api/NewerSurface"
import { shown } from "@wcs/domain/CredentialType"
import { parseNone } from "@wcs/domain/ListQuery"
import { RequestId } from "@wcs/domain/RequestId"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { refusing } from "./Refused.ts"

const list = Effect.gen(function* () {
  yield* Effect.fromResult(parseNone(yield* HttpServerRequest.ParsedSearchParams))
  return HttpServerResponse.jsonUnsafe({ data: shown, meta: { requestId: yield* RequestId } })
})

export const layer = HttpApiBuilder.group(NewerSurface, "credentialTypes", (handlers) =>
  handlers.handle("list", () => refusing(list))
)
