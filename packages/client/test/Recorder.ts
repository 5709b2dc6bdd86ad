import { Clock, Effect, Fiber, Layer } from "effect"
import { HttpClient, HttpClientError, type HttpClientRequest, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"

/** A recorded attempt. */
export interface Sent {
  /** Time of the test clock in milliseconds. */
  readonly at: number
  /** `POST /openapi/v1/workers?query`. */
  readonly call: string
  readonly authorization: string | undefined
  readonly contentType: string | undefined
  readonly body: string
}

/** A response, a connection that breaks before or within the response, or no response. */
export type Reply = Response | "broken" | "broken within" | "silent"

const bodyOf = ({ body }: HttpClientRequest.HttpClientRequest): string =>
  body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : ""

const brokenWithin = () =>
  new Response(new ReadableStream({ pull: (controller) => controller.error(new Error("reset")) }), { status: 200 })

/** An HTTP client that records every attempt and returns the given replies. `nth` counts from 1. */
export const recorder = (reply: (sent: Sent, nth: number) => Reply) => {
  const sent: Array<Sent> = []
  const client = HttpClient.make(
    Effect.fnUntraced(function* (request, url) {
      const one = {
        at: yield* Clock.currentTimeMillis,
        call: `${request.method} ${url.pathname}${url.search}`,
        authorization: request.headers["authorization"],
        contentType: request.headers["content-type"],
        body: bodyOf(request)
      }
      sent.push(one)
      const answer = reply(one, sent.length)
      if (answer === "silent") return yield* Effect.never
      if (answer === "broken") {
        return yield* new HttpClientError.HttpClientError({
          reason: new HttpClientError.TransportError({ request, cause: new Error("reset") })
        })
      }
      return HttpClientResponse.fromWeb(request, answer === "broken within" ? brokenWithin() : answer)
    })
  )
  return {
    sent,
    calls: () => sent.map(({ call }) => call),
    http: Layer.succeed(HttpClient.HttpClient, client)
  }
}

export const json = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(status === 204 ? null : JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json", "x-request-id": "01JREQUEST", ...headers }
  })

/** The envelope of §7.1. */
export const refusal = (status: number, code: string, headers: Readonly<Record<string, string>> = {}): Response =>
  json(status, { error: { code, message: `told in words: ${code}`, requestId: "01JREQUEST" } }, headers)

export const unauthorized = (): Response => json(401, { message: "Unauthorized to perform this action" })

/** Runs a call to its end and advances the test clock. Returns the failure or success. */
export const finished = <A, E, R>(call: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(Effect.result(call))
    yield* TestClock.adjust("1 hour")
    return yield* Fiber.join(fiber)
  })

const times = { createdAt: "2026-01-01T00:00:00.000Z", updatedAt: "2026-01-01T00:00:00.000Z" }
const meta = { requestId: "01JREQUEST" }

export const workerId = "wkr_0123456789abcdef"
export const otherWorkerId = "wkr_fedcba9876543210"
export const applicantId = "app_0123456789abcdef"
export const credentialId = "cred_0123456789abcdef"

export const worker = { id: workerId, type: "worker", identity: { displayName: "Ann Example" }, ...times }

export const oneWorker = (status = 200): Response =>
  json(status, { data: worker, meta }, { location: `/openapi/v1/workers/${workerId}` })

export const oneCredential = (owners: { readonly worker: string | null; readonly applicant: string | null }) =>
  json(200, {
    data: { id: credentialId, type: "credential", attributes: { credentialType: "WWCC_NSW", owners }, ...times },
    meta
  })
