import { assert, describe, it } from "@effect/vitest"
import * as TracedLogs from "@wcs/deployment/telemetry/TracedLogs"
import { Effect, Logger, References, Tracer } from "effect"

/** The line that a logger makes of a message, in the span with these ids or outside any. */
const lineOf = Effect.fnUntraced(function* (logger: Logger.Logger<unknown, string>, isTraced: boolean) {
  const lines: Array<string> = []
  const keep = Logger.map(logger, (line) => void lines.push(line))
  const span = Tracer.externalSpan({ traceId: "a".repeat(32), spanId: "b".repeat(16) })
  yield* Effect.logInfo("hello").pipe(
    Effect.withParentSpan(span),
    Effect.provideService(References.TracerEnabled, isTraced),
    Effect.provide(Logger.layer([keep]))
  )
  return lines.join()
})

describe("log lines", () => {
  it.effect("have the ids of the span in which they were logged", () =>
    Effect.gen(function* () {
      assert.match(yield* lineOf(TracedLogs.text, true), / message=hello .*trace_id=a{32} span_id=b{16}$/)
      const { message, span_id, trace_id } = JSON.parse(yield* lineOf(TracedLogs.json, true))
      assert.deepStrictEqual([message, trace_id, span_id], ["hello", "a".repeat(32), "b".repeat(16)])
    })
  )

  it.effect("have no ids outside traces", () =>
    Effect.gen(function* () {
      assert.notInclude(yield* lineOf(TracedLogs.text, false), "_id=")
      assert.notProperty(JSON.parse(yield* lineOf(TracedLogs.json, false)), "trace_id")
    })
  )
})
