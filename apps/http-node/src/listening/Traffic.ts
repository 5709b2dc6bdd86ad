import type { IncomingMessage, ServerResponse } from "node:http"
import { type Context, Metric } from "effect"

/** Requests answered, by method and status. */
const answered = Metric.counter("http_requests_total", {
  description: "Requests that were answered, refusals of plain HTTP included",
  incremental: true
})

const seconds = Metric.histogram("http_request_duration_seconds", {
  description: "From the last header of a request to the last byte of its answer",
  boundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
})

const knownMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])

/** Counts the requests of a server, whoever answers them. */
export const recorder = (context: Context.Context<never>) => {
  const counters = new Map<string, Metric.Counter<number>>()
  /** One counter a pair: callers choose neither methods nor statuses freely, so that there are few. */
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
