import * as Api from "@wcs/api/Middleware"
import { ErrorCodes } from "@wcs/domain/ErrorCode"
import { RequestId } from "@wcs/domain/RequestId"
import { Tenancy } from "@wcs/domain/Tenancy"
import { CurrentTenant } from "@wcs/domain/Tenant"
import { Effect, Layer, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import { UnknownHost } from "./HttpRefusal.ts"
import { pathOf } from "./PathMatching.ts"
import { answerOn, surfaceOf } from "./Surface.ts"

/** Whose surface the request addresses, by its host. */
export const tenantOfRequest = Effect.gen(function* () {
  const tenancy = yield* Tenancy
  const request = yield* HttpServerRequest.HttpServerRequest
  const tenant = yield* tenancy.tenantOf(request.headers["host"] ?? "")
  return Option.isSome(tenant) ? tenant.value : yield* new UnknownHost()
})

export const layer: Layer.Layer<Api.ResolveTenant, never, Tenancy | ErrorCodes> = Layer.effect(
  Api.ResolveTenant,
  Effect.gen(function* () {
    const tenancy = yield* Tenancy
    const codes = yield* ErrorCodes
    return (httpEffect) =>
      tenantOfRequest.pipe(
        Effect.provideService(Tenancy, tenancy),
        Effect.matchEffect({
          onSuccess: (tenant) => Effect.provideService(httpEffect, CurrentTenant, tenant),
          onFailure: (refusal) =>
            Effect.gen(function* () {
              const request = yield* HttpServerRequest.HttpServerRequest
              return answerOn(surfaceOf(pathOf(request.url)), codes, refusal, yield* RequestId)
            })
        })
      )
  })
)
