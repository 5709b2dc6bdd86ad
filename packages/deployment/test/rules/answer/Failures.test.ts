import { assert, layer } from "@effect/vitest"
import * as SqliteStores from "@wcs/deployment/stores/SqliteStores"
import { OwnershipStore } from "@wcs/domain/credential/OwnershipStore"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { Effect, Layer } from "effect"
import { Service, worker } from "../../Service.ts"
import { layerService, raisedLimits } from "../../TestService.ts"
import * as EveryRoute from "../EveryRoute.ts"
import { assertRefused, assertStatus, dataOf, get, post } from "../NewerSurface.ts"
import { ids } from "../resource/Listing.ts"

const secrets = ["SELECT", "worker_rows", "/var/lib/wcs", "db.internal", "hunter2", "TypeError", "at ", ".ts"]
const failure = () => new TypeError("SELECT * FROM worker_rows: /var/lib/wcs/store.sqlite, admin:hunter2@db.internal")

/** The embedded store, in which every method for workers and owners fails in its own way. */
const failing = Layer.mergeAll(
  Layer.effect(
    ResourceStore,
    Effect.map(ResourceStore, (store) =>
      ResourceStore.of({
        find: (resource, ...rest) =>
          resource.type === "worker" ? Effect.die(failure()) : store.find(resource, ...rest),
        findText: (resource, ...rest) =>
          resource.type === "worker" ? Effect.die(failure()) : store.findText(resource, ...rest),
        findAll: (resource, ...rest) =>
          resource.type === "worker" ? Effect.die(failure()) : store.findAll(resource, ...rest),
        versions: store.versions,
        heldByEach: () => Effect.die(failure()),
        list: (resource, ...rest) =>
          resource.type === "worker" ? Effect.promise(() => Promise.reject(failure())) : store.list(resource, ...rest),
        change: (resource, ...rest) => {
          if (resource.type === "worker") throw failure()
          return store.change(resource, ...rest)
        }
      })
    )
  ),
  Layer.succeed(OwnershipStore, OwnershipStore.of({ transition: () => Effect.die(failure().message) }))
).pipe(Layer.provideMerge(SqliteStores.layer))

/** The embedded store, in which every third fetch request cannot be written. */
const faltering = Layer.effect(
  ResourceStore,
  Effect.map(ResourceStore, (store) => {
    let count = 0
    return ResourceStore.of({
      ...store,
      change: (resource, ...rest) =>
        resource.type === "captureRequest" && ++count % 3 === 0
          ? Effect.die(failure())
          : store.change(resource, ...rest)
    })
  })
).pipe(Layer.provideMerge(SqliteStores.layer))

layer(layerService(raisedLimits, { stores: faltering }), { excludeTestServices: true })(
  "internal failures within a batch",
  (it) => {
    it.effect("BLK-17: keeps and reports the other items", () =>
      Effect.gen(function* () {
        const person = { id: yield* worker() }
        const body = { workers: Array.from({ length: 7 }, () => person), requestedCredentialTypes: ["FIRST_AID"] }
        const answer = yield* post("/fetch-requests/bulk", body)
        assertStatus(answer, 200)
        const items = dataOf(answer).map((item) => Object(item))
        assert.lengthOf(
          items.filter(({ success }) => success),
          5
        )
        for (const item of items.filter(({ success }) => !success)) {
          assert.deepStrictEqual(item, {
            worker: person,
            success: false,
            error: "Internal error. Check whether the item was created before you retry."
          })
        }
        assert.sameMembers(
          yield* ids("fetch-requests", { workerId: person.id }),
          items.flatMap(({ id, success }) => (success ? [id] : []))
        )
      })
    )
  }
)

const failingRoutes = EveryRoute.routes.filter(({ name }) => {
  const [group = "", endpoint = ""] = name.split(".")
  return group === "workers" || (group === "credentials" && /^(link|unlink|transfer|bulk)/.test(endpoint))
})

layer(layerService(raisedLimits, { stores: failing }), { excludeTestServices: true })("internal failures", (it) => {
  it.effect("ENV-15, ENV-18: each is 500 INTERNAL in the envelope, without internal details", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      assert.isAtLeast(failingRoutes.length, 11)
      for (const route of failingRoutes) {
        const answer = yield* call(EveryRoute.goodCall(route, EveryRoute.missing))
        assertRefused(answer, "INTERNAL")
        for (const secret of secrets) assert.notInclude(JSON.stringify(answer), secret, route.name)
        // RTL-01, RID-01: a failure has the headers of any other response.
        assert.isDefined(answer.headers["x-ratelimit-remaining"])
      }
    })
  )

  it.effect("ENV-15: refusals that need no store still work", () =>
    Effect.gen(function* () {
      assertRefused(yield* get("/workers/nonsense"), "INVALID_ARGUMENT")
      assertRefused(yield* get("/workers?sort=nonsense"), "INVALID_ARGUMENT")
      assertRefused(yield* post("/workers", {}), "INVALID_ARGUMENT")
      assertStatus(yield* get("/applicants"), 200)
      assertStatus(yield* post("/applicants", { emailAddress: "ann@example.org" }), 201)
    })
  )
})
