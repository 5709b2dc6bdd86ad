import { CallerEnded, refusalOf as refusalOfEnded } from "@wcs/domain/access/CallerEnded"
import {
  type BodyRefusal,
  InsecureTransport,
  PayloadTooLarge,
  Unavailable,
  UriTooLong
} from "@wcs/domain/service/HttpRefusal"
import { ErrorCodes } from "@wcs/domain/service/Refusals"
import { Ids } from "@wcs/domain/shared/Id"
import { TraceRatio } from "@wcs/domain/shared/TraceContext"
import { Cause, Clock, Context, Effect, Exit, type Fiber, Result, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import * as AddressLimit from "../request/AddressLimit.ts"
import { withoutBearer } from "../request/Authenticate.ts"
import * as BodyBudget from "../request/BodyBudget.ts"
import * as Detection from "../request/Detection.ts"
import type { Incoming } from "../request/Incoming.ts"
import { IsOutage } from "../request/Outage.ts"
import { overBudget } from "../request/RequestBody.ts"
import { answerOn, failureOn } from "../Surface.ts"
import { type Answer, type BodyReading, Call, type Ending } from "./Call.ts"
import { endedOf } from "./Ended.ts"
import * as RequestTrace from "./RequestTrace.ts"
import { hasQuota, type ResponseHeaders } from "./ResponseHeaders.ts"
import { finderOf, type Route, refusingOf } from "./Route.ts"
import * as UnknownPath from "./UnknownPath.ts"

/** The maximum size of path and query (DECISIONS.md#resources). */
const uriLimitBytes = 8 * 1024

/** The maximum number of requests in flight, which includes those that wait for their turn. Above it, requests get 503. */
export const MaxInFlight = Context.Reference<number>("@wcs/http/MaxInFlight", { defaultValue: () => 1024 })

/**
 * The longest wait of a request for its turn, in milliseconds. After a longer wait it gets 503: an overloaded server
 * would otherwise answer every request late.
 */
const longestWaitMillis = 1000

/**
 * Whether browsers are told to use HTTPS only (RFC 6797). By default not: it would lock users out of a host whose
 * certificate their browser does not trust.
 */
export const StrictTransport = Context.Reference<boolean>("@wcs/http/StrictTransport", { defaultValue: () => false })

/**
 * Why a request must wait, before its host is looked up: undefined if it need not. The program that wires several
 * databases provides this.
 */
export const Gate = Context.Reference<(request: Incoming) => Unavailable | undefined>("@wcs/http/Gate", {
  defaultValue: () => () => undefined
})

/** One year. Only this host: others below it may not be ours. */
const strictTransport = "max-age=31536000"

/** The parts and the state of the edge. */
interface Edge {
  readonly codes: ErrorCodes["Service"]
  readonly isStrict: boolean
  readonly maxInFlight: number
  readonly isOutage: typeof IsOutage.Service
  readonly gate: typeof Gate.Service
  readonly addressLimit: Effect.Success<typeof AddressLimit.make>
  readonly budget: ReturnType<typeof BodyBudget.make>
  readonly detect: Effect.Success<typeof Detection.make>
  readonly find: ReturnType<typeof finderOf>
  readonly refusing: ReturnType<typeof refusingOf>
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

const busy = new Unavailable({ retryAfterSeconds: 1 })

const refusalOf = ({ addressLimit, gate, inFlight, maxInFlight }: Edge, call: Call) => {
  const { peer, url } = call.request
  if (!peer.secure) return new InsecureTransport()
  if (url.length > uriLimitBytes) return new UriTooLong({ limitBytes: uriLimitBytes })
  const waiting = inFlight < maxInFlight ? gate(call.request) : busy
  if (waiting !== undefined) addressLimit.skip(call)
  return waiting
}

/** Returns the response to an internal error, and logs the error. */
const answerDefect = (edge: Edge, { path, request, requestId, surface }: Call, cause: Cause.Cause<never>) =>
  Effect.gen(function* () {
    // Outside the surfaces a path can contain a secret, such as that of the set-up page.
    const place = surface === "outside" ? {} : { path }
    const about = Effect.annotateLogs({ requestId, method: request.method, surface, ...place })
    if (edge.isOutage(Cause.squash(cause))) {
      yield* about(
        Effect.logWarning(
          "a request failed with 503: the database is unavailable, or it refuses writes of a tenant that moves"
        )
      )
      return answerOn(surface, edge.codes, busy, requestId)
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

/** Answers a call that failed. */
const answerFailed = (edge: Edge, call: Call, cause: Cause.Cause<Ending>): Effect.Effect<Response> => {
  const found = Cause.findError(cause)
  if (Result.isSuccess(found)) return Effect.succeed(answerEnding(edge, call, found.success))
  if (Cause.hasInterruptsOnly(found.failure)) return Effect.failCause(found.failure)
  const defect = Cause.squash(found.failure)
  return defect instanceof CallerEnded
    ? Effect.succeed(answerEnding(edge, call, endingOf(call, defect)))
    : answerDefect(edge, call, found.failure)
}

/** Finds the route and begins its answer, unless the request is ambiguous. */
const dispatch = (edge: Edge, call: Call): Effect.Effect<Response, Ending> => {
  const { ambiguity } = call.request
  if (ambiguity !== undefined) return Effect.fail(ambiguity)
  const route = edge.find(call)
  return route === undefined ? edge.unknownPath(call) : route.answer(call)
}

/** Begins the answer to a call. Its steps run now, up to the first that waits. */
const begin = (edge: Edge, call: Call): Effect.Effect<Response, Ending> => {
  try {
    if (call.surface !== "outside") return dispatch(edge, call)
    // Outside the surfaces a call counts before it is answered.
    return edge.addressLimit.count(
      call,
      Effect.suspend(() => dispatch(edge, call))
    )
  } catch (defect) {
    return Effect.die(defect)
  }
}

/** Answers a call. The answer is an `Exit` if nothing waits. */
const answerCall = (edge: Edge, call: Call): Effect.Effect<Response> => {
  const begun = begin(edge, call)
  const ended = endedOf(begun)
  if (ended === undefined) {
    const inTime = Effect.suspend(() => (call.request.waitedMillis() > longestWaitMillis ? Effect.fail(busy) : begun))
    return Effect.catchCause(inTime, (cause) => answerFailed(edge, call, cause))
  }
  return Exit.isSuccess(ended) ? Effect.succeed(ended.value) : answerFailed(edge, call, ended.cause)
}

/** Reads the body of a call. Clients can be slow, so meanwhile the request does not count as in flight. */
const reading = (edge: Edge): BodyReading => {
  const begin = (call: Call) =>
    Effect.sync(() => {
      edge.inFlight--
      return edge.budget.open(BodyBudget.payersOf(call.payer, call.address))
    })
  const end = ({ release }: BodyBudget.BodyShare) =>
    Effect.sync(() => {
      release()
      edge.inFlight++
    })
  return {
    whole: (call, limitBytes) =>
      Effect.acquireUseRelease(begin(call), ({ take }) => call.request.bytes(limitBytes, take), end),
    pieces: (call, limitBytes) =>
      Stream.unwrap(
        Effect.map(Effect.acquireRelease(begin(call), end), ({ release, take }) => {
          let bytes = 0
          return Stream.mapEffect(call.request.pieces, (piece): Effect.Effect<Uint8Array, BodyRefusal> => {
            release() // the piece before has been used
            bytes += piece.length
            if (bytes > limitBytes) return Effect.fail(new PayloadTooLarge({ limitBytes }))
            return take(piece.length) ? Effect.succeed(piece) : Effect.fail(overBudget)
          })
        })
      )
  }
}

/** Completes every response: its rate limit headers, and the headers of every response. */
const settle = ({ addressLimit, detect, refusing }: Edge, call: Call, response: Response): Effect.Effect<Outgoing> => {
  const { headers } = call
  const settled = hasQuota(headers) ? Effect.succeed(response) : addressLimit.settle(call, response)
  const detected = Detection.isRefusal(response) ? Effect.tap(settled, detect(call, response)) : settled
  return Effect.flatMapEager(detected, (response) => {
    const refused = response.status < 400 ? undefined : refusing(call.path)
    const shown = refused === undefined ? Effect.succeed(response) : refused(call, response)
    return Effect.mapEager(shown, (response) => ({ response, headers }))
  })
}

/** The exit of an answer, or the fiber that answers. */
export type Answering = Exit.Exit<Outgoing> | Fiber.Fiber<Outgoing>

/** Answers a request. Its fiber, if it needs one, runs with the context. */
export type AnswerRequest = (request: Incoming, context: Context.Context<never>) => Answering

/** Runs an answer, at once if it waits for nothing. `leave` is called when it has ended, also if it never began. */
const run = (answer: Effect.Effect<Outgoing>, context: Context.Context<never>, leave: () => void): Answering => {
  const ended = endedOf(answer)
  if (ended !== undefined) {
    leave()
    return ended
  }
  const fiber = Effect.runForkWith(context)(answer)
  fiber.addObserver(leave)
  return fiber.pollUnsafe() ?? fiber
}

/**
 * Returns the function that answers requests. It assigns the request id, refuses plain HTTP, applies limits, runs the route,
 * and answers refusals and errors in the error form of the surface.
 *
 * The steps of a call run at once, up to the first that waits. So an overload is noticed when a request arrives: a fiber
 * would first wait for its turn behind the others.
 */
export const make = Effect.fnUntraced(function* (routes: ReadonlyArray<Route>) {
  const ids = yield* Ids
  const edge: Edge = {
    codes: yield* ErrorCodes,
    isStrict: yield* StrictTransport,
    maxInFlight: yield* MaxInFlight,
    isOutage: yield* IsOutage,
    gate: yield* Gate,
    addressLimit: yield* AddressLimit.make,
    budget: BodyBudget.make(yield* BodyBudget.BodyLimitsOf),
    detect: yield* Detection.make,
    find: finderOf(routes),
    refusing: refusingOf(routes),
    unknownPath: yield* UnknownPath.make(routes),
    inFlight: 0
  }
  const leave = () => {
    edge.inFlight--
  }
  const read = reading(edge)
  const trace = RequestTrace.make(edge.find, yield* TraceRatio)
  return ((request, context) => {
    const requestId = ids.ulidAt(Context.get(context, Clock.Clock).currentTimeMillisUnsafe())
    const call = new Call(request, requestId, read, context)
    if (request.peer.secure && edge.isStrict) call.headers["strict-transport-security"] = strictTransport
    const refusal = refusalOf(edge, call)
    edge.inFlight++
    const answer = (): Effect.Effect<Outgoing> => {
      try {
        return Effect.flatMapEager(
          refusal === undefined ? answerCall(edge, call) : Effect.succeed(answerEnding(edge, call, refusal)),
          (response) => settle(edge, call, response)
        )
      } catch (defect) {
        return Effect.die(defect) // the call leaves its place in flight
      }
    }
    return run(trace === undefined ? answer() : trace(call, Effect.suspend(answer)), context, leave)
  }) satisfies AnswerRequest
})
