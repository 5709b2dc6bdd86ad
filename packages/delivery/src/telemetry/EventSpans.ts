import { parse, TraceRatio, textOf } from "@wcs/domain/shared/TraceContext"
import type { WaitingEvent } from "@wcs/domain/webhook/FanOut"
import { Clock, Context, Effect, type Exit, Option, Tracer } from "effect"

/** The spans of the events of one batch. Each continues the trace of the change that caused its event. */
interface EventSpans {
  /** Returns the event with the `traceparent` of its span, for its deliveries. Unchanged if it is not traced. */
  readonly begin: (event: WaitingEvent) => WaitingEvent
  /** Ends the spans when the deliveries are stored, or when that failed. */
  readonly end: (exit: Exit.Exit<unknown>) => void
}

const untraced: EventSpans = { begin: (event) => event, end: () => undefined }

/** Returns a function that opens the spans of a batch. */
export const make = Effect.gen(function* () {
  const tracer = yield* Tracer.Tracer
  const clock = yield* Clock.Clock
  const isTraced = (yield* TraceRatio) !== undefined

  return (): EventSpans => {
    if (!isTraced) return untraced
    const spans = new Map<string, Tracer.Span>()

    const spanOf = ({ id, kind, tenantId, traceparent }: WaitingEvent): Tracer.Span | undefined => {
      const parent = parse(traceparent ?? undefined)
      if (parent === undefined) return undefined
      const span = tracer.span({
        name: `event ${kind}`,
        parent: Option.some(parent),
        annotations: Context.empty(),
        links: [],
        startTime: clock.currentTimeNanosUnsafe(),
        kind: "producer",
        root: false,
        sampled: true
      })
      span.attribute("wcs.tenant_id", tenantId)
      span.attribute("wcs.event_id", id)
      spans.set(id, span)
      return span
    }

    return {
      begin: (event) => {
        const span = spans.get(event.id) ?? spanOf(event) // the transaction may run again
        return span === undefined ? event : { ...event, traceparent: textOf(span) }
      },
      end: (exit) => {
        for (const span of spans.values()) span.end(clock.currentTimeNanosUnsafe(), exit)
      }
    }
  }
})
