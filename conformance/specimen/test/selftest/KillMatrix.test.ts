import { assert, describe, it } from "@effect/vitest"
import { mutants } from "@wcs/specimens/Mutants"
import { declaredMatrix } from "@wcs/specimens/selftest/DeclaredMatrix"
import { holesIn, judgedRules } from "@wcs/specimens/selftest/Matrix"
import { selftest } from "@wcs/specimens/selftest/Selftest"
import { variants } from "@wcs/specimens/Variants"
import { Effect } from "effect"

/** The self-test judges every mutant and variant, which is slow on a busy machine. */
const timeout = 1_200_000

/** Judges only some specimens. A rule without a mutant among these is no complaint. */
const judgedAgain = Effect.fnUntraced(function* (isAsked: (specimen: { readonly name: string }) => boolean) {
  const asked = { mutants: mutants.filter(isAsked), variants: variants.filter(isAsked) }
  const { complaints } = yield* selftest(asked.mutants, asked.variants)
  const names = [...asked.mutants, ...asked.variants].map(({ name }) => name)
  return { complaints: complaints.filter((complaint) => names.some((name) => complaint.startsWith(`${name}:`))) }
})

describe("the kill matrix", () => {
  it.live(
    "is as its rows say, at the recorded places: each mutant fails its own rules for its own reasons, no variant fails",
    () =>
      Effect.gen(function* () {
        const { complaints, matrix } = yield* selftest(mutants, variants)
        // Beside other tests, a wait for a delivery can end too early: specimens with complaints are judged once more.
        const isDoubted = ({ name }: { readonly name: string }) =>
          complaints.some((complaint) => complaint.startsWith(`${name}:`))
        const doubted = [...mutants, ...variants].filter(isDoubted)
        const again = doubted.length === 0 ? { complaints: [] } : yield* judgedAgain(isDoubted)
        const others = complaints.filter((complaint) => !doubted.some(({ name }) => complaint.startsWith(`${name}:`)))
        assert.deepStrictEqual([...others, ...again.complaints], [])
        assert.deepStrictEqual(matrix, declaredMatrix(), "npm run selftest records other places")
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
