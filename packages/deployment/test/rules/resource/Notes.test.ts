import { assert, layer } from "@effect/vitest"
import { accountIdOf } from "@wcs/domain/access/Account"
import { Effect } from "effect"
import { applicant, at, Service, textAt, tokenOf, unit, worker } from "../../Service.ts"
import { layerService, raisedLimits } from "../../TestService.ts"
import * as Row from "../Row.ts"

const write = (about: string, body: object = {}, token?: string) =>
  Service.use(({ call }) =>
    call({
      ...{ method: "POST", path: "/openapi/v1/notes", body: { about, text: "Card comes Monday.\nAsk Bo.", ...body } },
      ...(token === undefined ? {} : { token })
    })
  )

const idOf = (urn: string) => accountIdOf(urn)

layer(layerService(raisedLimits), { excludeTestServices: true })("a note", (it) => {
  it.effect("is written, listed and deleted by its author, and never changed", () =>
    Effect.gen(function* () {
      const ann = yield* worker()
      const { token, urn } = yield* tokenOf("Data Manager")
      const viewer = yield* tokenOf("Viewer")
      const admin = yield* tokenOf("Admin")
      const written = yield* write(ann, {}, token)
      assert.strictEqual(written.status, 200, written.text)
      const id = textAt(written, "data.id")
      assert.deepInclude(at(written, "data"), { about: ann, account: urn, mentions: [] })
      yield* Row.run([
        { call: `GET /notes?about=${ann}`, as: viewer.token, expect: { data: [at(written, "data")] } },
        { call: `PUT /notes/${id}`, as: token, body: { text: "other" }, expect: "METHOD_NOT_ALLOWED" },
        { call: `DELETE /notes/${id}`, as: admin.token, expect: "FORBIDDEN: wrote" },
        { call: `DELETE /notes/${id}`, as: viewer.token, expect: "FORBIDDEN: wrote" },
        { call: `DELETE /notes/${id}`, as: token, expect: 204 },
        { call: `DELETE /notes/${id}`, as: token, expect: "NOT_FOUND" },
        { call: `GET /notes?about=${ann}`, expect: { data: [] } }
      ])
      const again = textAt(yield* write(ann, {}, token), "data.id")
      yield* Row.run([{ call: `DELETE /notes/${again}`, expect: 204 }]) // the Super Admin
      const log = yield* Service.use(({ call }) =>
        call({ method: "GET", path: `/openapi/v1/audit-events?entityId=${id}&include=changes` })
      )
      assert.lengthOf(at(log, "data") as ReadonlyArray<unknown>, 2)
      assert.notInclude(log.text, "Card comes")
    })
  )

  it.effect("is on pages by the usual cursor, which another list refuses", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const [ann, bo] = [yield* worker(), yield* worker()]
      const written = yield* Effect.forEach([1, 2, 3], () =>
        Effect.map(write(ann), (answer) => textAt(answer, "data.id"))
      )
      const path = `/openapi/v1/notes?about=${ann}&pageSize=2`
      const first = yield* call({ method: "GET", path })
      const cursor = encodeURIComponent(textAt(first, "meta.nextCursor"))
      const rest = yield* call({ method: "GET", path: `${path}&cursor=${cursor}` })
      const shown = [first, rest].flatMap((answer) => at(answer, "data") as ReadonlyArray<{ readonly id: string }>)
      assert.deepStrictEqual(
        shown.map(({ id }) => id),
        written.toReversed()
      )
      yield* write(bo)
      yield* Row.run([
        { call: `GET /notes?about=${ann}&includeTotal=true`, expect: { "meta.total": 3 } },
        { call: `GET /audit-events?cursor=${cursor}`, expect: "INVALID_ARGUMENT: cursor" }
      ])
    })
  )

  it.effect("threat 96: needs the privileges of its record, and reaches nobody outside the units of its reader", () =>
    Effect.gen(function* () {
      const [inner, outer] = [yield* unit(), yield* unit()]
      const [ann, bo] = [yield* worker({ unit: { id: inner } }), yield* applicant({ unit: { id: outer } })]
      const limited = yield* tokenOf({ role: "Data Manager", units: [inner] })
      const viewer = yield* tokenOf("Viewer")
      const other = yield* tokenOf(["credential:READ"])
      const note = textAt(yield* write(bo), "data.id")
      yield* Row.run([
        { call: `GET /notes?about=${ann}`, as: limited.token, expect: 200 },
        { call: `GET /notes?about=${bo}`, as: limited.token, expect: "NOT_FOUND" },
        { call: `DELETE /notes/${note}`, as: limited.token, expect: "NOT_FOUND" },
        { call: `GET /caretakers/${bo}`, as: limited.token, expect: "NOT_FOUND" },
        { call: `GET /notes?about=${ann}`, as: other.token, expect: "FORBIDDEN" },
        { call: `GET /caretakers/${ann}`, as: other.token, expect: "FORBIDDEN" },
        { call: `PUT /caretakers/${ann}`, as: viewer.token, body: { caretaker: null }, expect: "FORBIDDEN" },
        { call: "GET /notes", expect: "INVALID_ARGUMENT: about" },
        { call: `GET /notes?about=wkr_0000000000000000`, expect: "NOT_FOUND" }
      ])
      assert.strictEqual((yield* write(bo, {}, limited.token)).status, 404)
      assert.strictEqual((yield* write(ann, {}, viewer.token)).status, 403)
      assert.strictEqual((yield* write(ann, {}, limited.token)).status, 200)
    })
  )

  it.effect("threat 96: mentions active users who may read the person, and shows them while they may", () =>
    Effect.gen(function* () {
      const [inner, outer] = [yield* unit(), yield* unit()]
      const ann = yield* worker({ unit: { id: inner } })
      const [reader, outside] = [
        yield* tokenOf({ role: "Viewer", units: [inner] }),
        yield* tokenOf({ role: "Viewer", units: [outer] })
      ]
      const without = yield* tokenOf(["credential:READ"])
      for (const { urn } of [outside, without]) {
        const refused = yield* write(ann, { mentions: [idOf(reader.urn), idOf(urn)] })
        assert.strictEqual(refused.status, 422, refused.text)
        assert.include(textAt(refused, "error.message"), "mentions.1")
      }
      const note = textAt(yield* write(ann, { mentions: [idOf(reader.urn), idOf(reader.urn)] }), "data.id")
      yield* Row.run([
        { call: "GET /me/mentions", as: reader.token, expect: { "data.0.id": note, "data.1": undefined } },
        { call: "GET /me/mentions", as: outside.token, expect: { data: [], "meta.nextCursor": null } },
        { call: `PATCH /workers/${ann}`, body: { unit: { id: outer } }, expect: 200 },
        { call: "GET /me/mentions", as: reader.token, expect: { data: [], "meta.nextCursor": null } }
      ])
    })
  )

  it.effect("threat 96: is on pages of the mentions of a user, which count those that the user may not read", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const [ann, bo] = [yield* worker(), yield* worker()]
      const { token, urn } = yield* tokenOf("Viewer")
      const mention = (about: string) =>
        Effect.map(write(about, { mentions: [idOf(urn)] }), (answer) => textAt(answer, "data.id"))
      const [one, _hidden, two, three] = [
        yield* mention(ann),
        yield* mention(bo),
        yield* mention(ann),
        yield* mention(ann)
      ]
      yield* Row.run([{ call: `DELETE /workers/${bo}`, expect: 204 }])
      const pages: Array<ReadonlyArray<unknown>> = []
      let cursor: unknown = ""
      let foreign = ""
      while (cursor !== null) {
        const after = cursor === "" ? "" : `&cursor=${encodeURIComponent(String(cursor))}`
        const answer = yield* call({ method: "GET", path: `/openapi/v1/me/mentions?pageSize=1${after}`, token })
        pages.push((at(answer, "data") as ReadonlyArray<{ readonly id: string }>).map(({ id }) => id))
        foreign = after
        cursor = at(answer, "meta.nextCursor")
      }
      assert.deepStrictEqual(pages, [[three], [two], [], [one]])
      yield* Row.run([
        { call: `GET /notes?about=${ann}${foreign}`, as: token, expect: "INVALID_ARGUMENT: cursor" },
        { call: "GET /me/mentions?pageSize=0", as: token, expect: "INVALID_ARGUMENT: pageSize" },
        { call: "GET /me/mentions?sort=createdAt:asc", as: token, expect: "INVALID_ARGUMENT: sort" }
      ])
    })
  )

  it.effect("stays with the person after a merge and its undo, and goes with the erasure", () =>
    Effect.gen(function* () {
      const { call, session } = yield* Service
      const [ann, anne] = [yield* worker(), yield* worker()]
      const [one, two] = [textAt(yield* write(ann), "data.id"), textAt(yield* write(anne), "data.id")]
      const [merged] = yield* Row.run([{ call: `POST /workers/${ann}/merge`, body: { from: anne }, expect: 200 }])
      yield* Row.run([
        { call: `GET /notes?about=${ann}`, expect: { "data.0.id": two, "data.1.id": one } },
        { call: `POST /merges/${textAt(merged, "data.id")}/undo`, expect: 200 },
        { call: `GET /notes?about=${ann}`, expect: { "data.0.id": one, "data.1": undefined } },
        { call: `GET /notes?about=${anne}`, expect: { "data.0.id": two } }
      ])
      const { headers } = yield* session(idOf((yield* tokenOf("Super Admin")).urn), 0)
      yield* Row.run([
        { call: `POST /workers/${ann}/erase`, as: null, headers, body: { reason: "OTHER" }, expect: 200 },
        { call: `GET /notes?about=${ann}`, expect: "NOT_FOUND" },
        { call: `DELETE /notes/${one}`, expect: "NOT_FOUND" }
      ])
      assert.notInclude((yield* call({ method: "GET", path: "/openapi/v1/me/mentions" })).text, one)
    })
  )

  it.effect("has a user who looks after the person, if the user may read the person", () =>
    Effect.gen(function* () {
      const ann = yield* worker()
      const user = yield* tokenOf("Data Manager")
      const without = yield* tokenOf(["credential:READ"])
      const caretaker = { id: idOf(user.urn) }
      yield* Row.run([
        { call: `GET /caretakers/${ann}`, expect: { "data.caretaker": null } },
        { call: `PUT /caretakers/${ann}`, body: { caretaker }, expect: { "data.caretaker": caretaker } },
        { call: `GET /caretakers/${ann}`, as: user.token, expect: { "data.caretaker": caretaker } },
        {
          call: `PUT /caretakers/${ann}`,
          body: { caretaker: { id: idOf(without.urn) } },
          expect: "UNPROCESSABLE: caretaker.id"
        },
        { call: `PUT /caretakers/${ann}`, body: { caretaker: null }, expect: { "data.caretaker": null } },
        { call: "GET /caretakers/tsk_0000000000000000", expect: "INVALID_ARGUMENT: id" }
      ])
    })
  )
})
