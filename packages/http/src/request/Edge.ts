import { newerRoot } from "@wcs/api/NewerSurface"
import { hasQuota, ResponseHeaders } from "@wcs/api/ResponseHeaders"
import { Caller } from "@wcs/domain/access/Caller"
import { LegacyCaller } from "@wcs/domain/legacy/LegacyAuthentication"
import { ErrorCodes } from "@wcs/domain/shared/ErrorCode"
import { Ids } from "@wcs/domain/shared/Id"
import { RequestId } from "@wcs/domain/shared/RequestId"
import { Cause, Context, Effect, Option } from "effect"
import { HttpEffect, HttpRouter, HttpServerError, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { InsecureTransport, Unavailable, UriTooLong } from "../refusal/HttpRefusal.ts"
import { answerOn, failureOn, surfaceOf } from "../Surface.ts"
import * as AddressLimit from "./AddressLimit.ts"
import { baseHeaders, withHeaders } from "./BaseHeaders.ts"
import * as BodyBudget from "./BodyBudget.ts"
import { IsOutage } from "./Outage.ts"
import { pathOf, urlForRouter } from "./PathMatching.ts"
import { Peers } from "./Peers.ts"
import { WhileReceiving } from "./RequestBody.ts"
import { UnknownPath } from "./UnknownPath.ts"

/** Bytes of path and query (DECISIONS.md#resources). */
const uriLimitBytes = 8 * 1024

/** How many requests are served at once; what comes beyond is told to come again. */
export const MaxInFlight = Context.Reference<number>("@wcs/http/MaxInFlight", { defaultValue: () => 1024 })

const isRouteNotFound = (error: unknown): boolean =>
  HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound"

/** Whether nothing behind the edge counts a call of this URL: documents, the set-up page, and unknown paths beside them. */
const isOutside = (url: string): boolean => !url.startsWith(`${newerRoot}/`) && surfaceOf(pathOf(url)) === "outside"

/** The key that the bytes of a body count under: that of the caller, if known. */
const payerOf = (context: Context.Context<never>): Option.Option<string> =>
  Context.getOption(context, Caller).pipe(
    Option.orElse(() => Option.map(Context.getOption(context, LegacyCaller), ({ caller }) => caller)),
    Option.map(({ rateLimitKey }) => rateLimitKey)
  )

/**
 * Outermost, around every route and every miss: the request's id, the refusal of plain HTTP, limits, the headers of
 * every response, and an answer in the right shape for whatever escaped.
 */
export const layer = HttpRouter.middleware<{ provides: RequestId | ResponseHeaders }>()(
  Effect.gen(function* () {
    const ids = yield* Ids
    const codes = yield* ErrorCodes
    const peers = yield* Peers
    const unknownPath = yield* UnknownPath
    const maxInFlight = yield* MaxInFlight
    const isOutage = yield* IsOutage
    const addressLimit = yield* AddressLimit.make
    const budget = BodyBudget.make(yield* BodyBudget.BodyLimitsOf)
    let inFlight = 0

    /** A request whose body is being received takes no place among those that are served. */
    const whileReceiving =
      (request: HttpServerRequest.HttpServerRequest): typeof WhileReceiving.Service =>
      (receive) =>
        Effect.acquireUseRelease(
          Effect.map(Effect.context<never>(), (context) => {
            inFlight--
            return budget.open(Option.getOrElse(payerOf(context), () => peers.of(request).address))
          }),
          ({ take }) => receive(take),
          ({ release }) =>
            Effect.sync(() => {
              release()
              inFlight++
            })
        )

    const refusalOf = (request: HttpServerRequest.HttpServerRequest) => {
      if (!peers.of(request).secure) return new InsecureTransport()
      if (request.url.length > uriLimitBytes) return new UriTooLong({ limitBytes: uriLimitBytes })
      return inFlight >= maxInFlight ? new Unavailable({ retryAfterSeconds: 1 }) : undefined
    }

    const answerEscaped = (cause: Cause.Cause<unknown>, requestId: string) =>
      Effect.gen(function* () {
        const error = Cause.squash(cause)
        if (isRouteNotFound(error)) return yield* unknownPath.answer
        const request = yield* HttpServerRequest.HttpServerRequest
        const path = pathOf(request.url)
        const surface = surfaceOf(path)
        // Outside the surfaces a path can be a secret, as that of the set-up page is.
        const place = surface === "outside" ? {} : { path }
        const about = Effect.annotateLogs({ requestId, method: request.method, surface, ...place })
        if (isOutage(error)) {
          yield* about(Effect.logWarning("a request could not be served: what the service stands on was away"))
          return answerOn(surface, codes, new Unavailable({ retryAfterSeconds: 1 }), requestId)
        }
        yield* about(Effect.logError("a request failed", cause))
        return failureOn(surface, requestId)
      })

    /** A failure in answering a failure, too, is answered. */
    const answerFailure = (
      cause: Cause.Cause<unknown>,
      request: HttpServerRequest.HttpServerRequest,
      requestId: string
    ) =>
      Effect.catchCause(answerEscaped(cause, requestId), (another) =>
        Cause.hasInterruptsOnly(another)
          ? Effect.failCause(another)
          : Effect.succeed(failureOn(surfaceOf(pathOf(request.url)), requestId))
      )

    const leave = Effect.sync(() => {
      inFlight--
    })

    const callOf = (
      request: HttpServerRequest.HttpServerRequest,
      requestId: string,
      headers: ResponseHeaders["Service"]
    ): AddressLimit.UnknownCall => ({
      address: peers.of(request).address,
      surface: surfaceOf(pathOf(request.url)),
      requestId,
      headers
    })

    /** Answers a request under its id; the context is given all at once, since each giving costs as much as a check. */
    const answer = <E>(
      httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, RequestId | ResponseHeaders>,
      request: HttpServerRequest.HttpServerRequest,
      requestId: string,
      headers: ResponseHeaders["Service"]
    ) => {
      const refusal = refusalOf(request)
      if (refusal !== undefined) {
        return Effect.succeed(answerOn(surfaceOf(pathOf(request.url)), codes, refusal, requestId))
      }
      const url = urlForRouter(request.url)
      const routed =
        url === request.url
          ? httpEffect
          : Effect.provideService(httpEffect, HttpServerRequest.HttpServerRequest, request.modify({ url }))
      const limited = isOutside(request.url) ? addressLimit.count(callOf(request, requestId, headers), routed) : routed
      inFlight++
      return limited.pipe(
        Effect.catchCause((cause) =>
          Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause) : answerFailure(cause, request, requestId)
        ),
        Effect.updateContext((context: Context.Context<HttpServerRequest.HttpServerRequest>) =>
          context.pipe(
            Context.add(RequestId, requestId),
            Context.add(ResponseHeaders, headers),
            Context.add(WhileReceiving, whileReceiving(request))
          )
        ),
        Effect.ensuring(leave)
      )
    }

    return (httpEffect) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
        Effect.flatMap(ids.ulid, (requestId) => {
          const headers = baseHeaders(requestId, request.headers["x-request-id"])
          // Runs for whatever is answered in the end, unlike a map over the effect's success.
          return HttpEffect.withPreResponseHandler(
            answer(httpEffect, request, requestId, headers),
            (_request, response) =>
              hasQuota(headers)
                ? Effect.succeed(withHeaders(response, headers))
                : Effect.map(addressLimit.settle(callOf(request, requestId, headers), response), (settled) =>
                    withHeaders(settled, headers)
                  )
          )
        })
      )
  }),
  { global: true }
)
