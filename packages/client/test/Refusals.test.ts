import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { type CallError, Unreadable } from "@wcs/client/CallError"
import * as NewerClient from "@wcs/client/NewerClient"
import * as Paging from "@wcs/client/Paging"
import { Effect, Redacted, Stream } from "effect"
import {
  applicantId,
  credentialId,
  json,
  oneCredential,
  oneWorker,
  otherWorkerId,
  type Reply,
  recorder,
  refusal,
  type Sent,
  worker,
  workerId
} from "./Recorder.ts"

const once = { attempts: 1 }

const connected = (reply: (sent: Sent, nth: number) => Reply, more: Partial<NewerClient.NewerSettings> = {}) =>
  Effect.gen(function* () {
    const { calls, http, sent } = recorder(reply)
    const access = { personalToken: Redacted.make("wcs_pat_hidden") }
    const settings = { baseUrl: "https://t1.example.com", access, retry: once, ...more }
    return { calls, sent, client: yield* Effect.provide(NewerClient.make(settings), http) }
  })

const read = ({ workers }: NewerClient.NewerClient["Service"]) => workers.read({ params: { id: workerId }, query: {} })

const refusedWith = (answer: () => Reply) =>
  Effect.gen(function* () {
    const { client } = yield* connected(answer)
    return yield* Effect.flip(read(client))
  })

const html = () =>
  new Response("<h1>Bad gateway</h1>", { status: 502, headers: { "content-type": "text/html", "retry-after": "9" } })

describe("errors of a call", () => {
  it.effect("ENV-13: have status and code, also for an unknown code", () =>
    Effect.gen(function* () {
      const refused = yield* refusedWith(() => refusal(409, "SOMETHING_NEW", { "retry-after": "3" }))
      assert.deepInclude(refused, {
        _tag: "Refused",
        operation: "workers.read",
        status: 409,
        code: "SOMETHING_NEW",
        field: null,
        requestId: "01JREQUEST",
        retryAfterSeconds: 3,
        explanation: "told in words: SOMETHING_NEW"
      })
      assert.deepStrictEqual(
        refused.message,
        "workers.read was refused with 409 SOMETHING_NEW: told in words: SOMETHING_NEW (request 01JREQUEST)"
      )
    })
  )
  it.effect("ENV-13: have the status of an error in an unknown form", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* refusedWith(html), {
        _tag: "Refused",
        status: 502,
        code: null,
        requestId: null,
        retryAfterSeconds: 9,
        explanation: null
      })
      assert.deepInclude(yield* refusedWith(() => new Response(null, { status: 302 })), { status: 302, code: null })
      const long = yield* refusedWith(() => json(400, { message: "x".repeat(100_000) }))
      assert.isBelow(long.message.length, 2000)
    })
  )
  it.effect("ENV-13: do not depend on the message", () =>
    Effect.gen(function* () {
      const outcomes = yield* Effect.forEach(["use transfer", "ОБНОВЛЕНО"], (message) =>
        Effect.gen(function* () {
          const envelope = { error: { code: "OWNER_MISMATCH", message, requestId: "01J" } }
          const { client } = yield* connected((_, nth) =>
            nth === 1 ? json(409, envelope) : oneCredential({ worker: otherWorkerId, applicant: null })
          )
          return yield* transferred(client)
        })
      )
      assert.deepStrictEqual(outcomes[0], outcomes[1])
    })
  )
  it.effect("report an invalid 2xx as Unreadable and drop unknown fields", () =>
    Effect.gen(function* () {
      const unreadable = [json(200, { data: { id: 1 } }), new Response("{", { status: 200 }), json(206, {})]
      for (const answer of unreadable) assert.deepInclude(yield* refusedWith(() => answer), { _tag: "Unreadable" })
      const { client } = yield* connected(() =>
        json(200, { data: { ...worker, shoeSize: 44 }, meta: { requestId: "01J", more: 1 }, also: true })
      )
      assert.deepStrictEqual((yield* read(client)).data.id, workerId)
    })
  )
  it.effect("report an invalid call without sending it", () =>
    Effect.gen(function* () {
      const { client, calls } = yield* connected(() => oneWorker())
      const payload = { identity: { displayName: "" }, source: { externalId: "hr-1" } }
      const refused = yield* Effect.flip(client.workers.create({ payload }))
      assert.deepInclude(refused, { _tag: "InvalidCall", operation: "workers.create" })
      assert.include(refused.message, "identity.displayName")
      for (const id of ["", ".", ".."]) {
        assert.deepInclude(yield* Effect.flip(client.workers.remove({ params: { id } })), { _tag: "InvalidCall" })
      }
      assert.deepStrictEqual(calls(), [])
    })
  )
  it.effect("contain no secret", () =>
    Effect.gen(function* () {
      const access = { clientId: "wcs_oauth_1", clientSecret: Redacted.make("hidden-secret") }
      const issue = json(200, { access_token: "hidden-token", token_type: "Bearer", expires_in: 3600 })
      const troubles: ReadonlyArray<Reply> = [
        "broken",
        "broken within",
        html(),
        refusal(500, "INTERNAL"),
        json(200, {})
      ]
      const errors: Array<CallError> = []
      for (const trouble of troubles) {
        const atToken = yield* connected(() => (trouble instanceof Response ? trouble.clone() : trouble), { access })
        errors.push(yield* Effect.flip(read(atToken.client)))
        const atCall = yield* connected((_, nth) => (nth === 1 ? issue.clone() : trouble), { access })
        errors.push(yield* Effect.flip(read(atCall.client)))
      }
      assert.lengthOf(errors, 10)
      for (const error of errors) {
        const everything = [
          error.message,
          JSON.stringify(error),
          inspect(error, { depth: 20, showHidden: true })
        ].join()
        assert.notMatch(everything, /hidden|aGlkZGVu/)
      }
    })
  )
  for (const baseUrl of [
    "http://t1.example.com",
    "t1.example.com",
    "https://",
    "https://a:b@t1.example.com",
    "https://t1.example.com/?a=1"
  ]) {
    it.effect(`§4 (HTTPS only): refuse the base URL ${baseUrl}`, () =>
      Effect.gen(function* () {
        assert.deepInclude(yield* Effect.flip(connected(() => oneWorker(), { baseUrl })), { _tag: "InvalidBaseUrl" })
      })
    )
  }
  it.effect("accept a base URL with a path", () =>
    Effect.gen(function* () {
      const { calls, client } = yield* connected(() => oneWorker(), { baseUrl: "https://example.com/wcs/" })
      yield* read(client)
      assert.deepStrictEqual(calls(), [`GET /wcs/openapi/v1/workers/${workerId}`])
    })
  )
})

const owner = (id: string) => ({ type: id.startsWith("app_") ? "applicant" : "worker", id }) as const

const transferred = ({ credentials }: NewerClient.NewerClient["Service"]) =>
  credentials.transfer({
    params: { id: credentialId },
    payload: { from: owner(applicantId), to: owner(workerId) }
  })

const path = `/openapi/v1/credentials/${credentialId}`

describe("ownership changes", () => {
  const changes = {
    link: ({ credentials }: NewerClient.NewerClient["Service"]) =>
      credentials.link({ params: { id: credentialId }, payload: owner(workerId) }),
    unlink: ({ credentials }: NewerClient.NewerClient["Service"]) =>
      credentials.unlink({ params: { id: credentialId }, payload: owner(workerId) }),
    transfer: transferred
  }
  for (const [name, change] of Object.entries(changes)) {
    for (const code of ["ALREADY_LINKED", "OWNER_MISMATCH"] as const) {
      it.effect(`ENV-19: return the current owners after the ${code} of a ${name}`, () =>
        Effect.gen(function* () {
          const { calls, client } = yield* connected((_, nth) =>
            nth === 1 ? refusal(409, code) : oneCredential({ worker: otherWorkerId, applicant: null })
          )
          const outcome = yield* change(client)
          assert.deepInclude(outcome, {
            _tag: "HeldOtherwise",
            code,
            owners: { worker: otherWorkerId, applicant: null }
          })
          assert.deepStrictEqual(calls(), [`POST ${path}/${name}`, `GET ${path}`])
        })
      )
    }
    it.effect(`return the credential after a ${name}, and fail for other refusals`, () =>
      Effect.gen(function* () {
        const done = yield* connected(() => oneCredential({ worker: workerId, applicant: null }))
        assert.deepInclude(yield* change(done.client), { _tag: "Done" })
        for (const [status, code] of [
          [422, "UNPROCESSABLE"],
          [422, "ALREADY_LINKED"],
          [409, "DUPLICATE_ID"]
        ] as const) {
          const refused = yield* connected(() => refusal(status, code))
          assert.deepInclude(yield* Effect.flip(change(refused.client)), { status, code })
          assert.lengthOf(refused.calls(), 1)
        }
      })
    )
  }
})

describe("workers", () => {
  it.effect("WRK-15: sends source.externalId with every create, and nothing without it", () =>
    Effect.gen(function* () {
      const { client, sent } = yield* connected(() => oneWorker(201))
      const payload = { identity: { displayName: "Ann Example" }, source: { externalId: "hr-4711" } }
      const { body, headers } = yield* client.workers.create({ payload })
      assert.deepStrictEqual([body.data.id, headers.location], [workerId, `/openapi/v1/workers/${workerId}`])
      assert.deepStrictEqual(JSON.parse(sent[0]?.body ?? ""), payload)
      // @ts-expect-error: externalId is missing
      const without = yield* Effect.flip(client.workers.create({ payload: { identity: { displayName: "Ann" } } }))
      assert.deepInclude(without, { _tag: "InvalidCall" })
      // @ts-expect-error: and here
      const empty = client.workers.create({ payload: { identity: { displayName: "Ann" }, source: {} } })
      assert.deepInclude(yield* Effect.flip(empty), { _tag: "InvalidCall" })
      assert.lengthOf(sent, 1)
    })
  )
})

describe("lists", () => {
  const page = (ids: ReadonlyArray<string>, nextCursor: string | null) =>
    json(200, {
      data: ids.map((id) => ({ ...worker, id })),
      meta: { requestId: "01J", pageSize: 2, nextCursor }
    })
  const pages: Readonly<Record<string, Response>> = {
    "GET /openapi/v1/workers?sort=displayName%3Aasc": page([workerId, otherWorkerId], "c1"),
    "GET /openapi/v1/workers?cursor=c1&sort=displayName%3Aasc": page([], "c2"),
    "GET /openapi/v1/workers?cursor=c2&sort=displayName%3Aasc": page([workerId], null)
  }
  it.effect("reads a list to its end by cursor, each page on demand", () =>
    Effect.gen(function* () {
      const { calls, client } = yield* connected(({ call }) => pages[call]?.clone() ?? refusal(400, "BAD_REQUEST"))
      const list = Paging.items(client.workers.list, { sort: "displayName:asc" })
      assert.deepStrictEqual((yield* Stream.runCollect(Stream.take(list, 2))).length, 2)
      assert.lengthOf(calls(), 1)
      const ids = (yield* Stream.runCollect(list)).map(({ id }) => id)
      assert.deepStrictEqual(ids, [workerId, otherWorkerId, workerId])
      assert.deepStrictEqual(calls().slice(1), Object.keys(pages))
    })
  )
  it.effect("fails when a cursor repeats", () =>
    Effect.gen(function* () {
      const { calls, client } = yield* connected(() => page([workerId], "c1"))
      const error = yield* Effect.flip(Stream.runDrain(Paging.items(client.workers.list, {})))
      assert.instanceOf(error, Unreadable)
      assert.lengthOf(calls(), 2)
    })
  )
})
