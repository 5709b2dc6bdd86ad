import { assert, describe, it } from "@effect/vitest"
import { recorded } from "@wcs/conformance/evidence/KillMatrix"
import { mutants } from "@wcs/specimens/Mutants"
import { holesIn, judgedRules } from "@wcs/specimens/selftest/Matrix"
import { selftest } from "@wcs/specimens/selftest/Selftest"
import { variants } from "@wcs/specimens/Variants"
import { Effect } from "effect"

/** The self-test judges every mutant and variant, which is slow on a busy machine. */
const timeout = 1_200_000

describe("the kill matrix", () => {
  it.live(
    "matches the recorded one: each mutant fails its own rules for its own reasons, and no variant fails",
    () =>
      Effect.gen(function* () {
        const { complaints, matrix } = yield* selftest(mutants, variants)
        assert.deepStrictEqual(complaints, [])
        assert.deepStrictEqual(recorded(), matrix)
      }),
    timeout
  )

  it("has no gap: every judged rule is killed", () => {
    assert.isAbove(judgedRules.length, 140)
    assert.deepStrictEqual(holesIn(mutants), [])
  })

  it("has a unique name for every specimen", () => {
    const names = [...mutants, ...variants].map(({ name }) => name)
    assert.strictEqual(new Set(names).size, names.length)
    assert.isAtLeast(variants.length, 15)
  })
})
