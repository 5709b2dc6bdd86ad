import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { applicant, at, credential, Service, verifiable, verified, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertRefused, assertStatus, dataOf, get, idOfNothing, idsOf, post, remove, root } from "../NewerSurface.ts"

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

  it.effect("a restored worker, applicant or credential is in its lists again; a second restore changes nothing", () =>
    Effect.gen(function* () {
      const owner = yield* worker()
      const card = yield* credential({ worker: owner }, verifiable)
      const paths = [`/workers/${owner}`, `/applicants/${yield* applicant()}`, `/credentials/${card}`]
      for (const path of paths) {
        assertStatus(yield* remove(path), 204)
        assert.isString(at(yield* get(`${path}?includeDeleted=true`), "data.deletedAt"))
        const restored = yield* post(`${path}/restore`)
        assertStatus(restored, 200)
        assert.isUndefined(at(restored, "data.deletedAt"))
        const again = yield* post(`${path}/restore`)
        assert.strictEqual(again.headers["etag"], restored.headers["etag"])
        assertStatus(yield* get(path), 200)
      }
    })
  )

  it.effect("a restore under another tag is 412, and leaves the worker deleted", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const id = yield* worker()
      assertStatus(yield* remove(`/workers/${id}`), 204)
      const restore = { method: "POST", path: `${root}/workers/${id}/restore` }
      assertRefused(yield* call({ ...restore, headers: { "if-match": '"1-other"' } }), "PRECONDITION_FAILED")
      assertRefused(yield* get(`/workers/${id}`), "NOT_FOUND")
      assertRefused(yield* post(`/workers/${idOfNothing(id)}/restore`), "NOT_FOUND")
    })
  )

  it.effect("a restored credential keeps its owners and is verified anew; one entry records it", () =>
    Effect.gen(function* () {
      const owner = yield* worker()
      const card = yield* verified({ worker: owner })
      const path = `/credentials/${card}`
      const before = yield* get(path)
      assertStatus(yield* remove(path), 204)
      const restored = yield* post(`${path}/restore`)
      const correlationId = at(restored, "meta.correlationId")
      assert.isString(correlationId)
      assert.notStrictEqual(correlationId, at(before, "data.attributes.lastCorrelationId"))
      assert.deepStrictEqual(at(restored, "data.attributes.owners"), { worker: owner, applicant: null })
      assertStatus(yield* post(`${path}/restore`), 200)
      const runs = dataOf(yield* get(`${path}/verifications`)).map((run) => Object(run).correlationId)
      assert.include(runs, correlationId)
      assert.lengthOf(runs, 2)
      const entries = dataOf(yield* get(`/audit-events?entityId=${card}&action=restore`))
      assert.lengthOf(entries, 1)
    })
  )
})
