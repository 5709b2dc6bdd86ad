import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Semaphore } from "effect"
import { command, scriptCode, served, writeProfile } from "../command/Served.ts"
import { brokenWhile, faultOf, faultsOf } from "../Specimen.ts"

describe("the shortest sequence that breaks the table", () => {
  it.live(
    "OWN-21: is printed step by step, and a script reproduces it and reports its fix",
    () =>
      Effect.gen(function* () {
        let isBroken = true
        const hit = brokenWhile(() => isBroken, faultOf("OWN-21", "a link is not stored"))
        const { environment, folder, left, profile } = yield* served({ hit })
        const out = join(folder, "out")
        const args = ["run", "-p", writeProfile(folder, profile), "--out", out, "--only", "OWN-21", "--no-color"]
        const { code, out: told } = yield* command(args, environment)
        assert.strictEqual(code, 1)
        const [, story = ""] =
          /calls: expected the result in the table of §3[^\n]*\n([\s\S]*?) is (?:app|wkr)_/.exec(told) ?? []
        assert.match(story, /c\d: unlink ([aw]\d): 200 \(#\d+\)[\s\S]*c\d: link [aw]\d: 200/)
        assert.isAtMost(story.match(/: (?:200|4\d\d)/g)?.length ?? 0, 4, "calls of the shortest sequence")

        const script = join(out, "repro", "OWN-21.sh")
        assert.strictEqual(yield* scriptCode(script, environment), 1)
        isBroken = false
        assert.strictEqual(yield* scriptCode(script, environment), 0)
        assert.deepStrictEqual(yield* left, [])
      }),
    480_000
  )
})

const burstMillis = 50

/**
 * Holds back calls for a few milliseconds and serves them together, because a script's processes do not start at the
 * same time.
 */
const inBursts = <A, E, R>(served: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.delay(served, burstMillis - (now % burstMillis)))

describe("a race that no order of its calls explains", () => {
  it.live(
    "OWN-17: is repeated by a script with concurrent calls, and never fails when calls are served one by one",
    () =>
      Effect.gen(function* () {
        let isBroken = true
        const oneByOne = Semaphore.makeUnsafe(1).withPermits(1)
        const { environment, folder, left, profile } = yield* served({
          hit: brokenWhile(() => true, ...faultsOf("OWN-17", "the slot is not locked")),
          rewrite: (serve) => (request) => (isBroken ? inBursts(serve(request)) : oneByOne(serve(request)))
        })
        const out = join(folder, "out")
        const args = ["run", "-p", writeProfile(folder, profile), "--out", out, "--only", "OWN-17", "--no-color"]
        assert.strictEqual((yield* command(args, environment)).code, 1)

        const script = join(out, "repro", "OWN-17.sh")
        assert.strictEqual(yield* scriptCode(script, environment), 1)
        isBroken = false
        assert.strictEqual(yield* scriptCode(script, environment), 2)
        assert.deepStrictEqual(yield* left, [])
      }),
    480_000
  )
})
