import type { IncomingMessage, ServerResponse } from "node:http"
import { methodOf } from "@wcs/http/pipeline/RequestTrace"
import { type Context, Metric } from "effect"
import { Exemplars } from "./Exemplars.ts"

/** Number of answered requests, by method and status. */
const answered = Metric.counter("http_requests_total", {
  description: "Number of answered requests, including refused plain HTTP",
  incremental: true
})

/** The boundaries of the buckets, in seconds. */
const boundaries = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

const seconds = Metric.histogram("http_request_duration_seconds", {
  description: "Seconds from the last header of a request to the last byte of the response",
  boundaries
})

/** Returns the exemplars of a server, empty. */
export const makeExemplars = (): Exemplars => new Exemplars(boundaries)

/** Counts the requests of a server. `traced` notes the trace of a response before it is sent. */
export const recorder = (context: Context.Context<never>, exemplars: Exemplars) => {
  const counters = new Map<string, Metric.Counter<number>>()
  const traceIds = new WeakMap<ServerResponse, string>()
  /** One counter per pair. There are few, because callers cannot choose methods and statuses freely. */
  const counterOf = (method: string, status: number) => {
    const key = `${method} ${status}`
    const known = counters.get(key)
    if (known !== undefined) return known
    const made = Metric.withAttributes(answered, { method, status: String(status) })
    counters.set(key, made)
    return made
  }
  const began = (request: IncomingMessage, response: ServerResponse): void => {
    const startedAt = performance.now()
    const method = methodOf(request.method)
    response.on("finish", () => {
      const elapsed = (performance.now() - startedAt) / 1000
      counterOf(method, response.statusCode).updateUnsafe(1, context)
      seconds.updateUnsafe(elapsed, context)
      const traceId = traceIds.get(response)
      if (traceId !== undefined) exemplars.note(traceId, elapsed)
    })
  }
  return { began, traced: (response: ServerResponse, traceId: string): void => void traceIds.set(response, traceId) }
}
