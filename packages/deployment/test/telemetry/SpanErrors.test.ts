import { assert, describe, it } from "@effect/vitest"
import { withoutDetails } from "@wcs/deployment/telemetry/SpanErrors"
import { Cause, Data, Effect, Exit, Option, Tracer } from "effect"

class Refused extends Data.TaggedError("Refused")<{ readonly email: string }> {}

const secret = "ann@example.org"

/** Runs an effect in a span, and returns the ends of its spans. */
const endsOf = Effect.fnUntraced(function* (effect: Effect.Effect<unknown, unknown>) {
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  yield* Effect.exit(Effect.withTracer(Effect.withSpan(effect, "work"), withoutDetails(tracer)))
  return spans.map(({ status }) => (status._tag === "Ended" ? status.exit : Exit.void))
})

describe("the errors of spans", () => {
  for (const [name, effect] of [
    ["Refused", Effect.fail(new Refused({ email: secret }))],
    ["TypeError", Effect.die(new TypeError(`cannot read ${secret}`))],
    ["unknown error", Effect.fail(`cannot read ${secret}`)]
  ] as const) {
    it.effect(`have the name ${name} and no details (threat 55)`, () =>
      Effect.gen(function* () {
        const [exit] = yield* endsOf(effect)
        const cause = Option.getOrThrow(Exit.getCause(exit ?? Exit.void))
        const text = Cause.pretty(cause)
        assert.include(text, name)
        assert.notInclude(text, secret)
        assert.notInclude(JSON.stringify(cause), secret)
      })
    )
  }

  it.effect("leave successes and interruptions unchanged", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* endsOf(Effect.succeed(1)), [Exit.succeed(1)])
      const [interrupted] = yield* endsOf(Effect.interrupt)
      assert.isTrue(Exit.hasInterrupts(interrupted ?? Exit.void))
    })
  )
})
