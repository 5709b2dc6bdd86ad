import { Context, Effect, type Fiber, References, Tracer } from "effect"

/**
 * The share of requests that are traced, from 0 to 1. Undefined if there is no exporter: then nothing is traced, and
 * stored trace contexts are ignored.
 */
export const TraceRatio = Context.Reference<number | undefined>("@wcs/domain/TraceRatio", {
  defaultValue: () => undefined
})

const form = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/
const isZero = (id: string): boolean => /^0+$/.test(id)

/**
 * Parses a `traceparent` (W3C Trace Context, section 3.2). Undefined if it is invalid or of another version. The
 * `sampled` flag is not read: the ratio of this deployment decides, so no caller can force or prevent a trace.
 */
export const parse = (text: string | undefined): Tracer.ExternalSpan | undefined => {
  const [, traceId = "", spanId = ""] = form.exec(text ?? "") ?? []
  return traceId === "" || isZero(traceId) || isZero(spanId) ? undefined : Tracer.externalSpan({ traceId, spanId })
}

/** The `traceparent` of a span. */
export const textOf = ({ spanId, traceId }: Pick<Tracer.AnySpan, "spanId" | "traceId">): string =>
  `00-${traceId}-${spanId}-01`

/** The current span of a fiber; undefined if the fiber is not traced. */
export const tracedSpanOf = ({ cache: { span, tracerEnabled } }: Fiber.Fiber<unknown, unknown>) =>
  tracerEnabled && span?.sampled === true ? span : undefined

/** The `traceparent` of the current span of a fiber; null if the fiber is not traced. */
export const traceparentOf = (fiber: Fiber.Fiber<unknown, unknown>): string | null => {
  const span = tracedSpanOf(fiber)
  return span === undefined ? null : textOf(span)
}

/** Whether to trace a request that continues the trace. All services with the same ratio decide the same. */
export const isSampled = (traceId: string, ratio: number): boolean =>
  Number.parseInt(traceId.slice(-8), 16) < ratio * 2 ** 32

/** The name and the attributes of a span. Attributes have ids and codes, but no personal data and no secrets. */
interface SpanOptions extends Pick<Tracer.SpanOptionsNoTrace, "kind" | "attributes"> {
  readonly name: string
}

/** Runs an effect in a span that continues a stored trace. Without a trace or an exporter, it runs unchanged. */
export const continuing =
  (traceparent: string | null, { name, ...options }: SpanOptions) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    traceparent === null
      ? effect
      : (Effect.withFiber((fiber) => {
          const parent = fiber.getRef(TraceRatio) === undefined ? undefined : parse(traceparent)
          if (parent === undefined) return effect
          return effect.pipe(
            Effect.withSpan(name, { ...options, parent }),
            Effect.provideService(References.TracerEnabled, true)
          )
        }) as Effect.Effect<A, E, R>)
