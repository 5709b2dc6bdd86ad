import { assert, layer } from "@effect/vitest"
import { accountIdOf } from "@wcs/domain/access/Account"
import { dayAt, defaultTimeZone } from "@wcs/domain/shared/CalendarDay"
import { Effect } from "effect"
import { applicant, at, Service, tokenOf, verificationSourceFields, verified, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { dataOf, idsOf } from "../NewerSurface.ts"
import * as Row from "../Row.ts"

/** A worker with a card that lacks details, and the task about it. */
const lacking = Effect.gen(function* () {
  const { call } = yield* Service
  const holder = yield* worker()
  const card = yield* verified(
    { worker: holder },
    { credentialType: "WWCC_NSW", identifier: "WWC1234567E" },
    "DETAILS_MISSING"
  )
  const read = call({ method: "GET", path: `/openapi/v1/tasks?workerId=${holder}` })
  const page = yield* Effect.repeat(read, { until: (answer) => at(answer, "data.0.id") !== undefined })
  assert.deepStrictEqual(idsOf(page), [`tsk_${card.slice("cred_".length)}`])
  return { holder, card, task: idsOf(page)[0] ?? "" }
})

layer(layerService(), { excludeTestServices: true })("tasks", (it) => {
  it.effect("are one queue, filtered by reason, worker and owner, and end with a decision at once", () =>
    Effect.gen(function* () {
      const { card, holder, task } = yield* lacking
      const user = accountIdOf((yield* tokenOf("Viewer")).urn)
      const endsOn = dayAt(yield* Effect.flatMap(Service, ({ now }) => now), defaultTimeZone)
      const shown = {
        "data.0.id": task,
        "data.0.reason": "DETAILS_MISSING",
        "data.0.worker": { id: holder, displayName: "Ann Example" },
        "data.0.credential": { id: card, credentialType: "WWCC_NSW" }
      }
      const mine = `GET /tasks?assigneeId=${user}&reason=DETAILS_MISSING`
      const [, , , , , file] = yield* Row.run([
        { call: `GET /tasks?workerId=${holder}&reason=CONDITIONAL`, expect: { "data.0": undefined } },
        { call: mine, expect: { "data.0": undefined } },
        { call: `GET /tasks?workerId=${holder}`, expect: { ...shown, "data.0.assignee": null } },
        {
          call: `POST /tasks/${task}/assign`,
          body: { assignee: { id: user } },
          expect: { "data.id": task, "data.assignee": { id: user }, "data.worker.id": holder }
        },
        { call: mine, expect: { ...shown, "data.0.assignee": { id: user }, "data.1": undefined } },
        { call: mine, headers: { accept: "text/csv" }, expect: 200 },
        { call: `POST /tasks/${task}/assign`, body: { assignee: { id: user }, previous: null }, expect: 200 },
        // Another officer saw the task when nobody owned it.
        { call: `POST /tasks/${task}/assign`, body: { assignee: null, previous: null }, expect: "UNPROCESSABLE" },
        {
          call: `POST /credentials/${card}/decisions`,
          body: { outcome: "MAY_NOT_ENGAGE", reason: "asked twice", endsOn },
          expect: 200
        },
        { call: `GET /tasks?workerId=${holder}`, expect: { "data.0": undefined } },
        { call: `POST /tasks/${task}/assign`, body: { assignee: null }, expect: "NOT_FOUND" }
      ])
      assert.include(file?.text, `${task},DETAILS_MISSING,`)
      assert.include(file?.text, user)
      const [entries] = yield* Row.run([{ call: `GET /audit-events?entityId=${task}`, expect: 200 }])
      assert.deepStrictEqual(
        dataOf(entries).map((entry) => Object(entry).action),
        ["assign"]
      )
    })
  )

  it.effect("are also about cards that only an applicant owns, until the applicant withdraws", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const id = yield* applicant({ displayName: undefined, emailAddress: "ann@example.org" })
      const card = yield* verified(
        { applicant: id },
        { credentialType: "WWCC_NSW", identifier: "WWC1234567E" },
        "DETAILS_MISSING"
      )
      const asked = `/tasks?applicantId=${id}`
      const read = call({ method: "GET", path: `/openapi/v1${asked}` })
      yield* Effect.repeat(read, { until: (answer) => at(answer, "data.0.id") !== undefined })
      const withoutApplicants = yield* tokenOf(["task:READ", "credential:READ", "worker:READ", "ban:READ"])
      const reads = ["task:READ", "credential:READ", "worker:READ", "ban:READ", "applicant:READ"] as const
      const withoutSources = yield* tokenOf(reads)
      const shown = {
        "data.0.worker": undefined,
        "data.0.applicant": { id, displayName: "ann@example.org" },
        "data.0.credential": { id: card, credentialType: "WWCC_NSW" },
        "data.1": undefined
      }
      const user = accountIdOf((yield* tokenOf("Viewer")).urn)
      const assign = `POST /tasks/tsk_${card.slice("cred_".length)}/assign`
      yield* Row.run([
        { call: `GET ${asked}`, expect: shown },
        { call: `GET ${asked}`, as: withoutSources.token, expect: shown },
        { call: `GET ${asked}`, as: withoutApplicants.token, expect: { "data.0": undefined } },
        {
          call: assign,
          as: (yield* tokenOf(["task:UPDATE", "task:READ"])).token,
          body: { assignee: null },
          expect: "NOT_FOUND"
        },
        { call: assign, body: { assignee: { id: user } }, expect: { "data.applicant.id": id } },
        { call: `PATCH /applicants/${id}`, body: { status: "WITHDRAWN" }, expect: 200 },
        { call: `GET ${asked}`, expect: { "data.0": undefined } },
        { call: assign, body: { assignee: null }, expect: "NOT_FOUND" }
      ])
    })
  )

  it.effect("show what the caller may read only, and are assigned to active users", () =>
    Effect.gen(function* () {
      const { task } = yield* lacking
      const call = `POST /tasks/${task}/assign`
      const cards = ["task:READ", "task:UPDATE", "credential:READ", "worker:READ", "ban:READ"] as const
      const ofCards = (yield* tokenOf(cards)).token
      const ofSources = (yield* tokenOf(["task:READ", "task:UPDATE", "verificationSource:READ"])).token
      const ofTasks = (yield* tokenOf(["task:READ"])).token
      const ofNone = (yield* tokenOf(["credential:READ", "worker:READ", "verificationSource:READ"])).token
      const { token: viewer } = yield* tokenOf("Viewer")
      const body = { assignee: { id: "acc_0000000000000000" } }
      yield* Row.run([
        { call: "POST /verification-sources", body: { ...verificationSourceFields, secret: undefined }, expect: 201 },
        ...["DETAILS_MISSING", "SOURCE_FAILED"].flatMap((reason) => [
          { call: `GET /tasks?reason=${reason}&pageSize=1`, expect: { "data.0.reason": reason } },
          { call: `GET /tasks?reason=${reason}`, as: ofTasks, expect: { "data.0": undefined } },
          { call: `GET /tasks?reason=${reason}`, as: ofNone, expect: "FORBIDDEN: READ tasks" }
        ]),
        { call: "GET /tasks?reason=DETAILS_MISSING", as: ofCards, expect: { "data.0.reason": "DETAILS_MISSING" } },
        { call: "GET /tasks?reason=SOURCE_FAILED", as: ofCards, expect: { "data.0": undefined } },
        { call: "GET /tasks?sort=createdAt:desc", as: ofSources, expect: { "data.0.reason": "SOURCE_FAILED" } },
        { call: "GET /tasks?reason=DETAILS_MISSING", as: ofSources, expect: { "data.0": undefined } },
        { call, body: { assignee: null }, as: ofSources, expect: "NOT_FOUND" },
        { call, body: { assignee: null }, as: ofCards, expect: 200 },
        { call, body, as: viewer, expect: "FORBIDDEN: UPDATE tasks" },
        { call, body, expect: "UNPROCESSABLE: assignee.id" },
        { call, body: {}, expect: "INVALID_ARGUMENT: assignee" },
        { call: "POST /tasks/tsk_0000000000000000/assign", body: { assignee: null }, expect: "NOT_FOUND" },
        { call: "GET /tasks?reason=VALID", expect: "INVALID_ARGUMENT: reason" }
      ])
    })
  )
})
