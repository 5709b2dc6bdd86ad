import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { ban, credential, exemption, fetchRequest, Service, textAt, tokenOf, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import * as Row from "../Row.ts"

const merge = (worker: string, from: string) => ({ call: `POST /workers/${worker}/merge`, body: { from } })

layer(layerService(), { excludeTestServices: true })("merging two workers", (it) => {
  it.effect("threat 66: needs UPDATE of workers and of all that can move, also if nothing does", () =>
    Effect.gen(function* () {
      const [ann, anne] = [yield* worker(), yield* worker()]
      const all = ["worker:UPDATE", "credential:UPDATE", "exemption:UPDATE", "captureRequest:UPDATE"] as const
      const plurals = ["workers", "credentials", "exemptions", "fetch requests"]
      for (const [index, missing] of all.entries()) {
        const { token } = yield* tokenOf(all.filter((name) => name !== missing))
        yield* Row.run([{ ...merge(ann, anne), as: token, expect: `FORBIDDEN: UPDATE ${plurals[index]}` }])
      }
      const { token } = yield* tokenOf(["worker:READ"])
      yield* Row.run([
        { call: `POST /merges/mrg_0000000000000000/undo`, as: token, expect: "FORBIDDEN: UPDATE workers" },
        { call: "POST /duplicates/dismiss", as: token, body: { workers: [ann, anne] }, expect: "FORBIDDEN" },
        { call: "GET /merges", as: token, expect: 200 },
        { call: `GET /workers/${anne}`, expect: 200 }
      ])
    })
  )

  it.effect("leaves a worker that is deleted for every caller, whose 404 names the other one, until the undo", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const source = { externalId: "merged-hr-1" }
      const [ann, anne] = [yield* worker({ source }), yield* worker({ source })]
      const card = yield* credential({ worker: anne })
      const exempt = yield* exemption({ worker: { id: anne } })
      const asked = yield* fetchRequest({ id: anne }, { requestedCredentialTypes: ["AHPRA_REGISTRATION"] })
      const named = `NOT_FOUND: ${anne} was merged into ${ann}`
      const link = { type: "worker", id: anne }
      yield* Row.run([
        {
          call: "GET /duplicates?reason=EXTERNAL_ID",
          expect: { "data.0.reasons": ["EXTERNAL_ID"], "data.1": undefined }
        },
        { ...merge(ann, ann), expect: "INVALID_ARGUMENT: from" },
        { ...merge(ann, "wkr_0000000000000000"), expect: "UNPROCESSABLE: from" },
        { ...merge(ann, anne), expect: { "data.status": "MERGED", "data.worker.id": ann, "data.moved.credential": 1 } },
        { call: "GET /duplicates?reason=EXTERNAL_ID", expect: { data: [] } },
        { call: `GET /workers/${anne}`, expect: named },
        { call: `PATCH /workers/${anne}`, body: { identity: { firstName: "Anne" } }, expect: named },
        { call: `POST /workers/${anne}/restore`, expect: named },
        { ...merge(anne, ann), expect: named },
        { call: `DELETE /workers/${anne}`, expect: 204 },
        { call: `GET /workers/${anne}?includeDeleted=true`, expect: { "data.mergedInto.id": ann } },
        { call: "GET /workers?externalId=merged-hr-1", expect: { "data.0.id": ann, "data.1": undefined } },
        { call: `GET /credentials/${card}`, expect: { "data.attributes.owners.worker": ann } },
        { call: `GET /exemptions/${exempt}`, expect: { "data.worker.id": ann } },
        { call: `GET /fetch-requests/${asked}`, expect: { "data.worker.id": ann } },
        { call: `POST /credentials/${card}/link`, body: link, expect: "ALREADY_LINKED" },
        { call: `GET /audit-events?entityId=${ann}&action=merge`, expect: { "data.0.otherWorker.id": anne } },
        { call: `GET /audit-events?entityId=${card}&action=merge`, expect: { "data.0.otherWorker": undefined } }
      ])
      const reader = yield* tokenOf(["worker:READ", "credential:READ"])
      yield* Row.run([
        {
          ...{ call: `GET /merges?fromId=${anne}`, as: reader.token },
          expect: { "data.0.moved": { credential: 1, exemption: null, ban: null, captureRequest: null } }
        }
      ])
      const merges = yield* call({ method: "GET", path: `/openapi/v1/merges?fromId=${anne}` })
      const undo = `POST /merges/${textAt(merges, "data.0.id")}/undo`
      const other = yield* worker()
      const owner = (id: string) => ({ type: "worker", id })
      yield* Row.run([
        { call: `POST /credentials/${card}/transfer`, body: { from: owner(ann), to: owner(other) }, expect: 200 },
        { call: undo, expect: `UNPROCESSABLE: ${card}` },
        { call: `POST /credentials/${card}/transfer`, body: { from: owner(other), to: owner(ann) }, expect: 200 },
        { call: undo, expect: { "data.status": "UNDONE" } },
        { call: undo, expect: { "data.status": "UNDONE" } },
        { call: `GET /workers/${anne}`, expect: { "data.mergedInto": undefined } },
        { call: `GET /credentials/${card}`, expect: { "data.attributes.owners.worker": anne } },
        { call: "POST /duplicates/dismiss", body: { workers: [ann, anne] }, expect: 200 },
        { call: "GET /duplicates?reason=EXTERNAL_ID", expect: { data: [] } }
      ])
    })
  )

  it.effect("threat 66: takes later records of a register about the other worker to the one that stays", () =>
    Effect.gen(function* () {
      const source = { externalId: "merged-hr-2" }
      const [ann, anne] = [yield* worker(), yield* worker({ source })]
      const clear = { register: "merged", key: "1", eligibility: "MAY_ENGAGE" }
      const id = yield* ban(anne, clear)
      const expect = { "data.worker.id": ann, "data.eligibility": "MAY_ENGAGE" }
      yield* Row.run([{ ...merge(ann, anne), expect: 200 }])
      yield* ban(anne, clear)
      yield* Row.run([{ call: `GET /bans/${id}`, expect }])
      yield* ban(anne, { ...clear, eligibility: "MAY_NOT_ENGAGE" })
      yield* Row.run([{ call: `GET /bans/${id}`, expect: { ...expect, "data.eligibility": "MAY_NOT_ENGAGE" } }])
      yield* ban(anne, { ...clear, key: "2", worker: source })
      const exempt = { exemptionType: "MEDICAL", worker: source }
      yield* Row.run([
        { call: "GET /bans/urn:wcs:ban:merged:2", expect },
        { call: "POST /exemptions", body: exempt, expect: { "data.worker.id": ann } }
      ])
    })
  )
})
