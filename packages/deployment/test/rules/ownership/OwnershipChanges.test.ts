import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { applicant, at, credential, tokenOf, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { dataOf, get, idOfNothing } from "../NewerSurface.ts"
import * as Row from "../Row.ts"
import { list, walk } from "../resource/Listing.ts"

const historyOf = (id: string) =>
  Effect.map(list(`credentials/${id}/ownership`, { pageSize: "100" }), (answer) => dataOf(answer).map(Object))

layer(layerService(), { excludeTestServices: true })("the ownership history of a credential", (it) => {
  it.effect("has each change with its actor and the owners before and after, newest first", () =>
    Effect.gen(function* () {
      const user = yield* tokenOf("Data Manager")
      const [w1, w2, a1] = [yield* worker(), yield* worker(), yield* applicant()]
      const [one, two, app] = [
        { type: "worker", id: w1 },
        { type: "worker", id: w2 },
        { type: "applicant", id: a1 }
      ]
      const id = yield* credential({ worker: w1 })
      const [linked] = yield* Row.run([
        { call: `POST /credentials/${id}/link`, as: user.token, body: app, expect: 200 },
        { call: `POST /credentials/${id}/transfer`, body: { from: one, to: two }, expect: 200 },
        { call: `POST /credentials/${id}/unlink`, body: two, expect: 200 },
        { call: "POST /credentials/transfer", body: { from: app, to: one, credentialIds: [id] }, expect: 200 },
        { call: "POST /credentials/link", body: { to: app, credentialIds: [id] }, expect: 200 }
      ])
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

  it.effect("has only changes of owners, is paged by cursor, and survives the credential", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* worker(), yield* worker()]
      const id = yield* credential({ worker: one })
      const [path, worker2] = [`/credentials/${id}`, { type: "worker", id: two }]
      yield* Row.run([
        { call: `PATCH ${path}`, body: { attributes: { category: "Gold" } }, expect: 200 },
        { call: `POST ${path}/link`, body: { type: "worker", id: one }, expect: 200 },
        { call: `POST ${path}/link`, body: worker2, expect: "ALREADY_LINKED" },
        { call: `POST ${path}/transfer`, body: { from: { type: "worker", id: one }, to: worker2 }, expect: 200 }
      ])
      const [transfer, create, ...others] = yield* historyOf(id)
      assert.deepStrictEqual([transfer.action, create.action, others], ["transfer", "create", []])
      const pages = yield* walk(`credentials/${id}/ownership`, { pageSize: "1" })
      assert.deepStrictEqual(pages, [[transfer.id], [create.id]])
      yield* Row.run([
        { call: `GET ${path}/ownership?includeTotal=true`, expect: { "meta.total": 2 } },
        { call: `GET ${path}/ownership?cursor=bm8`, expect: "INVALID_ARGUMENT: cursor" },
        { call: `GET ${path}/ownership?action=link`, expect: "INVALID_ARGUMENT: action" },
        { call: `GET /credentials/${idOfNothing(id)}/ownership`, expect: "NOT_FOUND" },
        { call: "GET /credentials/nonsense/ownership", expect: "INVALID_ARGUMENT: id" },
        { call: `DELETE ${path}`, expect: 204 }
      ])
      assert.deepStrictEqual(yield* historyOf(id), [transfer, create])
    })
  )
})
