import * as Api from "@wcs/api/Middleware"
import { Tenancy } from "@wcs/domain/access/Tenancy"
import { CurrentTenant } from "@wcs/domain/access/Tenant"
import { ErrorCodes } from "@wcs/domain/shared/ErrorCode"
import { RequestId } from "@wcs/domain/shared/RequestId"
import { Effect, Layer, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import { UnknownHost } from "../refusal/HttpRefusal.ts"
import { answerOn, surfaceOf } from "../Surface.ts"
import { pathOf } from "./PathMatching.ts"

/** Returns the tenant of the host. Fails with `UnknownHost`. */
export const tenantOfRequest = (tenancy: Tenancy["Service"]) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
    Effect.flatMap(
      tenancy.tenantOf(request.headers["host"] ?? ""),
      Option.match({
        onSome: Effect.succeed,
        onNone: () => Effect.fail(new UnknownHost())
      })
    )
  )

export const layer: Layer.Layer<Api.ResolveTenant, never, Tenancy | ErrorCodes> = Layer.effect(
  Api.ResolveTenant,
  Effect.gen(function* () {
    const tenancy = yield* Tenancy
    const codes = yield* ErrorCodes
    const tenantOf = tenantOfRequest(tenancy)
    return (httpEffect) =>
      tenantOf.pipe(
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
