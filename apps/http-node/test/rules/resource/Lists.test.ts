import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { at, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertRefused, assertStatus, dataOf, get, idsOf, remove } from "../NewerSurface.ts"
import { groupOf, list, type Parameters, walk } from "./Listing.ts"

layer(layerService(), { excludeTestServices: true })("lists", (it) => {
  it.effect("WRK-08: a page has its size and the cursor of the next one, in the order of creation", () =>
    Effect.gen(function* () {
      const made = yield* groupOf("order", 7)
      const first = yield* list("workers", { sourceSystem: "order", pageSize: "5" })
      assert.sameMembers(Object.keys(Object(at(first, "meta"))), ["requestId", "pageSize", "nextCursor"])
      assert.strictEqual(at(first, "meta.pageSize"), 5)
      const [one, two] = yield* walk("workers", { sourceSystem: "order", pageSize: "5" })
      assert.deepStrictEqual(idsOf(first), one)
      assert.lengthOf(two ?? [], 2)
      assert.sameMembers([...(one ?? []), ...(two ?? [])], made)
      const times = dataOf(yield* list("workers", { sourceSystem: "order" })).map((item) => Object(item).createdAt)
      assert.deepStrictEqual(times, times.toSorted())
    })
  )

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

  it.effect("ENV-05: GET of one resource accepts the parameter includeDeleted only", () =>
    Effect.gen(function* () {
      const id = yield* worker()
      for (const query of ["nope=1", "pageSize=1", "includeDeleted=1", "__proto__=1"]) {
        assertRefused(yield* get(`/workers/${id}?${query}`), "INVALID_ARGUMENT")
      }
      const repeated = yield* get(`/workers/${id}?includeDeleted=true&includeDeleted=true`)
      assertRefused(repeated, "INVALID_ARGUMENT", "includeDeleted must be given once")
      assertStatus(yield* get(`/workers/${id}?includeDeleted=false`), 200)
    })
  )
})
