import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  type Answer,
  applicant,
  at,
  credential,
  engaging,
  Service,
  textAt,
  tokenOf,
  verified,
  worker
} from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import {
  assertRefused,
  assertStatus,
  dataOf,
  get,
  idOfNothing,
  patch,
  post,
  put,
  remove,
  root
} from "../NewerSurface.ts"
import { list, pathOf } from "../resource/Listing.ts"

const withCredentials = (id: string) => get(`/workers/${id}?include=credentials`)

/** The credentials in a worker's response. */
const credentialsOf = (answer: Answer): unknown => {
  assertStatus(answer, 200)
  return at(answer, "data.credentials")
}

/** The credentials, each as its own GET shows it, in this order. */
const shownOf = (ids: ReadonlyArray<string>) =>
  Effect.forEach(ids, (id) => Effect.map(get(`/credentials/${id}`), (answer) => at(answer, "data")))

layer(layerService(), { excludeTestServices: true })("workers with their credentials", (it) => {
  it.effect("CRD-04, CRD-05: a worker shows each credential as its own GET does, in the order of creation", () =>
    Effect.gen(function* () {
      const [id, person] = [yield* worker(), yield* applicant()]
      assert.deepStrictEqual(credentialsOf(yield* withCredentials(id)), [])
      const held = [
        yield* verified({ worker: id }, { credentialType: "WWCC_VIC", identifier: "1234567A-01" }),
        yield* engaging(id, { expiryDate: "2001-01-01" }),
        yield* credential({ worker: id, applicant: person })
      ]
      yield* credential({ applicant: person })
      yield* credential({ worker: yield* worker() })
      const answer = yield* withCredentials(id)
      assert.deepStrictEqual(credentialsOf(answer), yield* shownOf(held))
      // A lapsed one reads as lapsed here too.
      assert.strictEqual(at(answer, "data.credentials.1.attributes.statusDetail"), "EXPIRED")
      assert.isUndefined(at(answer, "meta.warnings"))
      const { credentials: _, ...rest } = Object(at(answer, "data"))
      assert.deepStrictEqual(rest, at(yield* get(`/workers/${id}`), "data"))
    })
  )

  it.effect("OWN-07, DEL-01: shows only undeleted credentials that the worker still holds", () =>
    Effect.gen(function* () {
      const [id, other] = [yield* worker(), yield* worker()]
      const [kept, gone, moved] = [
        yield* credential({ worker: id }),
        yield* credential({ worker: id }),
        yield* credential({ worker: id })
      ]
      assertStatus(yield* remove(`/credentials/${gone}`), 204)
      const [from, to] = [
        { type: "worker", id },
        { type: "worker", id: other }
      ]
      assertStatus(yield* post(`/credentials/${moved}/transfer`, { from, to }), 200)
      assert.deepStrictEqual(credentialsOf(yield* withCredentials(id)), yield* shownOf([kept]))
      assert.deepStrictEqual(credentialsOf(yield* withCredentials(other)), yield* shownOf([moved]))
      const all = yield* get(`/workers/${id}?include=credentials&includeDeleted=true`)
      assert.deepStrictEqual(credentialsOf(all), yield* shownOf([kept]))
      assertStatus(yield* remove(`/workers/${id}`), 204)
      assertRefused(yield* withCredentials(id), "NOT_FOUND")
      // A deleted worker keeps its credentials.
      const deleted = yield* get(`/workers/${id}?include=credentials&includeDeleted=true`)
      assert.deepStrictEqual(credentialsOf(deleted), yield* shownOf([kept]))
      assertRefused(yield* withCredentials(idOfNothing(id)), "NOT_FOUND")
    })
  )

  it.effect(
    "WRK-08, WRK-09: a list shows the credentials of each worker, with the usual filters, orders and pages",
    () =>
      Effect.gen(function* () {
        const source = { sourceSystem: "including" }
        const ids = yield* Effect.replicateEffect(worker({ source }), 5)
        const held = yield* Effect.forEach(ids, (id, index) =>
          Effect.replicateEffect(credential({ worker: id }), index % 3)
        )
        const asked = { sourceSystem: "including", include: "credentials" }
        const plain = yield* list("workers", { sourceSystem: "including" })
        const expected = yield* Effect.forEach(dataOf(plain), (document, index) =>
          Effect.map(shownOf(held[index] ?? []), (credentials) => ({ ...Object(document), credentials }))
        )
        const whole = yield* list("workers", { ...asked, includeTotal: "true" })
        assert.deepStrictEqual(dataOf(whole), expected)
        assert.strictEqual(at(whole, "meta.total"), 5)
        assert.isUndefined(at(whole, "meta.warnings"))
        const backwards = yield* list("workers", { ...asked, sort: "createdAt:desc" })
        assert.deepStrictEqual(dataOf(backwards), expected.toReversed())
        const seen = []
        let cursor: unknown
        do {
          const page = yield* list("workers", {
            ...asked,
            pageSize: "2",
            ...(cursor ? { cursor: String(cursor) } : {})
          })
          seen.push(...dataOf(page))
          cursor = at(page, "meta.nextCursor")
        } while (cursor !== null)
        assert.deepStrictEqual(seen, expected)
      })
  )

  it.effect("shows the oldest 100 credentials of a worker, and says where the others are", () =>
    Effect.gen(function* () {
      const source = { sourceSystem: "holding" }
      const [many, few] = [yield* worker({ source }), yield* worker({ source })]
      yield* Effect.replicateEffect(credential({ worker: many }), 100, { concurrency: 16, discard: true })
      yield* credential({ worker: few })
      assert.isUndefined(at(yield* withCredentials(many), "meta.warnings"))
      yield* credential({ worker: many })
      const where = pathOf("credentials", { ownerType: "worker", ownerId: many })
      const oldest = dataOf(yield* get(`${where}&pageSize=100`))
      const read = yield* withCredentials(many)
      assert.deepStrictEqual(credentialsOf(read), oldest)
      const page = yield* list("workers", { sourceSystem: "holding", include: "credentials" })
      assert.deepStrictEqual(Object(dataOf(page)[0]).credentials, oldest)
      for (const answer of [read, page]) {
        assert.lengthOf(Object(at(answer, "meta.warnings")), 1)
        assert.include(String(at(answer, "meta.warnings")), where)
      }
    })
  )

  it.effect("PRV-06, PRV-07: without credential READ it is 403, before any look-up and before the query is read", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const id = yield* worker()
      const { token, urn } = yield* tokenOf(["worker:READ"])
      for (const path of [
        `/workers?include=credentials&nonsense=1`,
        `/workers/${idOfNothing(id)}?include=credentials`,
        `/workers/nonsense?include=credentials`,
        `/workers/${id}?nonsense=1&include=credentials`
      ]) {
        const answer = yield* call({ method: "GET", path: root + path, token })
        assertRefused(answer, "FORBIDDEN", `${urn} is unauthorized to READ credentials.`)
      }
      assertStatus(yield* call({ method: "GET", path: `${root}/workers/${id}`, token }), 200)
    })
  )

  it.effect(
    "ENV-16: a body with included credentials can be sent back: they are ignored with a warning, and unchanged",
    () =>
      Effect.gen(function* () {
        const id = yield* worker()
        const held = yield* credential({ worker: id })
        const before = yield* withCredentials(id)
        const sent = Object(at(before, "data"))
        for (const write of [put, patch]) {
          const answer = yield* write(`/workers/${id}`, { ...sent, credentials: [] })
          assertStatus(answer, 200)
          assert.isUndefined(at(answer, "data.credentials"))
          assertStatus(yield* write(`/workers/${id}`, sent), 200)
        }
        for (const [write, body] of [
          [put, sent],
          [patch, { credentials: sent.credentials }]
        ] as const) {
          const answer = yield* write(`/workers/${id}`, body)
          assert.include(String(at(answer, "meta.warnings")), "credentials")
        }
        const created = yield* post("/workers", { ...sent, credentials: sent.credentials })
        assertStatus(created, 201)
        assert.include(String(at(created, "meta.warnings")), "credentials")
        assert.deepStrictEqual(credentialsOf(yield* withCredentials(textAt(created, "data.id"))), [])
        assert.deepStrictEqual(at(yield* withCredentials(id), "data"), at(before, "data"))
        assert.deepStrictEqual(credentialsOf(yield* withCredentials(id)), yield* shownOf([held]))
      })
  )
})
