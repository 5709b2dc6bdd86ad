import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { at } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertStatus, remove } from "../NewerSurface.ts"
import { groupOf, list, type Parameters } from "./Listing.ts"

layer(layerService(), { excludeTestServices: true })("lists", (it) => {
  it.effect("WRK-08: meta.total is there with includeTotal=true only, and counts all matches", () =>
    Effect.gen(function* () {
      const parameters = { sourceSystem: "totals", pageSize: "2" }
      const [gone] = yield* groupOf("totals", 5)
      assertStatus(yield* remove(`/workers/${gone}`), 204)
      const totalOf = (more: Parameters) =>
        Effect.map(list("workers", { ...parameters, ...more }), (answer) => at(answer, "meta.total"))
      assert.strictEqual(yield* totalOf({ includeTotal: "true" }), 4)
      assert.strictEqual(yield* totalOf({ includeTotal: "true", page: "2" }), 4)
      assert.strictEqual(yield* totalOf({ includeTotal: "true", includeDeleted: "true" }), 5)
      assert.strictEqual(yield* totalOf({ includeTotal: "true", externalId: "totals 3" }), 1)
      assert.strictEqual(yield* totalOf({ includeTotal: "true", externalId: "" }), 0)
      assert.isUndefined(yield* totalOf({ includeTotal: "false" }))
      assert.isUndefined(yield* totalOf({}))
    })
  )
})
