import { control } from "@wcs/conformance/judgement/Judge"
import { Effect } from "effect"
import { anyQuery, judge, lackSamples, madeUp, query, unlike, walk } from "../Asking.ts"
import type { Target } from "../Target.ts"

/** How often the same query is sent, and how many different ones at a time. */
const times = 4
const atOnce = 12

/** What a gateway says of the same query, and of several at a time. */
export const repetitionWalks = (target: Target) => [
  walk("repetition/same", ["GWY-26"], function* () {
    const asked = yield* anyQuery(target)
    const { exchange } = yield* control(query(target, asked))
    const others = yield* Effect.forEach(Array.from({ length: times - 1 }), () => query(target, asked))
    yield* judge(
      "GWY-26",
      [exchange, ...others],
      others.flatMap((one) => unlike(exchange, one))
    )
  }),
  walk("repetition/concurrent", ["GWY-27"], function* () {
    if (target.samples.length === 0) return yield* lackSamples("GWY-27")
    const queries = target.samples
      .slice(0, atOnce / 2)
      .flatMap(({ question }) => [question, madeUp(question.credentialType)])
    const alone = yield* Effect.forEach(queries, (asked) => query(target, asked))
    const together = yield* Effect.forEach(queries, (asked) => query(target, asked), { concurrency: "unbounded" })
    const differences = together.flatMap((one, index) => unlike(alone[index] ?? one, one))
    yield* judge("GWY-27", [...alone, ...together], differences)
  })
]
