import { assert, describe, it } from "@effect/vitest"
import { recorded } from "@wcs/conformance/evidence/KillMatrix"
import { mutants } from "@wcs/specimens/Mutants"
import { holesIn, judgedRules } from "@wcs/specimens/selftest/Matrix"
import { selftest } from "@wcs/specimens/selftest/Selftest"
import { variants } from "@wcs/specimens/Variants"
import { Effect } from "effect"

/** Every mutant and every variant is judged: less than a minute on two quiet cores. */
const timeout = 300_000

describe("the kill matrix", () => {
  it.live(
    "is the recorded one: each mutant fails by its own rules for its own reasons, and nothing fails on a variant",
    () =>
      Effect.gen(function* () {
        const { complaints, matrix } = yield* selftest(mutants, variants)
        assert.deepStrictEqual(complaints, [])
        assert.deepStrictEqual(recorded(), matrix)
      }),
    timeout
  )

  it("has no hole: every judged rule is killed", () => {
    assert.isAbove(judgedRules.length, 140)
    assert.deepStrictEqual(holesIn(mutants), [])
  })

  it("gives every specimen a name of its own", () => {
    const names = [...mutants, ...variants].map(({ name }) => name)
    assert.strictEqual(new Set(names).size, names.length)
    assert.isAtLeast(variants.length, 15)
  })
})
