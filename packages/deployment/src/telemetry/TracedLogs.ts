import { tracedSpanOf } from "@wcs/domain/shared/TraceContext"
import { type Fiber, Formatter, Logger } from "effect"

/** The ids of the span in which a line was logged, in the names of OpenTelemetry; empty outside traces. */
const idsOf = (fiber: Fiber.Fiber<unknown, unknown>) => {
  const span = tracedSpanOf(fiber)
  return span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId }
}

/** Logs as `key=value` pairs, with the ids of the trace. */
export const text: Logger.Logger<unknown, string> = Logger.make((options) => {
  const ids = Object.entries(idsOf(options.fiber)).map(([name, id]) => ` ${name}=${id}`)
  return Logger.formatLogFmt.log(options) + ids.join("")
})

/** Logs as JSON, with the ids of the trace. */
export const json: Logger.Logger<unknown, string> = Logger.make((options) =>
  Formatter.formatJson({ ...Logger.formatStructured.log(options), ...idsOf(options.fiber) })
)
