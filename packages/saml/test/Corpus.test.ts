import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { check, outcomeOf } from "./Check.ts"
import { corpus } from "./corpus/Corpus.ts"

/** Text of responses and requests that no message may contain. */
const confidential = /alice-4711|mallory|alice@example\.com|_request1|opaqueRelayStateKey/

describe("threats 30, 54: hostile responses are refused, each for its intended reason, with a message that leaks nothing", () => {
  for (const [kind, rows] of Object.entries(corpus)) {
    describe(kind, () => {
      it.each(rows)("%s", (_, reason, make) => {
        const result = check(make())
        assert.strictEqual(outcomeOf(result), reason)
        const message = Result.isFailure(result) ? result.failure.message : ""
        assert.match(message, /^[A-Z].*[.]$/u)
        assert.isBelow(message.length, 900)
        assert.notMatch(message, confidential)
      })
    })
  }

  it("every attack has a unique name", () => {
    const names = Object.values(corpus).flatMap((rows) => rows.map(([name]) => name))
    assert.strictEqual(new Set(names).size, names.length)
  })
})
