import { CurrentTenant, type Tenant } from "@wcs/domain/access/Tenant"
import type { Browser } from "@wcs/domain/login/Login"
import type { Refusal } from "@wcs/domain/service/Refusals"
import type { RequestId } from "@wcs/domain/shared/RequestId"
import { Tenancy } from "@wcs/domain/token/Tenancy"
import { Effect, type Redacted } from "effect"
import { HttpServerResponse } from "effect/http"
import type { Answer, Call } from "../pipeline/Call.ts"
import { type Route, route } from "../pipeline/Route.ts"
import { tenantOfCall } from "../request/ResolveTenant.ts"
import { isSameOrigin } from "../request/SameOrigin.ts"
import * as Cookies from "./LoginCookies.ts"
import { type Fields, formLimitBytes, readFields } from "./LoginForm.ts"
import { signedInPage } from "./LoginPages.ts"
import { jsonOf, type LoginProblem, type LoginRefusal, problemOf } from "./LoginProblem.ts"

/** A request to one of the login pages. */
export interface Visit {
  readonly call: Call
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
  { call, wantsJson }: Visit,
  refusal: LoginRefusal,
  page: (problem: LoginProblem) => Response
): Response => {
  const problem = problemOf(refusal)
  return wantsJson ? jsonOf(problem, call.requestId) : HttpServerResponse.setHeaders(page(problem), problem.headers)
}

/** Redirects to another page, or returns the facts as JSON. */
export const goOn = ({ wantsJson }: Pick<Visit, "wantsJson">, location: string, facts: object): Response =>
  wantsJson ? HttpServerResponse.jsonUnsafe(facts) : HttpServerResponse.redirect(location, { status: 303 })

/** The parts of a visit that decide its answer. */
export type Answered = Pick<Visit, "call" | "wantsJson">

/** Continues to a page with a new session. */
export const enter = (
  { call, wantsJson }: Answered,
  token: Redacted.Redacted,
  location: string,
  facts: object = { next: "done" }
): Response =>
  Cookies.set(wantsJson ? HttpServerResponse.jsonUnsafe(facts) : signedInPage(location), call.request, "session", token)

const noFields: Fields = () => ""

const foreign = HttpServerResponse.jsonUnsafe(
  {
    message: "The request did not come from a page of this site. Send an Origin header with the origin of this site."
  },
  { status: 401 }
)

type Handler = (visit: Visit) => Effect.Effect<Response, Refusal, RequestId>

interface Receiving {
  readonly isCrossSite: boolean
  readonly limitBytes: number
}

const receiveBy =
  (tenantOf: (call: Call) => Effect.Effect<Tenant, Refusal>) =>
  ({ isCrossSite, limitBytes }: Receiving, handler: Handler): Answer<RequestId> =>
    Effect.fnUntraced(function* (call) {
      const { address, request } = call
      const tenant = yield* tenantOf(call)
      call.provide(CurrentTenant, tenant)
      const accept = request.headers["accept"] ?? ""
      const wantsJson = accept.includes("application/json") && !accept.includes("text/html")
      const browser = {
        address,
        userAgent: request.headers["user-agent"] ?? "",
        device: Cookies.read(request, "device")
      }
      const isRead = request.method === "GET" || request.method === "HEAD"
      if (!isRead && !isCrossSite && !isSameOrigin(request)) return foreign
      const fields = isRead ? noFields : yield* readFields(call, limitBytes)
      return yield* handler({ call, tenant, browser, wantsJson, fields })
    })

/** Makes the routes of login pages. */
export const make = Effect.map(Tenancy, (tenancy) => {
  const receive = receiveBy(tenantOfCall(tenancy))
  return {
    /**
     * Returns a route for the tenant of the host. A request that changes data must come from our own origin. The
     * console header is not required, because forms cannot send it.
     */
    visit: (method: string, path: string, handler: Handler): Route =>
      route(method, path, receive({ isCrossSite: false, limitBytes: formLimitBytes }, handler)),
    /** Returns a route for a form from another site. The handler must bind the form to the browser. */
    visitCrossSite: (path: string, limitBytes: number, handler: Handler): Route =>
      route("POST", path, receive({ isCrossSite: true, limitBytes }, handler))
  }
})
