import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { applicant, at, credential, Service, tokenOf, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertRefused, assertStatus, dataOf, get, idOfNothing, patch, post, remove, root } from "../NewerSurface.ts"
import { walk } from "../resource/Listing.ts"

const historyOf = Effect.fnUntraced(function* (id: string, query = "?pageSize=100") {
  const answer = yield* get(`/credentials/${id}/ownership${query}`)
  assertStatus(answer, 200)
  return dataOf(answer).map(Object)
})

layer(layerService(), { excludeTestServices: true })("the ownership history of a credential", (it) => {
  it.effect("has each change with its actor and the owners before and after, newest first", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const user = yield* tokenOf("Data Manager")
      const [w1, w2, a1] = [yield* worker(), yield* worker(), yield* applicant()]
      const [one, two, app] = [
        { type: "worker", id: w1 },
        { type: "worker", id: w2 },
        { type: "applicant", id: a1 }
      ]
      const id = yield* credential({ worker: w1 })
      const linked = yield* call({
        method: "POST",
        path: `${root}/credentials/${id}/link`,
        token: user.token,
        body: app
      })
      assertStatus(linked, 200)
      for (const [path, body] of [
        [`/${id}/transfer`, { from: one, to: two }],
        [`/${id}/unlink`, two],
        ["/transfer", { from: app, to: one, credentialIds: [id] }],
        ["/link", { to: app, credentialIds: [id] }]
      ] as const) {
        assertStatus(yield* post(`/credentials${path}`, body), 200)
      }
      const history = yield* historyOf(id)
      const slots = [
        ["create", null, null],
        ["link", w1, null],
        ["transfer", w1, a1],
        ["unlink", w2, a1],
        ["bulk transfer", null, a1],
        ["bulk link", w1, null]
      ]
      assert.deepStrictEqual(
        history.toReversed().map(({ action, before }) => [action, before.worker, before.applicant]),
        slots
      )
      assert.deepStrictEqual(history[0].after, { worker: w1, applicant: a1 })
      const link = history.at(-2)
      assert.deepStrictEqual(link, {
        id: link.id,
        type: "ownershipChange",
        action: "link",
        account: user.urn,
        bearer: "personal",
        requestId: linked.headers["x-request-id"],
        createdAt: at(linked, "data.updatedAt"),
        before: { worker: w1, applicant: null },
        after: { worker: w1, applicant: a1 }
      })
      const events = yield* get(`/audit-events?entityId=${id}&pageSize=100`)
      assert.deepStrictEqual(
        history.map((change) => change.id),
        dataOf(events).map((event) => Object(event).id)
      )
      for (const event of dataOf(events)) assert.notProperty(event, "ownership")
    })
  )

  it.effect("omits updates, refused calls and calls that change nothing", () =>
    Effect.gen(function* () {
      const owner = yield* worker()
      const id = yield* credential({ worker: owner })
      assertStatus(yield* patch(`/credentials/${id}`, { attributes: { category: "Gold" } }), 200)
      assertStatus(yield* post(`/credentials/${id}/link`, { type: "worker", id: owner }), 200)
      assertRefused(yield* post(`/credentials/${id}/unlink`, { type: "worker", id: owner }), "UNPROCESSABLE")
      const other = { type: "worker", id: yield* worker() }
      assertRefused(yield* post(`/credentials/${id}/link`, other), "ALREADY_LINKED")
      assert.deepStrictEqual(
        (yield* historyOf(id)).map(({ action }) => action),
        ["create"]
      )
    })
  )

  it.effect("is paged by cursor, and survives the credential", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* worker(), yield* worker()]
      const id = yield* credential({ worker: one })
      for (const [from, to] of [
        [one, two],
        [two, one],
        [one, two]
      ]) {
        const body = { from: { type: "worker", id: from }, to: { type: "worker", id: to } }
        assertStatus(yield* post(`/credentials/${id}/transfer`, body), 200)
      }
      const all = (yield* historyOf(id)).map((change) => change.id)
      const pages = yield* walk(`credentials/${id}/ownership`, { pageSize: "3" })
      assert.deepStrictEqual(pages, [all.slice(0, 3), all.slice(3)])
      const counted = yield* get(`/credentials/${id}/ownership?includeTotal=true&pageSize=1`)
      assert.strictEqual(at(counted, "meta.total"), 4)
      assertStatus(yield* remove(`/credentials/${id}`), 204)
      assert.lengthOf(yield* historyOf(id), 4)
      const foreign = textOf(at(yield* get(`/credentials/${id}/verifications?pageSize=1`), "meta.nextCursor"))
      assertRefused(yield* get(`/credentials/${id}/ownership?cursor=${foreign}`), "INVALID_ARGUMENT", "cursor")
      assertRefused(yield* get(`/credentials/${id}/ownership?action=link`), "INVALID_ARGUMENT", "action")
      assertRefused(yield* get(`/credentials/${idOfNothing(id)}/ownership`), "NOT_FOUND")
      assertRefused(yield* get("/credentials/nonsense/ownership"), "INVALID_ARGUMENT", "id")
    })
  )
})

const textOf = (value: unknown): string => (typeof value === "string" ? value : "bm8")
