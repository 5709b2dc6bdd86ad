import { ResolveTenant } from "@wcs/api/Middleware"
import { Clock, Context, Effect, Ref } from "effect"
import { HttpClient, type HttpClientError, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { HttpApiMiddleware } from "effect/http-api"
import { type CallError, InvalidCall, Unanswered } from "./CallError.ts"
import { LastTag, RequiredTag } from "./Conditional.ts"
import { refusalOf } from "./Refusal.ts"
import type { Operation } from "./Repeatable.ts"
import { maySendAgain, type RetryPolicy, scheduleOf } from "./RetryPolicy.ts"
import type { Tokens } from "./Tokens.ts"

/** Sends calls of a contract. */
export type Sender = HttpClient.HttpClient.With<CallError>

/** The current call. */
const CurrentOperation = Context.Reference<Operation>("@wcs/client/CurrentOperation", {
  defaultValue: () => ({ name: "unknown", method: "POST" })
})

/** Provides the current call to senders. The first middleware of every endpoint. */
export const layerNaming = HttpApiMiddleware.layerClient(ResolveTenant, ({ endpoint, group, next, request }) =>
  Effect.provideService(next(request), CurrentOperation, {
    name: `${group.identifier}.${endpoint.identifier}`,
    method: endpoint.method
  })
)

type Request = HttpClientRequest.HttpClientRequest
type Response = HttpClientResponse.HttpClientResponse

/** The HTTP client and the retry policy. */
interface Wire {
  readonly http: HttpClient.HttpClient
  readonly retry: RetryPolicy
}

const senderOf = (send: (request: Request, operation: Operation) => Effect.Effect<Response, CallError>): Sender =>
  HttpClient.makeWith(
    Effect.flatMap((request) => Effect.flatMap(CurrentOperation, (operation) => send(request, operation))),
    Effect.succeed<Request>
  )

const unanswered = ({ method, name }: Operation, reason: Unanswered["reason"]) =>
  new Unanswered({ operation: name, reason, isPerhapsDone: method !== "GET" })

// The original error can contain the request with secrets, so it is dropped.
const silenceOf = (operation: Operation, { reason }: HttpClientError.HttpClientError): CallError =>
  reason._tag === "InvalidUrlError" || reason._tag === "EncodeError"
    ? new InvalidCall({ operation: operation.name, problem: "the request cannot be encoded" })
    : unanswered(operation, "network")

/** Sends a request once and reads the whole body. An incomplete response counts as no response. */
const attempt = ({ http, retry }: Wire, request: Request, operation: Operation): Effect.Effect<Response, CallError> =>
  http.execute(request).pipe(
    Effect.tap((response) => response.arrayBuffer),
    Effect.mapError((error) => silenceOf(operation, error)),
    Effect.timeoutOrElse({
      duration: retry.attemptTimeout,
      orElse: () => Effect.fail(unanswered(operation, "timeout"))
    }),
    Effect.flatMap((response) =>
      response.status >= 200 && response.status < 300
        ? Effect.succeed(response)
        : Effect.flatMap(refusalOf(operation, response), Effect.fail)
    )
  )

const retrying = <A>(sending: Effect.Effect<A, CallError>, operation: Operation, retry: RetryPolicy) =>
  Effect.flatMap(Clock.currentTimeMillis, (beganAt) =>
    Effect.retry(sending, { schedule: scheduleOf(retry, beganAt), while: (error) => maySendAgain(error, operation) })
  )

/** Sends calls after `sign` has added credentials. */
export const sender = (wire: Wire, sign: (request: Request) => Request = (request) => request): Sender =>
  senderOf((request, operation) => retrying(attempt(wire, sign(request), operation), operation, wire.retry))

/** Sends calls with a bearer token. After a 401, gets a new token and repeats the call once. */
export const bearerSender = (wire: Wire, tokens: Tokens): Sender =>
  senderOf(
    Effect.fnUntraced(function* (plain, named) {
      const tag = yield* RequiredTag
      const isConditional = tag !== undefined && named.method !== "GET"
      const operation = { ...named, isConditional }
      const request = isConditional ? HttpClientRequest.setHeader(plain, "if-match", tag) : plain
      const last = yield* LastTag
      const hasRenewed = yield* Ref.make(false)
      const send: Effect.Effect<Response, CallError> = Effect.flatMap(tokens.get, (token) =>
        Effect.catchTag(
          attempt(wire, HttpClientRequest.bearerToken(request, token), operation),
          "Refused",
          (refused) =>
            refused.status === 401
              ? Effect.flatMap(tokens.discard(token), (canRenew) =>
                  Effect.flatMap(Ref.getAndSet(hasRenewed, true), (hadRenewed) =>
                    canRenew && !hadRenewed ? send : Effect.fail(refused)
                  )
                )
              : Effect.fail(refused)
        )
      )
      const response = yield* retrying(send, operation, wire.retry)
      if (last !== undefined) last.tag = response.headers["etag"]
      return response
    })
  )
