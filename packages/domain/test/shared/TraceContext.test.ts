import { assert, describe, it } from "@effect/vitest"
import { continuing, isSampled, parse, TraceRatio, textOf, traceparentOf } from "@wcs/domain/shared/TraceContext"
import { Effect, References } from "effect"

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
const spanId = "00f067aa0ba902b7"
const traceparent = `00-${traceId}-${spanId}-01`

/** The trace context of the current span. */
const current = Effect.withFiber((fiber) => Effect.succeed(traceparentOf(fiber)))

/** The idle state of a process: spans are off outside traced work. */
const idle = Effect.provideService(References.TracerEnabled, false)

describe("a trace context", () => {
  for (const flags of ["00", "01", "ff"]) {
    it(`is read with the flags ${flags}, which do not matter`, () => {
      const parent = parse(`00-${traceId}-${spanId}-${flags}`)
      assert.deepStrictEqual([parent?.traceId, parent?.spanId, parent?.sampled], [traceId, spanId, true])
    })
  }

  for (const text of [
    undefined,
    "",
    traceparent.toUpperCase(),
    `01-${traceId}-${spanId}-01`,
    `00-${"0".repeat(32)}-${spanId}-01`,
    `00-${traceId}-${"0".repeat(16)}-01`,
    `00-${traceId}-${spanId}`,
    `00-${traceId}-${spanId}-01-more`,
    `${traceparent}\n`,
    `00-${traceId.slice(1)}-${spanId}-01`
  ]) {
    it(`is not read from ${JSON.stringify(text)}`, () => {
      assert.isUndefined(parse(text))
    })
  }

  it("is written as it is read", () => {
    assert.strictEqual(textOf({ traceId, spanId }), traceparent)
  })

  it("is sampled by its trace id", () => {
    assert.isTrue(isSampled("f".repeat(32), 1))
    assert.isFalse(isSampled("0".repeat(31) + 1, 0))
    assert.isTrue(isSampled(`${"f".repeat(24)}7fffffff`, 0.5))
    assert.isFalse(isSampled(`${"f".repeat(24)}80000000`, 0.5))
  })
})

describe("work that continues a trace", () => {
  it.effect("runs in a span of that trace", () =>
    Effect.gen(function* () {
      const within = yield* continuing(traceparent, { name: "work" })(current)
      assert.match(within ?? "", new RegExp(`^00-${traceId}-(?!${spanId})[0-9a-f]{16}-01$`))
    }).pipe(idle, Effect.provideService(TraceRatio, 0))
  )

  it.effect("has no span without a trace, without an exporter, or after a damaged row", () =>
    Effect.gen(function* () {
      assert.isNull(yield* continuing(traceparent, { name: "work" })(current))
      const exporting = Effect.provideService(TraceRatio, 1)
      assert.isNull(yield* exporting(continuing(null, { name: "work" })(current)))
      assert.isNull(yield* exporting(continuing("damaged", { name: "work" })(current)))
    }).pipe(idle)
  )
})
