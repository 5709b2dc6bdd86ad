import { assert, describe, it } from "@effect/vitest"
import type { Ending } from "@wcs/http/pipeline/Call"
import { inOrder } from "@wcs/http/pipeline/Endpoints"
import { Effect, Exit } from "effect"
import { HttpServerResponse } from "effect/http"
import * as FastCheck from "fast-check"
import { callOf } from "./Requests.ts"

const ends = ["passes", "refuses", "throws"] as const
const waits = ["no", "before", "after"] as const

interface Kind {
  readonly end: (typeof ends)[number]
  readonly wait: (typeof waits)[number]
}

const kind: FastCheck.Arbitrary<Kind> = FastCheck.record({
  end: FastCheck.oneof(
    { weight: 8, arbitrary: FastCheck.constant("passes" as const) },
    FastCheck.constantFrom(...ends)
  ),
  wait: FastCheck.constantFrom(...waits)
})

const aTurn = Effect.promise(() => Promise.resolve())

const answered = HttpServerResponse.empty({ status: 299 })

/** A step that notes each of its runs. */
const stepOf =
  ({ end, wait }: Kind, index: number, ran: Array<number>) =>
  (): Effect.Effect<void, Ending> => {
    const act = (): Effect.Effect<void, Ending> => {
      ran.push(index)
      if (end === "throws") throw new Error(`step ${index}`)
      return end === "passes" ? Effect.void : Effect.fail(HttpServerResponse.empty({ status: 400 + index }))
    }
    if (wait === "before") return Effect.flatMap(aTurn, act)
    return wait === "after" ? Effect.tap(act(), () => aTurn) : act()
  }

const call = callOf({ body: "" })

describe("the steps of a call", () => {
  it("run once each, in order, up to the first that refuses or throws, whichever of them wait", () =>
    FastCheck.assert(
      FastCheck.asyncProperty(FastCheck.array(kind, { maxLength: 8 }), async (kinds) => {
        const ran: Array<number> = []
        const steps = kinds.map((kind, index) => stepOf(kind, index, ran))
        const answer = inOrder(steps, () => Effect.succeed(answered))
        const last = kinds.findIndex(({ end }) => end !== "passes")
        const exit = await Effect.runPromiseExit(Effect.suspend(() => answer(call)))
        assert.deepStrictEqual(ran, [...kinds.slice(0, last === -1 ? kinds.length : last + 1).keys()])
        const expected =
          last === -1
            ? Exit.succeed(answered)
            : kinds[last]?.end === "throws"
              ? Exit.die(new Error(`step ${last}`))
              : Exit.fail(HttpServerResponse.empty({ status: 400 + last }))
        assert.strictEqual(JSON.stringify(exit), JSON.stringify(expected))
      }),
      { numRuns: 2_000 }
    ))

  it("need no fiber if none of them waits", () =>
    FastCheck.assert(
      FastCheck.property(FastCheck.array(kind, { maxLength: 8 }), (kinds) => {
        const given = kinds.filter(({ end }) => end !== "throws")
        const last = given.findIndex(({ end }) => end === "refuses")
        const reached = given.slice(0, last === -1 ? given.length : last + 1)
        const begun = inOrder(
          given.map((kind, index) => stepOf(kind, index, [])),
          () => Effect.succeed(answered)
        )(call)
        const isAtOnce = reached.every(({ wait }) => wait === "no")
        assert.strictEqual(Exit.isExit(begun), isAtOnce)
      }),
      { numRuns: 2_000 }
    ))
})
