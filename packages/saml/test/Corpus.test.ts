import { assert, describe, it } from "@effect/vitest"
import { check, outcomeOf } from "./Check.ts"
import { corpus } from "./corpus/Corpus.ts"

describe("hostile responses are refused, each for the reason that it was made for", () => {
  for (const [kind, rows] of Object.entries(corpus)) {
    describe(kind, () => {
      it.each(rows)("%s", (_, reason, make) => assert.strictEqual(outcomeOf(check(make())), reason))
    })
  }

  it("every attack has a name of its own", () => {
    const names = Object.values(corpus).flatMap((rows) => rows.map(([name]) => name))
    assert.strictEqual(new Set(names).size, names.length)
  })
})
