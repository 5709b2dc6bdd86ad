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

/** The maximum size of path and query (DECISIONS.md#resources). */
const uriLimitBytes = 8 * 1024

/** The maximum number of requests in flight. Above it, requests get 503. */
export const MaxInFlight = Context.Reference<number>("@wcs/http/MaxInFlight", { defaultValue: () => 1024 })

const isRouteNotFound = (error: unknown): boolean =>
  HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound"

/** Whether the edge must count a call of this URL: documents, the set-up page and unknown paths. */
const isOutside = (url: string): boolean => !url.startsWith(`${newerRoot}/`) && surfaceOf(pathOf(url)) === "outside"

/** The key of the body budget: that of the caller, if known. */
const payerOf = (context: Context.Context<never>): Option.Option<string> =>
  Context.getOption(context, Caller).pipe(
    Option.orElse(() => Option.map(Context.getOption(context, LegacyCaller), ({ caller }) => caller)),
    Option.map(({ rateLimitKey }) => rateLimitKey)
  )

/** What the edge works with, and its state. */
interface Edge {
  readonly codes: ErrorCodes["Service"]
  readonly peers: Peers["Service"]
  readonly unknownPath: UnknownPath["Service"]
  readonly maxInFlight: number
  readonly isOutage: typeof IsOutage.Service
  readonly addressLimit: Effect.Success<typeof AddressLimit.make>
  readonly budget: ReturnType<typeof BodyBudget.make>
  inFlight: number
}

/** While its body is received, a request does not count as in flight. */
const whileReceiving =
  (edge: Edge, request: HttpServerRequest.HttpServerRequest): typeof WhileReceiving.Service =>
  (receive) =>
    Effect.acquireUseRelease(
      Effect.map(Effect.context<never>(), (context) => {
        edge.inFlight--
        return edge.budget.open(Option.getOrElse(payerOf(context), () => edge.peers.of(request).address))
      }),
      ({ take }) => receive(take),
      ({ release }) =>
        Effect.sync(() => {
          release()
          edge.inFlight++
        })
    )

const refusalOf = ({ inFlight, maxInFlight, peers }: Edge, request: HttpServerRequest.HttpServerRequest) => {
  if (!peers.of(request).secure) return new InsecureTransport()
  if (request.url.length > uriLimitBytes) return new UriTooLong({ limitBytes: uriLimitBytes })
  return inFlight >= maxInFlight ? new Unavailable({ retryAfterSeconds: 1 }) : undefined
}

const answerEscaped = ({ codes, isOutage, unknownPath }: Edge, cause: Cause.Cause<unknown>, requestId: string) =>
  Effect.gen(function* () {
    const error = Cause.squash(cause)
    if (isRouteNotFound(error)) return yield* unknownPath.answer
    const request = yield* HttpServerRequest.HttpServerRequest
    const path = pathOf(request.url)
    const surface = surfaceOf(path)
    // Outside the surfaces a path can contain a secret, such as that of the set-up page.
    const place = surface === "outside" ? {} : { path }
    const about = Effect.annotateLogs({ requestId, method: request.method, surface, ...place })
    if (isOutage(error)) {
      yield* about(Effect.logWarning("a request failed with 503: the database is unavailable"))
      return answerOn(surface, codes, new Unavailable({ retryAfterSeconds: 1 }), requestId)
    }
    yield* about(Effect.logError("a request failed", cause))
    return failureOn(surface, requestId)
  })

/** Answers even if the error handler itself fails. */
const answerFailure = (
  edge: Edge,
  cause: Cause.Cause<unknown>,
  request: HttpServerRequest.HttpServerRequest,
  requestId: string
) =>
  Effect.catchCause(answerEscaped(edge, cause, requestId), (another) =>
    Cause.hasInterruptsOnly(another)
      ? Effect.failCause(another)
      : Effect.succeed(failureOn(surfaceOf(pathOf(request.url)), requestId))
  )

const callOf = (
  { peers }: Edge,
  request: HttpServerRequest.HttpServerRequest,
  requestId: string,
  headers: ResponseHeaders["Service"]
): AddressLimit.UnknownCall => ({
  address: peers.of(request).address,
  surface: surfaceOf(pathOf(request.url)),
  requestId,
  headers
})

/** Answers a request. Provides the context in one step, because each step costs time. `leave` ends the request. */
const answer = <E>(
  edge: Edge,
  leave: Effect.Effect<void>,
  httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, RequestId | ResponseHeaders>,
  request: HttpServerRequest.HttpServerRequest,
  requestId: string,
  headers: ResponseHeaders["Service"]
) => {
  const refusal = refusalOf(edge, request)
  if (refusal !== undefined) {
    return Effect.succeed(answerOn(surfaceOf(pathOf(request.url)), edge.codes, refusal, requestId))
  }
  const url = urlForRouter(request.url)
  const routed =
    url === request.url
      ? httpEffect
      : Effect.provideService(httpEffect, HttpServerRequest.HttpServerRequest, request.modify({ url }))
  const limited = isOutside(request.url)
    ? edge.addressLimit.count(callOf(edge, request, requestId, headers), routed)
    : routed
  edge.inFlight++
  return limited.pipe(
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause) : answerFailure(edge, cause, request, requestId)
    ),
    Effect.updateContext((context: Context.Context<HttpServerRequest.HttpServerRequest>) =>
      context.pipe(
        Context.add(RequestId, requestId),
        Context.add(ResponseHeaders, headers),
        Context.add(WhileReceiving, whileReceiving(edge, request))
      )
    ),
    Effect.ensuring(leave)
  )
}

/**
 * The outermost middleware, also around unknown paths. It assigns the request id, refuses plain HTTP, applies limits,
 * sets the common headers, and answers unhandled errors in the error form of the surface.
 */
export const layer = HttpRouter.middleware<{ provides: RequestId | ResponseHeaders }>()(
  Effect.gen(function* () {
    const ids = yield* Ids
    const addressLimit = yield* AddressLimit.make
    const edge: Edge = {
      codes: yield* ErrorCodes,
      peers: yield* Peers,
      unknownPath: yield* UnknownPath,
      maxInFlight: yield* MaxInFlight,
      isOutage: yield* IsOutage,
      addressLimit,
      budget: BodyBudget.make(yield* BodyBudget.BodyLimitsOf),
      inFlight: 0
    }
    const leave = Effect.sync(() => {
      edge.inFlight--
    })

    return (httpEffect) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
        Effect.flatMap(ids.ulid, (requestId) => {
          const headers = baseHeaders(requestId, request.headers["x-request-id"])
          // Runs for every response, unlike a map over the success of the effect.
          return HttpEffect.withPreResponseHandler(
            answer(edge, leave, httpEffect, request, requestId, headers),
            (_request, response) =>
              hasQuota(headers)
                ? Effect.succeed(withHeaders(response, headers))
                : Effect.map(addressLimit.settle(callOf(edge, request, requestId, headers), response), (settled) =>
                    withHeaders(settled, headers)
                  )
          )
        })
      )
  }),
  { global: true }
)
