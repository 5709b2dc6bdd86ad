import { assert, describe, it } from "@effect/vitest"
import type { Specimen } from "@wcs/specimens/Specimen"
import { answers, withHeader } from "@wcs/specimens/seams/Rewrite"
import { groupsOf, judgedTogether } from "@wcs/specimens/selftest/Together"
import { variants } from "@wcs/specimens/Variants"
import { Effect } from "effect"

const request = { method: "GET", url: "https://tenant.example/openapi/v1/workers", headers: [], body: "" }
const answer = { status: 200, headers: {}, text: "", json: undefined, millis: 0 }

/** A deployment that adds its own header to every answer. */
const saying = (name: string): Specimen => ({
  name,
  rewrite: answers({}, (given) => withHeader(given, name, "yes"))
})

/** The headers that a deployment with these changes answers. */
const heard = (deployment: Specimen) =>
  Effect.map((deployment.rewrite ?? ((serve) => serve))(() => Effect.succeed(answer))(request), ({ headers }) =>
    Object.keys(headers).sort()
  ).pipe(Effect.orDie)

describe("variants that are judged together", () => {
  it("include each variant once, and at most one change of rules or stores in a group", () => {
    const groups = groupsOf(variants)
    assert.sameMembers(
      groups.flat().map(({ name }) => name),
      variants.map(({ name }) => name)
    )
    for (const group of groups) {
      assert.isAtMost(group.filter(({ rules, stores }) => rules !== undefined || stores !== undefined).length, 1)
    }
  })

  it("include no variant that offers less, which could hide the others", () => {
    for (const group of groupsOf(variants).filter(({ length }) => length > 1)) {
      assert.isTrue(group.every(({ offersLess }) => offersLess !== true))
    }
  })

  it.effect("share a deployment with all their differences", () =>
    Effect.gen(function* () {
      const found = yield* judgedTogether(["a", "b", "c"].map(saying), heard, () => true)
      assert.deepStrictEqual(
        found,
        ["a", "b", "c"].map((name) => ({ name, findings: ["a", "b", "c"] }))
      )
    })
  )

  it.effect("are judged apart until only the one that fails is left", () =>
    Effect.gen(function* () {
      const found = yield* judgedTogether(
        ["a", "b", "c", "d", "e"].map(saying),
        heard,
        (_, headers) => !headers.includes("d")
      )
      assert.deepStrictEqual(
        found.map(({ findings, name }) => [name, findings.join(" ")]),
        [
          ["a", "a b c"],
          ["b", "a b c"],
          ["c", "a b c"],
          ["d", "d"],
          ["e", "e"]
        ]
      )
    })
  )
})
