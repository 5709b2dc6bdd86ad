import type { RequestId } from "@wcs/domain/shared/RequestId"
import { type Context, Effect } from "effect"
import { FindMyWay, type HttpServerResponse } from "effect/http"
import type { Answer, Call } from "./Call.ts"
import { pathMatching, urlForRouter } from "./PathMatching.ts"

/** A place of the service. */
export interface Route {
  /** `*` stands for every method. */
  readonly method: string
  /** With parameters as `:id`. */
  readonly path: string
  readonly answer: Answer
  /** Shows a refusal to people, for all paths that begin like this one up to its parameter, and also if no route was reached. */
  readonly refused?: Refusing
}

/** Returns the response in place of a refusal. */
export type Refusing = (
  call: Call,
  refusal: HttpServerResponse.HttpServerResponse
) => Effect.Effect<HttpServerResponse.HttpServerResponse>

/** Runs an answer with the services of the call. Replaces the whole context, because each added service costs time. */
export const withServices =
  <R>(answer: Answer<R>): Answer =>
  (call) =>
    Effect.updateContext(answer(call), () => call.services as Context.Context<R>)

/** Returns a route outside both surfaces. */
export const route = (method: string, path: string, answer: Answer<RequestId>): Route => ({
  method,
  path,
  answer: withServices(answer)
})

/** Compiles routes to a search for the one that shows the refusals at a path. */
export const refusingOf = (routes: ReadonlyArray<Route>): ((path: string) => Refusing | undefined) => {
  const places = routes.flatMap(({ path, refused }) =>
    refused === undefined ? [] : [{ root: path.slice(0, path.indexOf(":")), refused }]
  )
  return (path) => places.find(({ root }) => path.startsWith(root))?.refused
}

/** Compiles routes to a search for the route of a call. It sets the call's parameters. GET routes also answer HEAD. */
export const finderOf = (routes: ReadonlyArray<Route>): ((call: Call) => Route | undefined) => {
  const router = FindMyWay.make<Route>(pathMatching)
  for (const route of routes) {
    const { method, path } = route
    if (method === "*") router.all(path as `/${string}`, route)
    else router.on(method, path as `/${string}`, route)
  }
  return (call) => {
    const { method, url } = call.request
    const at = urlForRouter(url)
    const found = router.find(method, at) ?? (method === "HEAD" ? router.find("GET", at) : undefined)
    if (found === undefined) return undefined
    call.params = found.params
    call.query = found.searchParams
    return found.handler
  }
}
