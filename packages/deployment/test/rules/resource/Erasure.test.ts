import { assert, layer } from "@effect/vitest"
import { accountIdOf } from "@wcs/domain/access/Account"
import { Effect } from "effect"
import { applicant, at, ban, credential, exemption, Service, tokenOf, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { dataOf, get, idOfNothing } from "../NewerSurface.ts"
import * as Row from "../Row.ts"

/** A logged-in user of a role. */
const loggedIn = Effect.fnUntraced(function* (role: "Super Admin" | "Admin", secondsAgo = 0) {
  const { session } = yield* Service
  const { urn } = yield* tokenOf(role)
  return { as: null, headers: (yield* session(accountIdOf(urn), secondsAgo)).headers }
})

const body = { reason: "PERSON_ASKED" }

layer(layerService(), { excludeTestServices: true })("erasing a worker", (it) => {
  it.effect("threat 62: needs a Super Admin who has just logged in, and a reason that is a code", () =>
    Effect.gen(function* () {
      const id = yield* worker()
      const call = `POST /workers/${id}/erase`
      const [admin, long, fresh] = [
        yield* loggedIn("Admin"),
        yield* loggedIn("Super Admin", 16 * 60),
        yield* loggedIn("Super Admin")
      ]
      yield* Row.run([
        { call, ...admin, body, expect: "FORBIDDEN: CREATE erasures" },
        { call: "GET /erasures", ...admin, expect: "FORBIDDEN: READ erasures" },
        { call, body, expect: "UNPROCESSABLE" },
        { call, ...long, body, expect: 401 },
        { call, ...fresh, expect: "BAD_REQUEST" },
        { call, ...fresh, body: {}, expect: "INVALID_ARGUMENT: reason" },
        { call, ...fresh, body: { reason: "Ann Example asked" }, expect: "INVALID_ARGUMENT: reason" },
        { call: `POST /workers/${idOfNothing(id)}/erase`, ...fresh, body, expect: "NOT_FOUND" },
        { call: "POST /workers/nonsense/erase", ...fresh, body, expect: "INVALID_ARGUMENT: id" },
        { call: `GET /workers/${id}`, expect: 200 }
      ])
    })
  )

  it.effect("cannot be undone: every later call finds no worker and no card, and audit, ids and verdicts stay", () =>
    Effect.gen(function* () {
      const by = yield* loggedIn("Super Admin")
      const source = { externalId: "erased Ann" }
      const id = yield* worker({ identity: { displayName: "Plantedname Example" }, source })
      const [other, same] = [yield* worker(), yield* applicant()]
      const card = yield* credential({ worker: id, applicant: same })
      const exempt = yield* exemption({ worker: { id } })
      const record = yield* ban(id)
      const erased = { "data.id": id, "data.type": "erasure", "data.status": "ERASED", "data.reason": "PERSON_ASKED" }
      const link = { type: "worker", id }
      const attributes = { credentialType: "FIRST_AID", owners: { worker: id } }
      yield* Row.run([
        { call: `POST /workers/${id}/erase`, ...by, body, expect: erased },
        { call: `POST /workers/${id}/erase`, ...by, body: { reason: "OTHER" }, expect: erased },
        { call: "GET /erasures?pageSize=1", expect: { "data.0.id": id } },
        { call: "GET /erasures?pageSize=1&status=ERASING", expect: { data: [] } },
        ...[`/workers/${id}`, `/applicants/${same}`, `/credentials/${card}`, `/exemptions/${exempt}`].flatMap(
          (path) => [
            { call: `GET ${path}`, expect: "NOT_FOUND" },
            { call: `PATCH ${path}`, body: {}, expect: "NOT_FOUND" }
          ]
        ),
        ...[`/workers/${id}`, `/applicants/${same}`, `/credentials/${card}`].map((path) => ({
          call: `POST ${path}/restore`,
          expect: "NOT_FOUND"
        })),
        { call: `POST /credentials/${card}/link`, body: { type: "worker", id: other }, expect: "NOT_FOUND" },
        {
          call: `POST /credentials/${yield* credential({ applicant: yield* applicant() })}/link`,
          body: link,
          expect: "UNPROCESSABLE"
        },
        { call: "POST /credentials", body: { attributes }, expect: "UNPROCESSABLE" },
        { call: "POST /exemptions", body: { exemptionType: "MEDICAL", worker: { id } }, expect: "UNPROCESSABLE" },
        { call: "GET /workers?externalId=erased%20Ann&includeDeleted=true", expect: { data: [] } },
        { call: "GET /workers?query=plantedname&includeDeleted=true", expect: { data: [] } },
        {
          call: `GET /workers/${id}?includeDeleted=true`,
          expect: { "data.identity": { displayName: "(erased)" }, "data.source": undefined }
        },
        {
          call: `GET /credentials/${card}?includeDeleted=true`,
          expect: { "data.attributes.owners": { worker: id, applicant: same }, "data.attributes.identifier": undefined }
        },
        { call: `GET /bans/${record}?includeDeleted=true`, expect: { "data.matches": [] } }
      ])
      const document = yield* get(`/workers/${id}?includeDeleted=true`)
      assert.strictEqual(at(document, "data.erasedAt"), at(document, "data.deletedAt"))
      const entries = yield* get(`/audit-events?entityId=${id}&pageSize=100`)
      assert.deepStrictEqual(
        dataOf(entries)
          .map(Object)
          .map(({ action }) => action),
        ["erase", "create"]
      )
    })
  )

  it.effect("also erases a worker that was deleted long ago", () =>
    Effect.gen(function* () {
      const by = yield* loggedIn("Super Admin")
      const id = yield* worker()
      yield* Row.run([
        { call: `DELETE /workers/${id}`, expect: 204 },
        { call: `POST /workers/${id}/erase`, ...by, body, expect: { "data.status": "ERASED" } },
        { call: `POST /workers/${id}/restore`, expect: "NOT_FOUND" }
      ])
    })
  )
})
