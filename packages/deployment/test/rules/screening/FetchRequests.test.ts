import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, at, fetchRequest, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertRefused, assertStatus, dataOf, get, idOfNothing, post, remove } from "../NewerSurface.ts"
import { ids, type Parameters } from "../resource/Listing.ts"

const requestedCredentialTypes = ["FIRST_AID"]
const bulk = (workers: unknown, more: Readonly<Record<string, unknown>> = {}) =>
  post("/fetch-requests/bulk", { workers, requestedCredentialTypes, ...more })

/** The items, each with its success or the reason of its failure. */
const itemsOf = (answer: Answer) => {
  assertStatus(answer, 200)
  return dataOf(answer).map((item) => Object(item))
}

const times = (count: number) => Array.from({ length: count }, (_, index) => index)

layer(layerService(), { excludeTestServices: true })("fetch requests", (it) => {
  it.effect("ENV-05, ENV-10: a fetch request needs an existing worker and at least one type of the catalogue", () =>
    Effect.gen(function* () {
      const id = yield* worker()
      const make = (body: unknown) => post("/fetch-requests", body)
      assertRefused(yield* make({ requestedCredentialTypes }), "INVALID_ARGUMENT", "worker")
      assertRefused(yield* make({ worker: {}, requestedCredentialTypes }), "INVALID_ARGUMENT", "worker.id")
      for (const types of [undefined, null, [], ["NOPE"], "FIRST_AID"]) {
        const body = { worker: { id }, requestedCredentialTypes: types }
        assertRefused(yield* make(body), "INVALID_ARGUMENT", "requestedCredentialTypes")
      }
      for (const person of [{ id: idOfNothing(id) }, { externalId: "fetched nobody" }]) {
        const body = { worker: person, requestedCredentialTypes }
        assertRefused(yield* make(body), "UNPROCESSABLE", "worker was not found among the workers")
      }
      assert.deepStrictEqual(yield* ids("fetch-requests", { workerId: id }), [])
    })
  )

  it.effect("ENV-07: the filters of fetch requests, alone and combined", () =>
    Effect.gen(function* () {
      const [ann, bob] = [yield* worker({ source: { externalId: "fetched Ann" } }), yield* worker()]
      const [one, two] = [yield* fetchRequest({ externalId: "fetched Ann" }), yield* fetchRequest({ id: ann })]
      const three = yield* fetchRequest({ id: bob })
      const rows: ReadonlyArray<readonly [Parameters, ReadonlyArray<string>]> = [
        [{ workerId: ann }, [one, two]],
        [{ workerId: bob }, [three]],
        [{ workerId: idOfNothing(ann) }, []],
        [{ ownerExternalId: "fetched Ann" }, [one, two]],
        [{ ownerExternalId: "fetched Ann", workerId: bob }, []],
        [{ ownerExternalId: "" }, []],
        [{ workerId: bob, status: "INITIATED" }, [three]],
        [{ workerId: bob, status: "CANCELLED" }, []]
      ]
      for (const [parameters, expected] of rows) {
        assert.sameMembers(yield* ids("fetch-requests", parameters), [...expected], JSON.stringify(parameters))
      }
      assertStatus(yield* remove(`/workers/${ann}`), 204)
      assert.deepStrictEqual(yield* ids("fetch-requests", { ownerExternalId: "fetched Ann" }), [])
      assert.sameMembers(yield* ids("fetch-requests", { workerId: ann }), [one, two])
    })
  )
})

layer(layerService(), { excludeTestServices: true })("bulk fetch requests", (it) => {
  it.effect(
    "BLK-17: is 200, with an item for each worker in order, failed ones with success false and plain text",
    () =>
      Effect.gen(function* () {
        const [ann, bob] = [yield* worker({ source: { externalId: "bulk Ann" } }), yield* worker()]
        const gone = yield* worker()
        assertStatus(yield* remove(`/workers/${gone}`), 204)
        yield* worker({ source: { externalId: "bulk twins" } })
        yield* worker({ source: { externalId: "bulk twins" } })
        const rows: ReadonlyArray<readonly [object, string | undefined]> = [
          [{ id: bob }, undefined],
          [{ id: idOfNothing(bob) }, "worker was not found among the workers."],
          [{ externalId: "bulk Ann" }, undefined],
          [{ id: gone }, "worker was not found among the workers."],
          [{ externalId: "bulk nobody" }, "worker was not found among the workers."],
          [{ externalId: "" }, "worker was not found among the workers."],
          [{ externalId: "bulk twins" }, "worker: several workers have this externalId. Use the id instead."],
          [{ id: "nonsense" }, "worker.id must be wkr_ and 16 letters or digits, unless externalId is given."],
          [{ id: bob, externalId: "bulk Ann" }, "worker must have an id or an externalId, but not both."],
          [{}, "worker.id"],
          [{ id: bob }, undefined]
        ]
        const answer = yield* bulk(
          rows.map(([person]) => person),
          { message: "Please", expiryDays: 3 }
        )
        const items = itemsOf(answer)
        assert.lengthOf(items, rows.length)
        for (const [index, [person, refusal]] of rows.entries()) {
          const { error, id, ...item } = items[index]
          assert.deepStrictEqual(item, { worker: person, success: refusal === undefined })
          if (refusal === undefined) assert.match(id, /^cap_[0-9A-Za-z]{16}$/)
          else assert.isTrue(typeof error === "string" && error.startsWith(refusal) && id === undefined, error)
        }
        // BLK-07, BLK-18, threat 22: the counts agree with the items.
        const requestId = answer.headers["x-request-id"]
        assert.deepStrictEqual(at(answer, "meta"), { total: 11, succeeded: 3, failed: 8, requestId })
        const made = items.filter(({ success }) => success).map(({ id }) => id)
        // A create is not idempotent: a worker named twice gets two requests.
        assert.lengthOf(new Set(made), 3)
        assert.sameMembers(yield* ids("fetch-requests", { workerId: bob }), [made[0], made[2]])
        assert.deepStrictEqual(yield* ids("fetch-requests", { workerId: ann }), [made[1]])
        const shown = Object(at(yield* get(`/fetch-requests/${made[1]}`), "data"))
        assert.deepInclude(shown, {
          worker: { id: ann },
          requestedCredentialTypes,
          message: "Please",
          expiryDays: 3,
          status: "INITIATED"
        })
      })
  )

  it.effect("BLK-17: accepts 1 to 50 workers; none and 51 are 400, and nothing is created", () =>
    Effect.gen(function* () {
      const id = yield* worker()
      const answer = yield* bulk(times(50).map(() => ({ id })))
      assert.lengthOf(itemsOf(answer), 50)
      assert.deepStrictEqual([at(answer, "meta.total"), at(answer, "meta.failed")], [50, 0])
      const before = yield* ids("fetch-requests", { workerId: id })
      assert.lengthOf(before, 50)
      assertRefused(yield* bulk(times(51).map(() => ({ id }))), "INVALID_ARGUMENT", "workers must have at most 50")
      assertRefused(yield* bulk([]), "INVALID_ARGUMENT", "workers")
      assert.lengthOf(yield* ids("fetch-requests", { workerId: id }), 50)
    })
  )

  it.effect("ENV-05, ENV-06: an error in the shared fields, or a malformed worker, is 400 for the whole batch", () =>
    Effect.gen(function* () {
      const id = yield* worker()
      const wrong: ReadonlyArray<readonly [string, Readonly<Record<string, unknown>>]> = [
        ["requestedCredentialTypes", { requestedCredentialTypes: undefined }],
        ["requestedCredentialTypes", { requestedCredentialTypes: [] }],
        ["requestedCredentialTypes", { requestedCredentialTypes: ["NOPE"] }],
        ["message", { message: "" }],
        ["expiryDays", { expiryDays: 91 }],
        ["workers", { workers: undefined }],
        ["workers", { workers: { id } }],
        ["workers.1", { workers: [{ id }, id] }],
        ["workers.1", { workers: [{ id }, null] }],
        ["workers.1.id", { workers: [{ id }, { id: 7 }] }]
      ]
      for (const [field, more] of wrong) assertRefused(yield* bulk([{ id }], more), "INVALID_ARGUMENT", field)
      assert.deepStrictEqual(yield* ids("fetch-requests", { workerId: id }), [])
      const odd = yield* bulk([{ id, shoeSize: 42 }], { colour: "red" })
      assert.deepStrictEqual(at(odd, "data.0.worker"), { id })
      const warnings = JSON.stringify(at(odd, "meta.warnings"))
      for (const field of ["workers.0.shoeSize", "colour"]) assert.include(warnings, field)
    })
  )

  it.effect("PRV-15: each created one is in the audit log, with the same request id", () =>
    Effect.gen(function* () {
      const [ann, bob] = [yield* worker(), yield* worker()]
      const answer = yield* bulk([{ id: ann }, { id: "nonsense" }, { id: bob }])
      const made = itemsOf(answer).filter(({ success }) => success)
      assert.lengthOf(made, 2)
      for (const { id } of made) {
        const entries = dataOf(yield* get(`/audit-events?entityType=captureRequest&entityId=${id}`))
        assert.deepStrictEqual(
          entries.map((entry) => [Object(entry).operation, Object(entry).requestId]),
          [["CREATE", answer.headers["x-request-id"]]]
        )
      }
    })
  )
})
