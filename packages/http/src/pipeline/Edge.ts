import { CallerEnded, refusalOf as refusalOfEnded } from "@wcs/domain/access/Standing"
import { ErrorCodes } from "@wcs/domain/shared/ErrorCode"
import { Ids } from "@wcs/domain/shared/Id"
import { TraceRatio } from "@wcs/domain/shared/TraceContext"
import { Cause, Context, Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { InsecureTransport, Unavailable, UriTooLong } from "../refusal/HttpRefusal.ts"
import * as AddressLimit from "../request/AddressLimit.ts"
import { withoutBearer } from "../request/Authenticate.ts"
import * as BodyBudget from "../request/BodyBudget.ts"
import * as Detection from "../request/Detection.ts"
import type { Incoming } from "../request/Incoming.ts"
import { IsOutage } from "../request/Outage.ts"
import { answerOn, failureOn } from "../Surface.ts"
import { type Answer, Call, type Ending } from "./Call.ts"
import * as RequestTrace from "./RequestTrace.ts"
import { hasQuota, type ResponseHeaders } from "./ResponseHeaders.ts"
import { finderOf, type Route } from "./Route.ts"
import * as UnknownPath from "./UnknownPath.ts"

/** The maximum size of path and query (DECISIONS.md#resources). */
const uriLimitBytes = 8 * 1024

/** The maximum number of requests in flight. Above it, requests get 503. */
export const MaxInFlight = Context.Reference<number>("@wcs/http/MaxInFlight", { defaultValue: () => 1024 })

/**
 * The longest wait between the arrival of a request and its first step, in milliseconds. After a longer wait it gets
 * 503: an overloaded server would otherwise answer every request late.
 */
const longestWaitMillis = 1000

/**
 * Whether browsers are told to use HTTPS only (RFC 6797). By default not: it would lock users out of a host whose
 * certificate their browser does not trust.
 */
export const StrictTransport = Context.Reference<boolean>("@wcs/http/StrictTransport", { defaultValue: () => false })

/** One year. Only this host: others below it may not be ours. */
const strictTransport = "max-age=31536000"

/** The parts and the state of the edge. */
interface Edge {
  readonly codes: ErrorCodes["Service"]
  readonly isStrict: boolean
  readonly maxInFlight: number
  readonly isOutage: typeof IsOutage.Service
  readonly addressLimit: Effect.Success<typeof AddressLimit.make>
  readonly budget: ReturnType<typeof BodyBudget.make>
  readonly detect: Effect.Success<typeof Detection.make>
  readonly find: ReturnType<typeof finderOf>
  readonly unknownPath: Answer
  inFlight: number
}

type Response = HttpServerResponse.HttpServerResponse

/** A response, as a runtime sends it. */
export interface Outgoing {
  readonly response: Response
  /** Further headers, by names in lower case. Those of the response take precedence. */
  readonly headers: ResponseHeaders
  /** The trace of the request, if it is traced. */
  readonly traceId?: string
}

const refusalOf = ({ addressLimit, inFlight, maxInFlight }: Edge, call: Call) => {
  const { peer, url, waitedMillis } = call.request
  if (!peer.secure) return new InsecureTransport()
  if (url.length > uriLimitBytes) return new UriTooLong({ limitBytes: uriLimitBytes })
  if (waitedMillis() <= longestWaitMillis && inFlight < maxInFlight) return undefined
  addressLimit.skip(call)
  return new Unavailable({ retryAfterSeconds: 1 })
}

/** Returns the response to an internal error, and logs the error. */
const answerDefect = (edge: Edge, { path, request, requestId, surface }: Call, cause: Cause.Cause<never>) =>
  Effect.gen(function* () {
    // Outside the surfaces a path can contain a secret, such as that of the set-up page.
    const place = surface === "outside" ? {} : { path }
    const about = Effect.annotateLogs({ requestId, method: request.method, surface, ...place })
    if (edge.isOutage(Cause.squash(cause))) {
      yield* about(Effect.logWarning("a request failed with 503: the database is unavailable"))
      return answerOn(surface, edge.codes, new Unavailable({ retryAfterSeconds: 1 }), requestId)
    }
    yield* about(Effect.logError("a request failed", cause))
    return failureOn(surface, requestId)
  }).pipe(
    // Answers even if the log fails.
    Effect.catchCause((another) =>
      Cause.hasInterruptsOnly(another) ? Effect.failCause(another) : Effect.succeed(failureOn(surface, requestId))
    )
  )

const answerEnding = ({ codes }: Edge, { requestId, surface }: Call, ending: Ending): Response =>
  HttpServerResponse.isHttpServerResponse(ending) ? ending : answerOn(surface, codes, ending, requestId)

/** The refusal of a call whose caller ended during the call. */
const endingOf = (call: Call, ended: CallerEnded): Ending => {
  const refusal = refusalOfEnded(ended, call.needs)
  return refusal._tag === "Unauthenticated" ? (call.unauthorized ?? withoutBearer) : refusal
}

/** Answers a call that failed with a defect. */
const answerFailed = (edge: Edge, call: Call, cause: Cause.Cause<never>): Effect.Effect<Response> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
  const defect = Cause.squash(cause)
  return defect instanceof CallerEnded
    ? Effect.succeed(answerEnding(edge, call, endingOf(call, defect)))
    : answerDefect(edge, call, cause)
}

/** Finds the route and runs it, unless the request is ambiguous. */
const dispatch = (edge: Edge, call: Call): Effect.Effect<Response, Ending> => {
  const { ambiguity } = call.request
  if (ambiguity !== undefined) return Effect.fail(ambiguity)
  const route = edge.find(call)
  return route === undefined ? edge.unknownPath(call) : route.answer(call)
}

/** Reads the body of a call. Clients can be slow, so meanwhile the request does not count as in flight. */
const receive = (edge: Edge) => (call: Call, limitBytes: number) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      edge.inFlight--
      return edge.budget.open(BodyBudget.payersOf(call.payer, call.address))
    }),
    ({ take }) => call.request.bytes(limitBytes, take),
    ({ release }) =>
      Effect.sync(() => {
        release()
        edge.inFlight++
      })
  )

/** Answers a call. `leave` ends it. */
const answerCall = (edge: Edge, leave: Effect.Effect<void>, call: Call): Effect.Effect<Response> => {
  const refusal = refusalOf(edge, call)
  if (refusal !== undefined) return Effect.succeed(answerEnding(edge, call, refusal))
  const dispatched = Effect.suspend(() => dispatch(edge, call))
  // Outside the surfaces a call counts before it is answered.
  const counted = call.surface === "outside" ? edge.addressLimit.count(call, dispatched) : dispatched
  edge.inFlight++
  return Effect.interruptible(counted).pipe(
    Effect.catch((ending) => Effect.succeed(answerEnding(edge, call, ending))),
    Effect.catchCause((cause) => answerFailed(edge, call, cause)),
    Effect.ensuring(leave)
  )
}

/** Completes every response: its rate limit headers, and the headers of every response. */
const settle = ({ addressLimit, detect }: Edge, call: Call, response: Response): Effect.Effect<Outgoing> => {
  const { headers } = call
  const settled = hasQuota(headers) ? Effect.succeed(response) : addressLimit.settle(call, response)
  const detected = Detection.isRefusal(response) ? Effect.tap(settled, detect(call, response)) : settled
  return Effect.mapEager(detected, (response) => ({ response, headers }))
}

/**
 * Returns the function that answers requests. It assigns the request id, refuses plain HTTP, applies limits, runs the route,
 * and answers refusals and errors in the error form of the surface.
 */
export const make = Effect.fnUntraced(function* (routes: ReadonlyArray<Route>) {
  const ids = yield* Ids
  const edge: Edge = {
    codes: yield* ErrorCodes,
    isStrict: yield* StrictTransport,
    maxInFlight: yield* MaxInFlight,
    isOutage: yield* IsOutage,
    addressLimit: yield* AddressLimit.make,
    budget: BodyBudget.make(yield* BodyBudget.BodyLimitsOf),
    detect: yield* Detection.make,
    find: finderOf(routes),
    unknownPath: yield* UnknownPath.make,
    inFlight: 0
  }
  const leave = Effect.sync(() => {
    edge.inFlight--
  })
  const readBody = receive(edge)
  const trace = RequestTrace.make(edge.find, yield* TraceRatio)
  return (request: Incoming): Effect.Effect<Outgoing> =>
    Effect.contextWith((context: Context.Context<never>) =>
      Effect.flatMap(ids.ulid, (requestId) => {
        const call = new Call(request, requestId, readBody, context)
        if (request.peer.secure && edge.isStrict) call.headers["strict-transport-security"] = strictTransport
        const answer = () => Effect.flatMap(answerCall(edge, leave, call), (response) => settle(edge, call, response))
        return trace === undefined ? answer() : trace(call, Effect.suspend(answer))
      })
    )
})
