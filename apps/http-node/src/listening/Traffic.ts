import type { IncomingMessage, ServerResponse } from "node:http"
import { type Context, Metric } from "effect"

/** Number of answered requests, by method and status. */
const answered = Metric.counter("http_requests_total", {
  description: "Number of answered requests, including refused plain HTTP",
  incremental: true
})

const seconds = Metric.histogram("http_request_duration_seconds", {
  description: "Seconds from the last header of a request to the last byte of the response",
  boundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
})

const knownMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])

/** Counts the requests of a server. */
export const recorder = (context: Context.Context<never>) => {
  const counters = new Map<string, Metric.Counter<number>>()
  /** One counter per pair. There are few, because callers cannot choose methods and statuses freely. */
  const counterOf = (method: string, status: number) => {
    const key = `${method} ${status}`
    const known = counters.get(key)
    if (known !== undefined) return known
    const made = Metric.withAttributes(answered, { method, status: String(status) })
    counters.set(key, made)
    return made
  }
  return (request: IncomingMessage, response: ServerResponse): void => {
    const startedAt = performance.now()
    const method = knownMethods.has(request.method ?? "") ? (request.method ?? "") : "OTHER"
    response.on("finish", () => {
      counterOf(method, response.statusCode).updateUnsafe(1, context)
      seconds.updateUnsafe((performance.now() - startedAt) / 1000, context)
    })
  }
}
