import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { at } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertRefused, assertStatus, get, idOfNothing, post, remove } from "../NewerSurface.ts"
import { bodiesOf, bury, holding, makeCast, operate, slotsIn, slotsOf } from "./Slots.ts"

layer(layerService(), { excludeTestServices: true })("ownership", (it) => {
  it.effect("link, unlink and transfer return the credential as GET shows it, for each form of body", () =>
    Effect.gen(function* () {
      const cast = yield* makeCast
      const changes = [
        ["w1 -", "link a1", "w1 a1"],
        ["w1 a1", "transfer w1 w2", "w2 a1"],
        ["w1 a1", "unlink a1", "w1 -"]
      ] as const
      for (const [before, operation, after] of changes) {
        for (const form of bodiesOf(cast, operation).keys()) {
          const id = yield* holding(cast, before)
          const answer = yield* operate(cast, id, operation, form)
          assertStatus(answer, 200)
          assert.strictEqual(slotsIn(cast, answer), after)
          assert.deepStrictEqual(at(answer, "data"), at(yield* get(`/credentials/${id}`), "data"))
        }
      }
    })
  )

  it.effect("ENV-02: checks run in order: body, credential, no-op, conflict, owner", () =>
    Effect.gen(function* () {
      const cast = yield* makeCast
      const id = yield* holding(cast, "w1 -")
      const nothing = idOfNothing(id)
      yield* bury(cast)
      assertRefused(yield* post(`/credentials/${nothing}/link`, { type: "worker" }), "INVALID_ARGUMENT")
      assertRefused(yield* operate(cast, nothing, "link wx"), "NOT_FOUND")
      assertStatus(yield* operate(cast, id, "transfer wx w1"), 200)
      assertRefused(yield* operate(cast, id, "link wx"), "ALREADY_LINKED")
      assertRefused(yield* operate(cast, id, "transfer w1 wx"), "UNPROCESSABLE")
    })
  )

  it.effect("OWN-23, DEL-01: a credential that is deleted during a change of owners is deleted, and has an owner", () =>
    Effect.gen(function* () {
      const cast = yield* makeCast
      for (let round = 0; round < 10; round++) {
        const id = yield* holding(cast, "w1 a1")
        const calls = [
          operate(cast, id, "unlink w1"),
          operate(cast, id, "unlink a1"),
          operate(cast, id, "transfer w1 w2")
        ]
        const [deleted, ...answers] = yield* Effect.all([remove(`/credentials/${id}`), ...calls], {
          concurrency: "unbounded"
        })
        assertStatus(deleted, 204)
        for (const answer of answers) assert.include([200, 404, 409, 422], answer.status)
        assertRefused(yield* get(`/credentials/${id}`), "NOT_FOUND")
        const owners = Object(at(yield* get(`/credentials/${id}?includeDeleted=true`), "data.attributes.owners"))
        assert.isNotNull(owners.worker ?? owners.applicant)
      }
    })
  )

  it.effect("SIL-17: of a concurrent link and delete of its owner, a refused link leaves the slot empty", () =>
    Effect.gen(function* () {
      for (let round = 0; round < 10; round++) {
        const cast = yield* makeCast
        const id = yield* holding(cast, "- a1")
        const [link, deleted] = yield* Effect.all([operate(cast, id, "link w1"), remove(`/workers/${cast.w1}`)], {
          concurrency: "unbounded"
        })
        assertStatus(deleted, 204)
        if (link.status !== 200) assertRefused(link, "UNPROCESSABLE")
        assert.strictEqual(yield* slotsOf(cast, id), link.status === 200 ? "w1 a1" : "- a1")
      }
    })
  )
})
