import { Tenancy } from "@wcs/domain/access/Tenancy"
import type { Tenant } from "@wcs/domain/access/Tenant"
import type { Browser } from "@wcs/domain/login/Login"
import { ErrorCodes } from "@wcs/domain/shared/ErrorCode"
import { RequestId } from "@wcs/domain/shared/RequestId"
import { Context, Effect, Layer, type Redacted } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { answerOf } from "../refusal/Refused.ts"
import { Peers } from "../request/Peers.ts"
import { tenantOfRequest } from "../request/ResolveTenant.ts"
import { isSameOrigin } from "../request/SameOrigin.ts"
import * as Cookies from "./LoginCookies.ts"
import { type Fields, formLimitBytes, readFields } from "./LoginForm.ts"
import { signedInPage } from "./LoginPages.ts"
import { jsonOf, type LoginProblem, type LoginRefusal, problemOf } from "./LoginProblem.ts"

/** A request to one of the login pages. */
export interface Visit {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly tenant: Tenant
  readonly browser: Browser
  /** Whether the client wants JSON instead of a page. */
  readonly wantsJson: boolean
  /** The fields of the body. Empty for GET. */
  readonly fields: Fields
}

type Response = HttpServerResponse.HttpServerResponse

/** Answers a refusal with JSON, or with a page that shows the problem. */
export const answerRefusal = (
  { wantsJson }: Visit,
  refusal: LoginRefusal,
  page: (problem: LoginProblem) => Response
): Effect.Effect<Response, never, RequestId> =>
  Effect.map(RequestId, (requestId) => {
    const problem = problemOf(refusal)
    return wantsJson ? jsonOf(problem, requestId) : HttpServerResponse.setHeaders(page(problem), problem.headers)
  })

/** Redirects to another page, or returns the facts as JSON. */
export const goOn = ({ wantsJson }: Pick<Visit, "wantsJson">, location: string, facts: object): Response =>
  wantsJson ? HttpServerResponse.jsonUnsafe(facts) : HttpServerResponse.redirect(location, { status: 303 })

/** Continues to a page with a new session. */
export const enter = (
  { wantsJson }: Pick<Visit, "wantsJson">,
  token: Redacted.Redacted,
  location: string,
  facts: object = { next: "done" }
): Response => Cookies.set(wantsJson ? HttpServerResponse.jsonUnsafe(facts) : signedInPage(location), "session", token)

/** Receives the requests to the login pages. */
export class LoginVisits extends Context.Service<
  LoginVisits,
  {
    /**
     * Runs a handler for the tenant of the host. A request that changes data must come from our own origin. The console
     * header is not required, because forms cannot send it.
     */
    readonly receive: <R>(
      handler: (visit: Visit) => Effect.Effect<Response, never, R>
    ) => Effect.Effect<Response, never, R | HttpServerRequest.HttpServerRequest | RequestId>
    /** Receives a form from another site. The handler must bind the form to the browser. */
    readonly receiveCrossSite: <R>(
      limitBytes: number,
      handler: (visit: Visit) => Effect.Effect<Response, never, R>
    ) => Effect.Effect<Response, never, R | HttpServerRequest.HttpServerRequest | RequestId>
  }
>()("@wcs/http/LoginVisits") {}

const noFields: Fields = () => ""

export const make = Effect.gen(function* () {
  const codes = yield* ErrorCodes
  const peers = yield* Peers
  const tenantOf = tenantOfRequest(yield* Tenancy)

  interface Receiving {
    readonly isCrossSite: boolean
    readonly limitBytes: number
  }

  const receive = <R>(
    { isCrossSite, limitBytes }: Receiving,
    handler: (visit: Visit) => Effect.Effect<Response, never, R>
  ) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const tenant = yield* tenantOf
      const { address } = peers.of(request)
      const accept = request.headers["accept"] ?? ""
      const wantsJson = accept.includes("application/json") && !accept.includes("text/html")
      const browser = {
        address,
        userAgent: request.headers["user-agent"] ?? "",
        device: Cookies.read(request, "device")
      }
      const isRead = request.method === "GET" || request.method === "HEAD"
      if (!isRead && !isCrossSite && !isSameOrigin(request)) {
        return HttpServerResponse.jsonUnsafe(
          {
            message:
              "The request did not come from a page of this site. Send an Origin header with the origin of this site."
          },
          { status: 401 }
        )
      }
      const fields = isRead ? noFields : yield* readFields(limitBytes)
      return yield* handler({ request, tenant, browser, wantsJson, fields })
    }).pipe(Effect.catch((refusal) => Effect.map(RequestId, (requestId) => answerOf(codes, refusal, requestId))))

  return LoginVisits.of({
    receive: (handler) => receive({ isCrossSite: false, limitBytes: formLimitBytes }, handler),
    receiveCrossSite: (limitBytes, handler) => receive({ isCrossSite: true, limitBytes }, handler)
  })
})

export const layer: Layer.Layer<LoginVisits, never, ErrorCodes | Peers | Tenancy> = Layer.effect(LoginVisits, make)
