import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { applicant, at, credential, ownersOf, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { dataOf, idOfNothing } from "../NewerSurface.ts"
import * as Row from "../Row.ts"

/** `{ type, id }` (§2.2). */
const ref = (id: string) => ({ type: id.startsWith("wkr_") ? "worker" : "applicant", id })

const owners = "data.attributes.owners"

layer(layerService(), { excludeTestServices: true })("ownership", (it) => {
  it.effect("link, unlink and transfer return the credential as GET shows it, for each form of body", () =>
    Effect.gen(function* () {
      const [one, two, app] = [yield* worker(), yield* worker(), yield* applicant()]
      const path = `/credentials/${yield* credential({ worker: one })}`
      for (const [operation, body, left] of [
        ["link", ref(app), { worker: one, applicant: app }],
        ["unlink", { from: ref(app) }, { worker: one, applicant: null }],
        ["link", { to: ref(app) }, { worker: one, applicant: app }],
        ["unlink", ref(app), { worker: one, applicant: null }],
        ["transfer", { from: ref(one), to: ref(two) }, { worker: two, applicant: null }]
      ] as const) {
        const [done, shown] = yield* Row.run([
          { call: `POST ${path}/${operation}`, body, expect: { [owners]: left } },
          { call: `GET ${path}`, expect: 200 }
        ])
        assert.deepStrictEqual(at(done, "data"), at(shown, "data"))
      }
    })
  )

  it.effect("ENV-02: checks run in order: body, credential, no-op, conflict, owner", () =>
    Effect.gen(function* () {
      const one = yield* worker()
      const id = yield* credential({ worker: one })
      const [nobody, nothing] = [ref(idOfNothing(one)), idOfNothing(id)]
      yield* Row.run([
        { call: `POST /credentials/${nothing}/link`, body: { type: "worker" }, expect: "INVALID_ARGUMENT" },
        { call: `POST /credentials/${nothing}/link`, body: nobody, expect: "NOT_FOUND" },
        { call: `POST /credentials/${id}/transfer`, body: { from: nobody, to: ref(one) }, expect: 200 },
        { call: `POST /credentials/${id}/link`, body: nobody, expect: "ALREADY_LINKED" },
        { call: `POST /credentials/${id}/transfer`, body: { from: ref(one), to: nobody }, expect: "UNPROCESSABLE" }
      ])
    })
  )

  it.effect("BLK-11, SIL-16, SIL-27, threat 21: a bulk link ignores `from` beside ids, and no ids select none", () =>
    Effect.gen(function* () {
      const [one, first, second] = [yield* worker(), yield* applicant(), yield* applicant()]
      const [kept, linked] = [yield* credential({ applicant: first }), yield* credential({ applicant: second })]
      const link = { call: "POST /credentials/link" }
      const none = { data: [], "meta.total": 0, "meta.succeeded": 0, "meta.failed": 0 }
      const [told] = yield* Row.run([
        {
          ...link,
          body: { from: ref(first), to: ref(one), credentialIds: [linked] },
          expect: { "data.0.credentialId": linked, "meta.succeeded": 1, "meta.total": 1, "meta.warnings.length": 1 }
        },
        { ...link, body: { to: ref(one), credentialIds: [linked] }, expect: { "meta.warnings": undefined } },
        { ...link, body: { to: ref(one) }, expect: "INVALID_ARGUMENT: credentialIds" },
        { ...link, body: { from: ref(first), to: ref(one), credentialIds: [] }, expect: none },
        { ...link, body: { to: ref(one), credentialIds: [] }, expect: none }
      ])
      assert.include(String(at(told, "meta.warnings")), "from")
      assert.deepStrictEqual(yield* ownersOf(kept), { worker: null, applicant: first })
      assert.deepStrictEqual(yield* ownersOf(linked), { worker: one, applicant: second })
    })
  )

  it.effect("BLK-09: without ids, 501 found credentials are 422, and 500 are transferred in the order of ids", () =>
    Effect.gen(function* () {
      const [from, to] = [yield* worker(), yield* worker()]
      const ids = yield* Effect.replicateEffect(credential({ worker: from }), 501, { concurrency: 50 })
      const transfer = { call: "POST /credentials/transfer", body: { from: ref(from), to: ref(to) } }
      const [, , done] = yield* Row.run([
        { ...transfer, expect: "UNPROCESSABLE: 500" },
        { call: `DELETE /credentials/${ids[0]}`, expect: 204 },
        { ...transfer, expect: { "meta.succeeded": 500 } }
      ])
      const moved = dataOf(done).map((item) => Object(item).credentialId)
      assert.deepStrictEqual(moved, ids.slice(1).toSorted())
    })
  )
})
