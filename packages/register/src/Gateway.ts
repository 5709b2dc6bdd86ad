import { traceparentOf } from "@wcs/domain/shared/TraceContext"
import type { RegisterAnswer, RegisterFailed, RegisterFault, RegisterQuestion } from "@wcs/domain/verification/Register"
import { Clock, Data, Duration, Effect, Predicate, type Redacted, Result, Stream } from "effect"
import {
  FetchHttpClient,
  Headers,
  HttpClient,
  type HttpClientError,
  HttpClientRequest,
  type HttpClientResponse
} from "effect/http"
import { bodyOf, decodeAnswer, meaningOf } from "./GatewayContract.ts"

/** How requests are authenticated. */
export type Access =
  | { readonly _tag: "Bearer"; readonly token: Redacted.Redacted }
  | { readonly _tag: "Basic"; readonly user: string; readonly password: Redacted.Redacted }
  /** No authentication, for a gateway on the same machine. */
  | { readonly _tag: "Anonymous" }

/** An attempt without an answer. */
export class TryFailed extends Data.TaggedError("TryFailed")<{
  readonly fault: RegisterFault
  readonly isTransient: boolean
  readonly refused?: RegisterFailed["refused"]
  /** For the log. Only fixed texts and codes, because data that was sent, received or thrown may be personal. */
  readonly detail: string
  /** The gateway's `Retry-After`. */
  readonly retryAfterMillis: number
}> {}

export const unavailable = (detail: string, retryAfterMillis = 0) =>
  new TryFailed({ fault: "SOURCE_UNAVAILABLE", isTransient: true, detail, retryAfterMillis })

export const late = (detail: string) =>
  new TryFailed({ fault: "SOURCE_TIMEOUT", isTransient: true, detail, retryAfterMillis: 0 })

const notUnderstood = (detail: string, refused?: RegisterFailed["refused"]) =>
  new TryFailed({ fault: "INTERNAL_ERROR", isTransient: false, detail, retryAfterMillis: 0, refused })

/** What a status refuses. A redirect, and a status that says that nothing is there, refuse the address. */
const refusedBy = (status: number): RegisterFailed["refused"] => {
  if (status === 401 || status === 403) return "secret"
  if (status === 400 || status === 422) return "question"
  return (status >= 300 && status < 400) || [404, 405, 410].includes(status) ? "address" : undefined
}

/** Limit of a response body. */
const maxAnswerBytes = 16_384

const systemCode = /^[A-Z][A-Z0-9_]{1,49}$/

/** The system or TLS error code, such as `ECONNREFUSED`, from a chain of causes. */
const codeIn = (thrown: unknown, depth = 4): string => {
  if (depth === 0 || !Predicate.isObject(thrown)) return "no code"
  const code = Predicate.hasProperty(thrown, "code") ? thrown.code : undefined
  if (typeof code === "string" && systemCode.test(code)) return code
  return codeIn(Predicate.hasProperty(thrown, "cause") ? thrown.cause : undefined, depth - 1)
}

const broken = ({ reason }: HttpClientError.HttpClientError): TryFailed =>
  unavailable(`the connection failed: ${codeIn(reason)}`)

const retryAfterMillisOf = (response: HttpClientResponse.HttpClientResponse, nowMillis: number): number => {
  const said = Headers.parseRetryAfter(response.headers["retry-after"] ?? "")
  return Result.isSuccess(said) ? Duration.toMillis(Headers.retryAfterDelay(said.success, nowMillis)) : 0
}

/** The failure of a status other than 200, and whether it is transient. */
const refusalOf = (response: HttpClientResponse.HttpClientResponse, nowMillis: number): TryFailed => {
  const { status } = response
  const detail = `answered ${status}`
  if (status === 504) return late(detail)
  const isTransient = status >= 500 || status === 429
  return isTransient
    ? unavailable(detail, retryAfterMillisOf(response, nowMillis))
    : notUnderstood(detail, refusedBy(status))
}

const text = (bytes: Uint8Array) =>
  Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes),
    catch: () => notUnderstood("the answer is not UTF-8", "address")
  })

/** The failure of an answer that does not match the contract. A page that is no JSON is of another server. */
const offContract = (text: string): TryFailed =>
  notUnderstood(
    "the answer does not match the contract",
    Result.isSuccess(Result.try(() => JSON.parse(text))) ? undefined : "address"
  )

const answerIn = (response: HttpClientResponse.HttpClientResponse): Effect.Effect<RegisterAnswer, TryFailed> =>
  response.stream.pipe(
    Stream.mapError(broken),
    Stream.limitBytes(maxAnswerBytes, () =>
      Stream.fail(notUnderstood(`answered more than ${maxAnswerBytes} bytes`, "address"))
    ),
    Stream.mkUint8Array,
    Effect.flatMap(text),
    Effect.flatMap((json) => Effect.mapError(decodeAnswer(json), () => offContract(json))),
    Effect.map(meaningOf)
  )

const authorized = (request: HttpClientRequest.HttpClientRequest, access: Access) => {
  if (access._tag === "Anonymous") return request
  return access._tag === "Bearer"
    ? HttpClientRequest.bearerToken(request, access.token)
    : HttpClientRequest.basicAuth(request, access.user, access.password)
}

/** A gateway and how it is authenticated to. */
export interface Place {
  readonly url: string
  readonly access: Access
}

/** Redirects are not followed, so that personal data is sent nowhere else. */
const direct: RequestInit = { redirect: "manual" }

/** Asks a register gateway once, in at most `timeoutMillis`. The connection is always closed or released. */
export const make = Effect.fnUntraced(function* (timeoutMillis: number) {
  const http = HttpClient.withScope(yield* HttpClient.HttpClient)

  /** The request. The gateway can continue the trace. */
  const requestOf = (question: RegisterQuestion, { access, url }: Place) =>
    Effect.withFiber((fiber) => {
      const post = authorized(HttpClientRequest.acceptJson(HttpClientRequest.post(url)), access)
      const traceparent = traceparentOf(fiber)
      const traced = traceparent === null ? post : HttpClientRequest.setHeader(post, "traceparent", traceparent)
      return Effect.succeed(HttpClientRequest.bodyText(traced, bodyOf(question), "application/json"))
    })

  return (question: RegisterQuestion, place: Place): Effect.Effect<RegisterAnswer, TryFailed> =>
    Effect.flatMap(requestOf(question, place), http.execute).pipe(
      Effect.mapError(broken),
      Effect.flatMap((response) =>
        response.status === 200
          ? answerIn(response)
          : Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.fail(refusalOf(response, now)))
      ),
      Effect.scoped,
      Effect.timeoutOrElse({
        duration: timeoutMillis,
        orElse: () => Effect.fail(late(`no complete answer within ${timeoutMillis} ms`))
      }),
      Effect.provideService(FetchHttpClient.RequestInit, direct),
      // The client's own span would contain headers, and the whole request on a failure.
      Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
      Effect.withSpan("register request", { kind: "client" })
    )
})
