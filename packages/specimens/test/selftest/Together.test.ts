import { assert, describe, it } from "@effect/vitest"
import type { Specimen } from "@wcs/specimens/Specimen"
import { answers, withHeader } from "@wcs/specimens/seams/Rewrite"
import { combined, groupsOf, judgedTogether } from "@wcs/specimens/selftest/Together"
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

/** Judges each group by the headers that its deployment answers. */
const judgeByHeaders = (groups: ReadonlyArray<ReadonlyArray<Specimen>>) =>
  Effect.forEach(groups, (members) => heard(combined(members)))

describe("variants that are judged together", () => {
  it("include each variant once", () => {
    assert.sameMembers(
      groupsOf(variants)
        .flat()
        .map(({ name }) => name),
      variants.map(({ name }) => name)
    )
  })

  it("offer less in different parts, or nothing less", () => {
    for (const group of groupsOf(variants)) {
      const parts = group.flatMap(({ offersLess }) => offersLess ?? [])
      if (parts.length > 0) assert.lengthOf(parts, group.length)
      assert.lengthOf(new Set(parts), parts.length)
    }
  })

  it.effect("share a deployment with all their differences", () =>
    Effect.gen(function* () {
      const found = yield* judgedTogether([["a", "b", "c"].map(saying)], judgeByHeaders, () => true)
      assert.deepStrictEqual(
        [...found],
        ["a", "b", "c"].map((name) => [name, ["a", "b", "c"]])
      )
    })
  )

  it.effect("are judged apart until only the one that fails is left", () =>
    Effect.gen(function* () {
      const groups = [["a", "b", "c", "d", "e"].map(saying), ["f", "g"].map(saying)]
      const found = yield* judgedTogether(groups, judgeByHeaders, (_, headers) => !headers.includes("d"))
      assert.deepStrictEqual([...found].map(([name, findings]) => [name, findings.join(" ")]).toSorted(), [
        ["a", "a b c"],
        ["b", "a b c"],
        ["c", "a b c"],
        ["d", "d"],
        ["e", "e"],
        ["f", "f g"],
        ["g", "f g"]
      ])
    })
  )
})
