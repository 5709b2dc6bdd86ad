import { Cause, Context, Effect, Layer, Scope } from "effect"
import { HttpClient, HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder, HttpApiError } from "effect/http-api"
import { AdminApi } from "./AdminApi.ts"
import { AdminRefused, refusalStatus } from "./AdminRefused.ts"
import * as AuditHandlers from "./AuditHandlers.ts"
import { commandBytesMax } from "./CommandSize.ts"
import * as DeploymentHandlers from "./DeploymentHandlers.ts"
import * as TenantHandlers from "./TenantHandlers.ts"
import * as UserHandlers from "./UserHandlers.ts"

const routes = HttpApiBuilder.layer(AdminApi).pipe(
  Layer.provide([AuditHandlers.layer, DeploymentHandlers.layer, TenantHandlers.layer, UserHandlers.layer])
)

/** The refusal of a request that is not a command. Undefined if the server failed. */
const unreadable = (error: unknown): AdminRefused | undefined => {
  if (HttpApiError.HttpApiSchemaError.is(error) && error.kind === "Payload") {
    return new AdminRefused({ code: "INVALID_ARGUMENT", message: "the parameters of the command are not valid" })
  }
  if (!HttpServerError.isHttpServerError(error)) return undefined
  const { reason } = error
  if (reason._tag === "RouteNotFound") return new AdminRefused({ code: "NOT_FOUND", message: "unknown command" })
  if (reason._tag !== "RequestParseError") return undefined
  return reason.reason === "BodyTooLarge"
    ? new AdminRefused({
        code: "PAYLOAD_TOO_LARGE",
        message: `a command must have at most ${commandBytesMax} bytes`
      })
    : new AdminRefused({ code: "INVALID_ARGUMENT", message: "the command could not be read" })
}

/** Answers commands. Fails only if the server itself failed. */
export const handler = Effect.gen(function* () {
  const answer = yield* HttpRouter.toHttpEffect(routes)
  const services =
    yield* Effect.context<Exclude<Effect.Services<typeof answer>, HttpServerRequest.HttpServerRequest | Scope.Scope>>()
  return answer.pipe(
    Effect.provideContext(Context.omit(Scope.Scope)(services)), // each request has its own scope
    Effect.catchCause((cause) => {
      const refusal = unreadable(Cause.squash(cause))
      if (refusal === undefined) return Effect.failCause(cause)
      const { _tag, code, message } = refusal
      return Effect.succeed(HttpServerResponse.jsonUnsafe({ _tag, code, message }, { status: refusalStatus[code] }))
    })
  )
})

type Answer = Effect.Success<typeof handler>

/** A client whose commands run in this process. */
export const clientOf = (answer: Answer): HttpClient.HttpClient =>
  HttpClient.make((request) =>
    answer.pipe(
      Effect.map((response) => HttpServerResponse.toClientResponse(response, { request })),
      Effect.provideService(HttpServerRequest.HttpServerRequest, HttpServerRequest.fromClientRequest(request)),
      Effect.scoped,
      Effect.orDie
    )
  )
