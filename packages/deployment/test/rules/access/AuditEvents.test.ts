import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { accessToken, at, Service, textAt, tokenOf, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import * as EveryRoute from "../EveryRoute.ts"
import { assertRefused, assertStatus, dataOf, idsOf, patch, post, remove, root } from "../NewerSurface.ts"
import { list, type Parameters, walk } from "../resource/Listing.ts"

const collection = "audit-events"

/** The entries that a query finds, on one page. */
const entries = (parameters: Parameters) =>
  Effect.map(list(collection, { pageSize: "100", ...parameters }), (answer) => {
    assert.isNull(at(answer, "meta.nextCursor"))
    return dataOf(answer).map(Object)
  })

/** The id of the latest entry. */
const newest = Effect.map(list(collection, { pageSize: "1" }), (answer) => idsOf(answer)[0])

layer(layerService(), { excludeTestServices: true })("audit events", (it) => {
  it.effect("ENV-01: an entry has actor, action, entity, bearer, request and time", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const user = yield* tokenOf("Data Manager")
      const made = yield* call({
        method: "POST",
        path: `${root}/workers`,
        token: user.token,
        body: { identity: { displayName: "Ann Example" } }
      })
      const entityId = textAt(made, "data.id")
      const answer = yield* list(collection, { entityId })
      const [entry, ...others] = dataOf(answer).map(Object)
      assert.deepStrictEqual(others, [])
      assert.match(entry.id, /^aud_[0-9A-Za-z]{16}$/)
      assert.deepStrictEqual(entry, {
        id: entry.id,
        type: "auditEvent",
        account: user.urn,
        bearer: { kind: "personal", id: user.id },
        operation: "CREATE",
        action: "create",
        entityType: "worker",
        entityId,
        requestId: made.headers["x-request-id"],
        createdAt: at(made, "data.createdAt")
      })
      assert.deepStrictEqual(at(answer, "meta"), {
        requestId: answer.headers["x-request-id"],
        pageSize: 25,
        nextCursor: null
      })
    })
  )

  it.effect("PRV-09: every change writes an entry, and a call that reads or is refused writes none", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const { token } = yield* tokenOf([])
      const shared = yield* EveryRoute.subjects
      const unchanged = yield* newest
      for (const route of EveryRoute.routes.filter(EveryRoute.isReading)) {
        assertStatus(yield* call(EveryRoute.goodCall(route, shared)), 200)
        assert.strictEqual(yield* newest, unchanged, route.name)
      }
      let of = shared
      for (const route of EveryRoute.routes.filter((one) => !EveryRoute.isReading(one))) {
        const good = EveryRoute.goodCall(route, of)
        if (route.name.endsWith(".restore")) {
          assertStatus(yield* call({ method: "DELETE", path: good.path.replace(/\/restore$/, "") }), 204)
        }
        const before = yield* newest
        if (EveryRoute.asking.includes(route)) assertRefused(yield* call({ ...good, token }), "FORBIDDEN")
        assertStatus(yield* call({ ...good, token: null }), 401)
        const bad = yield* call(EveryRoute.badCall(route))
        assert.include([400, 404], bad.status, route.name)
        assert.strictEqual(yield* newest, before, route.name)
        const answer = yield* call(good)
        assertStatus(answer, EveryRoute.goodStatus(route))
        const latest = dataOf(yield* list(collection, { pageSize: "1" })).map(Object)[0]
        assert.strictEqual(latest.requestId, answer.headers["x-request-id"], route.name)
        assert.strictEqual(latest.entityType, EveryRoute.groupOf(route).entity, route.name)
        // A create leaves its subjects as they are. Other calls may use them up.
        if (!route.name.endsWith(".create")) of = yield* EveryRoute.subjects
      }
    })
  )

  it.effect("lists entries newest first, or oldest first on request, page by page, with a total on request", () =>
    Effect.gen(function* () {
      const entityId = yield* worker()
      for (const jobTitle of ["one", "two", "three", "four"]) {
        assertStatus(yield* patch(`/workers/${entityId}`, { employment: { jobTitle } }), 200)
      }
      const all = (yield* entries({ entityId })).map(({ id }) => id)
      assert.strictEqual(all.length, 5)
      for (const pageSize of ["1", "2", "5"]) {
        assert.deepStrictEqual((yield* walk(collection, { entityId, pageSize })).flat(), all)
        const falling = yield* walk(collection, { entityId, pageSize, sort: "createdAt:desc" })
        assert.deepStrictEqual(falling.flat(), all)
        const rising = yield* walk(collection, { entityId, pageSize, sort: "createdAt:asc" })
        assert.deepStrictEqual(rising.flat(), all.toReversed())
      }
      const times = (yield* entries({ entityId })).map(({ createdAt }) => createdAt)
      assert.deepStrictEqual(times, times.toSorted().toReversed())
      const actions = (yield* entries({ entityId })).map(({ action }) => action)
      assert.deepStrictEqual(actions, ["update", "update", "update", "update", "create"])
      const page = yield* list(collection, { entityId, pageSize: "2", includeTotal: "true" })
      assert.strictEqual(at(page, "meta.total"), 5)
      assertStatus(yield* remove(`/workers/${entityId}`), 204)
      assert.deepStrictEqual(yield* entries({ entityId, entityType: "credential" }), [])
      const [last] = dataOf(yield* list(collection, { entityType: "worker" })).map(Object)
      assert.deepStrictEqual([last.action, last.operation, last.entityId], ["delete", "DELETE", entityId])
    })
  )

  it.effect("filters by action, kind of bearer, request and time, combined with other filters", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const { token } = yield* accessToken()
      const id = yield* worker()
      const path = `${root}/workers/${id}`
      const body = { employment: { jobTitle: "Nurse" } }
      const changed = yield* call({ method: "PATCH", path, token, body })
      assertStatus(yield* remove(`/workers/${id}`), 204)
      const [deleted, updated, created] = yield* entries({ entityId: id })
      const requestId = String(changed.headers["x-request-id"])
      assert.deepStrictEqual(yield* entries({ requestId }), [updated])
      assert.deepStrictEqual(yield* entries({ requestId, action: "update", bearer: "oauth" }), [updated])
      assert.deepStrictEqual(yield* entries({ requestId, action: "create" }), [])
      assert.deepStrictEqual(yield* entries({ entityId: id, action: "delete" }), [deleted])
      assert.deepStrictEqual(yield* entries({ entityId: id, bearer: "oauth" }), [updated])
      assert.deepStrictEqual(yield* entries({ entityId: id, bearer: "session" }), [])
      const [from, to] = [created.createdAt, deleted.createdAt]
      const within = yield* entries({ entityId: id, from, to })
      assert.include(
        within.map((entry) => entry.id),
        created.id
      )
      assert.notInclude(
        within.map((entry) => entry.id),
        deleted.id
      )
      const next = new Date(Date.parse(to) + 1).toISOString()
      assert.deepStrictEqual(yield* entries({ entityId: id, from, to: next }), [deleted, updated, created])
      assert.deepStrictEqual(yield* entries({ entityId: id, from: next }), [])
      assert.deepStrictEqual(
        (yield* walk(collection, { from, to: next, pageSize: "2", account: updated.account })).flat(),
        [updated.id]
      )
    })
  )

  it.effect("contains no personal data and no secrets: ids and fixed words only", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const user = yield* tokenOf("Super Admin")
      const person = { displayName: "Zora Nobody", birthDate: "1990-02-03" }
      const contact = { workEmail: "zora@example.org", mobileNumber: "0400 123 456" }
      const body = { identity: person, contact, source: { externalId: "payroll-77" } }
      const id = textAt(yield* post("/workers", body), "data.id")
      const path = `${root}/workers/${id}`
      const named = { identity: { displayName: "Zora Somebody" } }
      assertStatus(yield* call({ method: "PATCH", path, body: named, token: user.token }), 200)
      const { text } = yield* list(collection, { pageSize: "100" })
      assert.include(text, id)
      // Long enough that no random id contains one of these by chance.
      const names = ["Zora Nobody", "Zora Somebody", "1990-02-03", "zora@example", "0400 123", "payroll-77"]
      for (const secret of [...names, user.email, user.token]) assert.notInclude(text, secret)
    })
  )
})
