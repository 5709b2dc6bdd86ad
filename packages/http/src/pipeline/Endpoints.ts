import type { Endpoint } from "@wcs/api/Endpoints"
import { unguarded } from "@wcs/api/Guard"
import { Authorize } from "@wcs/api/Middleware"
import type { Refusal, refusals } from "@wcs/domain/service/Refusals"
import type { table } from "@wcs/domain/shared/ErrorCode"
import type { RequestId } from "@wcs/domain/shared/RequestId"
import { Effect, Exit } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { stepOf } from "../request/Conditions.ts"
import type { Answer, Call, Ending } from "./Call.ts"
import { endedOf } from "./Ended.ts"
import { type Route, withServices } from "./Route.ts"

/**
 * A step before the handler of an endpoint. It adds to the call, or ends it. The contract names the steps of each
 * endpoint in order.
 */
export type Step = (
  endpoint: Pick<Endpoint, "guard"> & Partial<Pick<Endpoint, "query" | "stepUp" | "legacyCall">>
) => (call: Call) => Effect.Effect<void, Ending>

/** The steps by the key of the contract's middleware. */
export type Steps = ReadonlyMap<string, Step>

/** Handlers by `group.endpoint`. */
export type Handlers = ReadonlyMap<string, Answer>

type ErrorTable = typeof table

/** The codes of a declared error: the code of the envelope, or every code with the status of a legacy error. */
type CodeOf<E> = E extends { readonly error: { readonly code: infer Code extends keyof ErrorTable } }
  ? Code
  : E extends { readonly status: infer Status }
    ? { [Code in keyof ErrorTable]: ErrorTable[Code]["status"] extends Status ? Code : never }[keyof ErrorTable]
    : E extends { readonly error_description: string } // the token endpoint declares an error for every code
      ? keyof ErrorTable
      : never

/** The tags of the refusals with one of the codes. */
type TagOf<Code> = {
  [Tag in keyof typeof refusals]: (typeof refusals)[Tag]["code"] extends Code ? Tag : never
}[keyof typeof refusals]

/** The refusals that an endpoint declares. */
type Declared<E extends HttpApiEndpoint.Constraint> = Extract<
  Refusal,
  { readonly _tag: TagOf<CodeOf<HttpApiEndpoint.Error<E>["Type"] | HttpApiEndpoint.MiddlewareError<E>>> }
>

/** The handler of an endpoint. It may refuse only with declared codes, and use only services that steps provide. */
type Handler<E extends HttpApiEndpoint.Constraint> = (
  call: Call & { readonly params: { readonly [Name in keyof HttpApiEndpoint.Params<E>["Type"]]: string } }
) => Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  Declared<E> | HttpServerResponse.HttpServerResponse,
  RequestId | HttpApiEndpoint.MiddlewareProvides<E>
>

type EndpointsOf<Groups, Name extends string> = HttpApiGroup.Endpoints<HttpApiGroup.WithIdentifier<Groups, Name>>

/** Returns the handlers of a group, checked against the contract. */
export const handlersOf = <Id extends string, Groups extends HttpApiGroup.Constraint, const Name extends string>(
  _api: HttpApi.HttpApi<Id, Groups>,
  group: Name & HttpApiGroup.Identifier<Groups>,
  handlers: {
    readonly [Endpoint in EndpointsOf<Groups, Name>["identifier"]]: Handler<
      HttpApiEndpoint.WithIdentifier<EndpointsOf<Groups, Name>, Endpoint>
    >
  }
): Handlers =>
  // The route has the parameters, and the steps provide the services, that the type of each handler names.
  new Map(Object.entries<unknown>(handlers).map(([endpoint, handler]) => [`${group}.${endpoint}`, handler as Answer]))

/** Runs steps in order, then the answer. A step that has ended already costs no fiber operation. */
export const inOrder = (steps: ReadonlyArray<ReturnType<Step>>, answer: Answer): Answer => {
  const from = (first: number, call: Call): ReturnType<Answer> => {
    for (let index = first; index < steps.length; index++) {
      const done = steps[index]?.(call) ?? Effect.void
      const ended = endedOf(done)
      if (ended === undefined) return Effect.flatMap(done, () => from(index + 1, call))
      if (Exit.isFailure(ended)) return Effect.failCause(ended.cause)
    }
    return answer(call)
  }
  return (call) => from(0, call)
}

/** Compiles the endpoints of a contract to routes. Fails the start if a step, a guard or a handler is missing. */
export const routesOf = (endpoints: ReadonlyArray<Endpoint>, steps: Steps, handlers: Handlers): ReadonlyArray<Route> =>
  endpoints.map((endpoint) => {
    const { guard, legacyCall, method, middleware, name, path } = endpoint
    if (guard === undefined && legacyCall === undefined && !unguarded.includes(name)) {
      throw new Error(`the endpoint ${name} has no guard`)
    }
    if (guard !== undefined && !middleware.includes(Authorize.key)) {
      throw new Error(`the endpoint ${name} has a guard that no step checks`)
    }
    const handler = handlers.get(name)
    if (handler === undefined) throw new Error(`the endpoint ${name} has no handler`)
    const before = middleware.map((key) => {
      const step = steps.get(key)
      if (step === undefined) throw new Error(`the endpoint ${name} has the unknown step ${key}`)
      return step(endpoint)
    })
    const conditions = stepOf(endpoint)
    const all = conditions === undefined ? before : [...before, conditions]
    return { method, path, answer: inOrder(all, withServices(handler)) }
  })
