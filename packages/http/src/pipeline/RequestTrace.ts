import { CurrentTenant } from "@wcs/domain/access/Tenant"
import { isSampled, parse } from "@wcs/domain/shared/TraceContext"
import { Context, Effect, Option, Random, References, Tracer } from "effect"
import type { Call } from "./Call.ts"
import type { Route } from "./Route.ts"

/** The answer to a call, with the trace if it is traced. */
interface Answered {
  readonly response: { readonly status: number }
  readonly traceId?: string
}

const knownMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])

/** Returns the method for names of spans and metrics, which callers must not choose freely. */
export const methodOf = (method = ""): string => (knownMethods.has(method) ? method : "OTHER")

/** Runs the answer to a call in the span of the request. The handler continues it. */
const inSpan = <A extends Answered>(
  call: Call,
  route: Route | undefined,
  parent: Tracer.AnySpan | undefined,
  answer: Effect.Effect<A>
) => {
  const method = methodOf(call.request.method)
  const attributes = {
    "http.request.method": method,
    "http.route": route?.path ?? "",
    "wcs.request_id": call.requestId
  }
  const name = `${method} ${route?.path ?? "(unknown path)"}`
  return Effect.useSpan(
    name,
    { kind: "server", attributes, ...(parent === undefined ? { root: true } : { parent }) },
    (span) => {
      call.provide(Tracer.ParentSpan, span)
      call.provide(References.TracerEnabled, true)
      return answer.pipe(
        Effect.map((outgoing) => {
          span.attribute("http.response.status_code", outgoing.response.status)
          const tenant = Context.getOption(call.services, CurrentTenant)
          if (Option.isSome(tenant)) span.attribute("wcs.tenant_id", tenant.value.id)
          return { ...outgoing, traceId: span.traceId }
        }),
        Effect.provideService(Tracer.ParentSpan, span)
      )
    }
  ).pipe(Effect.provideService(References.TracerEnabled, true))
}

/**
 * Returns the function that traces a share of the calls; undefined if nothing is traced. A call with a `traceparent`
 * continues that trace. Paths, queries, headers and bodies are not in the span, because they can contain secrets and
 * personal data.
 */
export const make = (find: (call: Call) => Route | undefined, ratio: number | undefined) =>
  ratio === undefined
    ? undefined
    : <A extends Answered>(call: Call, answer: Effect.Effect<A>): Effect.Effect<A> => {
        const parent = parse(call.request.headers["traceparent"])
        if (parent !== undefined) {
          return isSampled(parent.traceId, ratio) ? inSpan(call, find(call), parent, answer) : answer
        }
        return Effect.flatMap(Random.next, (random) =>
          random < ratio ? inSpan(call, find(call), undefined, answer) : answer
        )
      }
