import { assert, layer } from "@effect/vitest"
import * as Stores from "@wcs/deployment/stores/Stores"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { Effect, Layer } from "effect"
import { type Answer, at, worker } from "../../Service.ts"
import { layerService, raisedLimits } from "../../TestService.ts"
import { assertStatus, dataOf, get, idOfNothing, post, remove } from "../NewerSurface.ts"
import { ids } from "../resource/Listing.ts"

const requestedCredentialTypes = ["FIRST_AID"]
const bulk = (workers: unknown, more: Readonly<Record<string, unknown>> = {}) =>
  post("/fetch-requests/bulk", { workers, requestedCredentialTypes, ...more })

/** The items, each with its success or the reason of its failure. */
const itemsOf = (answer: Answer) => {
  assertStatus(answer, 200)
  return dataOf(answer).map((item) => Object(item))
}

// `DocumentedConstraints.test.ts` tests the refusals of a whole batch.
layer(layerService(), { excludeTestServices: true })("bulk fetch requests", (it) => {
  it.effect(
    "BLK-17, PRV-15: is 200, with an item for each worker in order, failed ones with success false and plain text",
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
        const fields = { requestedCredentialTypes, message: "Please", expiryDays: 3, status: "INITIATED" }
        assert.deepInclude(shown, { worker: { id: ann }, ...fields })
        for (const id of made) {
          const entries = dataOf(yield* get(`/audit-events?entityType=captureRequest&entityId=${id}`))
          assert.deepStrictEqual(
            entries.map((entry) => [Object(entry).operation, Object(entry).requestId]),
            [["CREATE", requestId]]
          )
        }
      })
  )
})

/** The stores, in which every third fetch request cannot be written. */
const faltering = Layer.effect(
  ResourceStore,
  Effect.map(ResourceStore, (store) => {
    let count = 0
    return ResourceStore.of({
      ...store,
      change: (resource, ...rest) =>
        resource.type === "captureRequest" && ++count % 3 === 0
          ? Effect.die(new Error("/var/lib/wcs/store.sqlite"))
          : store.change(resource, ...rest)
    })
  })
).pipe(Layer.provideMerge(Stores.layer))

layer(layerService(raisedLimits, { stores: faltering }), { excludeTestServices: true })(
  "internal failures within a batch",
  (it) => {
    it.effect("BLK-17: keeps and reports the other items", () =>
      Effect.gen(function* () {
        const person = { id: yield* worker() }
        const items = itemsOf(yield* bulk(Array.from({ length: 7 }, () => person)))
        const [made, failed] = [items.filter(({ success }) => success), items.filter(({ success }) => !success)]
        assert.lengthOf(made, 5)
        const error = "Internal error. Check whether the item was created before you retry."
        for (const item of failed) assert.deepStrictEqual(item, { worker: person, success: false, error })
        assert.sameMembers(
          yield* ids("fetch-requests", { workerId: person.id }),
          made.map(({ id }) => id)
        )
      })
    )
  }
)
