import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { applicant, at, credential, verifiable, verified, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertRefused, assertStatus, dataOf, get, idOfNothing, post, remove } from "../NewerSurface.ts"
import { run } from "../Row.ts"

layer(layerService(), { excludeTestServices: true })("deletion", (it) => {
  // The store's suite tests that no list shows a deleted resource unless requested.
  it.effect("SIL-09, threat 28: a deleted worker is in no list; with includeDeleted=true it is", () =>
    Effect.gen(function* () {
      const [gone, stays] = [
        yield* worker({ source: { externalId: "gone" } }),
        yield* worker({ source: { externalId: "gone" } })
      ]
      const listed = "GET /workers?externalId=gone&sort=updatedAt:asc&includeDeleted="
      yield* run([
        { call: `DELETE /workers/${gone}`, body: { id: "a body is ignored" }, expect: 204 },
        { call: `${listed}false`, expect: { "data.0.id": stays, "data.1": undefined } },
        { call: `${listed}true`, expect: { "data.0.id": stays, "data.1.id": gone } },
        { call: `GET /workers/${gone}?includeDeleted=true`, expect: { "data.id": gone } },
        { call: `POST /workers/${gone}/restore`, headers: { "if-match": '"1-other"' }, expect: "PRECONDITION_FAILED" },
        { call: `GET /workers/${gone}`, expect: "NOT_FOUND" }
      ])
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
      assertRefused(yield* post(`/workers/${idOfNothing(owner)}/restore`), "NOT_FOUND")
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
