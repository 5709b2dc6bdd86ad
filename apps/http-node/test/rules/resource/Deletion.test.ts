import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { at, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertRefused, assertStatus, get, idsOf, remove } from "../NewerSurface.ts"

layer(layerService(), { excludeTestServices: true })("deletion", (it) => {
  // Threat 28: a deleted resource is in no list, with any filter, unless requested.
  it.effect("SIL-09, threat 28: a deleted worker is in no list and no lookup; with includeDeleted=true it is", () =>
    Effect.gen(function* () {
      const fields = { source: { externalId: "gone", sourceSystem: "gone" }, identity: { displayName: "Gone Girl" } }
      const [gone, stays] = [yield* worker(fields), yield* worker(fields)]
      assertStatus(yield* remove(`/workers/${gone}`), 204)
      const queries = ["externalId=gone", "sourceSystem=gone", "query=gone", "sourceSystem=gone&sort=updatedAt:desc"]
      for (const query of queries) {
        assert.deepStrictEqual([...idsOf(yield* get(`/workers?${query}`))], [stays])
        assert.deepStrictEqual([...idsOf(yield* get(`/workers?${query}&includeDeleted=false`))], [stays])
        assert.sameMembers([...idsOf(yield* get(`/workers?${query}&includeDeleted=true`))], [gone, stays])
      }
      assert.notInclude(idsOf(yield* get("/workers?pageSize=100")), gone)
      assert.strictEqual(at(yield* get(`/workers/${gone}?includeDeleted=true`), "data.id"), gone)
    })
  )

  it.effect("DEL-01: a delete ignores its body", () =>
    Effect.gen(function* () {
      const path = `/workers/${yield* worker()}`
      assertStatus(yield* remove(path, { id: "other" }), 204)
      assertRefused(yield* get(path), "NOT_FOUND")
    })
  )
})
