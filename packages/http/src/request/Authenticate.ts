import * as Api from "@wcs/api/Middleware"
import { Authentication } from "@wcs/domain/access/Authentication"
import { Caller } from "@wcs/domain/access/Caller"
import { CurrentTenant } from "@wcs/domain/access/Tenant"
import { Context, Effect, Layer, type Redacted } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import * as LoginCookies from "../login/LoginCookies.ts"
import { isConsoleCall } from "./SameOrigin.ts"

/** The 401: a message without a code (§7.1; DECISIONS.md#resources). */
export const unauthorized = (challenge: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe(
    { message: "Unauthorized to perform this action" },
    { status: 401, headers: { "www-authenticate": challenge } }
  )

/** Authenticates the caller, or answers 401. The edge counts each 401 by address. */
export class BearerGate extends Context.Service<
  BearerGate,
  {
    readonly pass: <E, R>(
      token: Redacted.Redacted,
      httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
    ) => Effect.Effect<
      HttpServerResponse.HttpServerResponse,
      E,
      Exclude<R, Caller> | CurrentTenant | HttpServerRequest.HttpServerRequest
    >
  }
>()("@wcs/http/BearerGate") {}

export const make = Effect.map(Authentication, (authentication) => {
  /** The cookie is used only without `Authorization`. An invalid bearer token never falls back to the cookie. */
  const callerOf = (tenantId: string, token: Redacted.Redacted) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
      request.headers["authorization"] === undefined && isConsoleCall(request)
        ? authentication.authenticateSession(tenantId, LoginCookies.read(request, "session"))
        : authentication.authenticate(tenantId, token)
    )

  return BearerGate.of({
    pass: (token, httpEffect) =>
      CurrentTenant.pipe(
        Effect.flatMap((tenant) => callerOf(tenant.id, token)),
        Effect.matchEffect({
          onFailure: () => Effect.succeed(unauthorized('Bearer realm="wcs"')),
          onSuccess: (caller) => Effect.provideService(httpEffect, Caller, caller)
        })
      )
  })
})

export const layerGate: Layer.Layer<BearerGate, never, Authentication> = Layer.effect(BearerGate, make)

export const layer: Layer.Layer<Api.Authenticate, never, BearerGate> = Layer.effect(
  Api.Authenticate,
  Effect.map(BearerGate, (gate) => ({
    bearer: (httpEffect, { credential }) => gate.pass(credential, httpEffect)
  }))
)
