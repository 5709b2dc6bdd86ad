import { assert, describe, it } from "@effect/vitest"
import * as LegacyClient from "@wcs/client/LegacyClient"
import * as NewerClient from "@wcs/client/NewerClient"
import { Effect, Fiber, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import {
  finished,
  json,
  oneWorker,
  type Reply,
  recorder,
  refusal,
  type Sent,
  unauthorized,
  workerId
} from "./Recorder.ts"

const baseUrl = "https://t1.example.com"
const clientSecret = Redacted.make("s3cret+/&")

const token = (name: string, expiresIn = 3600) =>
  json(200, { access_token: name, token_type: "Bearer", expires_in: expiresIn })

/** A deployment that issues `token-1`, `token-2`, … and returns the given replies. */
const issuing = (answer: (sent: Sent) => Reply = () => oneWorker(), expiresIn = 3600) => {
  let issued = 0
  return recorder((sent) => {
    if (sent.call !== "POST /openapi/v1/oauth/token") return answer(sent)
    issued += 1
    return token(`token-${issued}`, expiresIn)
  })
}

const newer = (http: ReturnType<typeof recorder>["http"], more: Partial<NewerClient.NewerSettings> = {}) =>
  Effect.provide(NewerClient.make({ baseUrl, access: { clientId: "wcs_oauth_1", clientSecret }, ...more }), http)

const read = ({ workers }: NewerClient.NewerClient["Service"]) => workers.read({ params: { id: workerId }, query: {} })

const tokenCall = "POST /openapi/v1/oauth/token"
const readCall = `GET /openapi/v1/workers/${workerId}`

describe("tokens of the newer surface", () => {
  it.effect("OAU-21: requests a token with id and secret in the form, and calls with the token", () =>
    Effect.gen(function* () {
      const { http, sent } = issuing()
      yield* read(yield* newer(http))
      assert.deepStrictEqual(
        sent.map(({ at: _, ...rest }) => rest),
        [
          {
            call: tokenCall,
            authorization: undefined,
            contentType: "application/x-www-form-urlencoded",
            body: "grant_type=client_credentials&client_id=wcs_oauth_1&client_secret=s3cret%2B%2F%26"
          },
          { call: readCall, authorization: "Bearer token-1", contentType: undefined, body: "" }
        ]
      )
    })
  )
  it.effect("OAU-21: renews a token five minutes before it expires by expires_in", () =>
    Effect.gen(function* () {
      const { calls, http, sent } = issuing(() => oneWorker(), 1000)
      const client = yield* newer(http)
      yield* read(client)
      yield* TestClock.adjust("699 seconds")
      yield* read(client)
      assert.deepStrictEqual(calls(), [tokenCall, readCall, readCall])
      yield* TestClock.adjust("1 second")
      yield* read(client)
      assert.deepStrictEqual(calls().slice(3), [tokenCall, readCall])
      assert.deepStrictEqual(sent.at(-1)?.authorization, "Bearer token-2")
    })
  )
  it.effect("OAU-21: uses a short-lived token for half of its lifetime", () =>
    Effect.gen(function* () {
      const { calls, http } = issuing(() => oneWorker(), 60)
      const client = yield* newer(http)
      yield* read(client)
      yield* TestClock.adjust("29 seconds")
      yield* read(client)
      assert.deepStrictEqual(calls(), [tokenCall, readCall, readCall])
      yield* TestClock.adjust("1 second")
      yield* read(client)
      assert.deepStrictEqual(calls().slice(3), [tokenCall, readCall])
    })
  )
  it.effect("OAU-21: counts the lifetime from the start of the request", () =>
    Effect.gen(function* () {
      const replies: ReadonlyArray<Reply> = ["silent", token("slow", 1000)]
      const { calls, http } = recorder((_, nth) => replies[nth - 1] ?? oneWorker())
      const client = yield* newer(http, { retry: { attemptTimeout: "1 minute", totalTime: "1 hour" } })
      const first = yield* Effect.forkChild(read(client))
      yield* TestClock.adjust("699 seconds")
      yield* Fiber.join(first)
      yield* read(client)
      assert.deepStrictEqual(calls(), [tokenCall, tokenCall, readCall, readCall])
      yield* TestClock.adjust("1 second")
      yield* read(client)
      assert.deepStrictEqual(calls()[4], tokenCall)
    })
  )
  it.effect("uses the old token until it expires when a renewal fails, but not after a 401", () =>
    Effect.gen(function* () {
      const policy = { retry: { attempts: 1 } }
      let isEnded = false
      const deployment = recorder(({ call }, nth) => {
        if (call === tokenCall) return nth === 1 ? token("token-1", 1000) : "broken"
        return isEnded ? unauthorized() : oneWorker()
      })
      const client = yield* newer(deployment.http, policy)
      yield* read(client)
      yield* TestClock.adjust("700 seconds")
      yield* read(client)
      yield* TestClock.adjust("29 seconds")
      yield* read(client)
      assert.deepStrictEqual(deployment.calls(), [tokenCall, readCall, tokenCall, readCall, readCall])
      yield* TestClock.adjust("1 second")
      yield* read(client)
      yield* TestClock.adjust("269 seconds")
      yield* read(client)
      assert.deepStrictEqual(deployment.calls().slice(5), [tokenCall, readCall, tokenCall, readCall])
      isEnded = true
      assert.deepInclude(yield* Effect.flip(read(client)), { _tag: "Unanswered", operation: "oauth.token" })
      isEnded = false
      assert.deepInclude(yield* Effect.flip(read(client)), { _tag: "Unanswered", operation: "oauth.token" })
      assert.deepStrictEqual(deployment.calls().slice(9), [readCall, tokenCall, tokenCall])

      const another = recorder(({ call }, nth) =>
        call === tokenCall ? (nth === 1 ? token("token-1", 1000) : "broken") : oneWorker()
      )
      const late = yield* newer(another.http, policy)
      yield* read(late)
      yield* TestClock.adjust("1000 seconds")
      assert.deepInclude(yield* Effect.flip(read(late)), { _tag: "Unanswered", operation: "oauth.token" })
    })
  )
  it.effect("renews at the configured margin", () =>
    Effect.gen(function* () {
      const { calls, http } = issuing(() => oneWorker(), 1000)
      const client = yield* newer(http, { renewAhead: "10 seconds" })
      yield* read(client)
      yield* TestClock.adjust("989 seconds")
      yield* read(client)
      assert.lengthOf(calls(), 3)
      yield* TestClock.adjust("1 second")
      yield* read(client)
      assert.lengthOf(calls(), 5)
    })
  )
  it.effect("shares one token request between waiting calls, even if some give up", () =>
    Effect.gen(function* () {
      let asked = 0
      const { calls, http } = recorder(({ call }) => {
        if (call !== tokenCall) return oneWorker()
        asked += 1
        return asked === 1 ? "silent" : token("late")
      })
      const client = yield* newer(http, { retry: { attemptTimeout: "1 second" } })
      const waiting = yield* Effect.forEach(Array.from({ length: 20 }), () => Effect.forkChild(read(client)))
      yield* TestClock.adjust("500 millis")
      assert.deepStrictEqual(calls(), [tokenCall])
      const [first, ...others] = waiting
      if (first !== undefined) yield* Fiber.interrupt(first)
      yield* TestClock.adjust("1 minute")
      yield* Fiber.joinAll(others)
      assert.deepStrictEqual(calls().filter((call) => call === tokenCall).length, 2)
      assert.deepStrictEqual(calls().filter((call) => call === readCall).length, 19)
    })
  )
  it.effect("ENV-14: repeats a call once with a new token after a 401, also a create", () =>
    Effect.gen(function* () {
      const { calls, http, sent } = issuing(({ authorization, call }) =>
        authorization === "Bearer token-1" ? unauthorized() : oneWorker(call.startsWith("POST") ? 201 : 200)
      )
      const client = yield* newer(http)
      const payload = { identity: { displayName: "Ann" }, source: { externalId: "hr-1" } }
      yield* client.workers.create({ payload })
      const createCall = "POST /openapi/v1/workers"
      assert.deepStrictEqual(calls(), [tokenCall, createCall, tokenCall, createCall])
      assert.deepStrictEqual(sent.at(-1)?.authorization, "Bearer token-2")
      assert.deepStrictEqual(sent.at(-1)?.body, sent.at(1)?.body)
    })
  )
  it.effect("ENV-14: returns a second 401, and the next call gets a new token", () =>
    Effect.gen(function* () {
      const { calls, http } = issuing(unauthorized)
      const client = yield* newer(http)
      const refused = yield* Effect.flip(read(client))
      assert.deepInclude(refused, { _tag: "Refused", status: 401, code: null })
      assert.deepStrictEqual(calls(), [tokenCall, readCall, tokenCall, readCall])
      yield* Effect.flip(read(client))
      assert.deepStrictEqual(calls().slice(4), [tokenCall, readCall, tokenCall, readCall])
    })
  )
  it.effect("shares one new token between parallel calls after a 401", () =>
    Effect.gen(function* () {
      const { calls, http } = issuing(({ authorization }) =>
        authorization === "Bearer token-1" ? unauthorized() : oneWorker()
      )
      const client = yield* newer(http)
      yield* Effect.forEach(Array.from({ length: 20 }), () => read(client), { concurrency: "unbounded" })
      assert.deepStrictEqual(calls().filter((call) => call === tokenCall).length, 2)
    })
  )
  it.effect("ENV-14: does not renew the token after a 403", () =>
    Effect.gen(function* () {
      const { calls, http } = issuing(() => refusal(403, "FORBIDDEN"))
      const client = yield* newer(http)
      assert.deepInclude(yield* Effect.flip(read(client)), { status: 403, code: "FORBIDDEN" })
      yield* Effect.flip(read(client))
      assert.deepStrictEqual(calls(), [tokenCall, readCall, readCall])
    })
  )
  it.effect("ENV-14: retries the token request after 5xx and broken connections, then makes the call", () =>
    Effect.gen(function* () {
      const troubles: ReadonlyArray<Reply> = [
        "broken",
        json(503, { error: "temporarily_unavailable" }),
        "broken within"
      ]
      const { calls, http } = recorder(
        ({ call }, nth) => troubles[nth - 1] ?? (call === tokenCall ? token("t") : oneWorker())
      )
      assert.isTrue(Result.isSuccess(yield* finished(read(yield* newer(http)))))
      assert.deepStrictEqual(calls(), [tokenCall, tokenCall, tokenCall, tokenCall, readCall])
    })
  )
  it.effect("ENV-14: reports a refused token after one request, without a call", () =>
    Effect.gen(function* () {
      const { calls, http } = recorder(() =>
        json(401, { error: "invalid_client", error_description: "the client is not known" })
      )
      const client = yield* newer(http)
      assert.deepInclude(yield* Effect.flip(read(client)), {
        _tag: "Refused",
        operation: "oauth.token",
        status: 401,
        code: "invalid_client"
      })
      assert.deepStrictEqual(calls(), [tokenCall])
    })
  )
  it.effect("retries a token request by its own policy, not again for each attempt of the call", () =>
    Effect.gen(function* () {
      const { calls, http } = recorder(() => "broken")
      const result = yield* finished(read(yield* newer(http, { retry: { attempts: 3 } })))
      assert.deepInclude(yield* Effect.flip(Effect.fromResult(result)), {
        _tag: "Unanswered",
        operation: "oauth.token"
      })
      assert.deepStrictEqual(calls(), [tokenCall, tokenCall, tokenCall])
    })
  )
  it.effect("sends a personal token and returns its 401", () =>
    Effect.gen(function* () {
      const { http, sent } = recorder(unauthorized)
      const client = yield* newer(http, { access: { personalToken: Redacted.make("wcs_pat_1") } })
      assert.deepInclude(yield* Effect.flip(read(client)), { _tag: "Refused", status: 401 })
      assert.deepStrictEqual(
        sent.map(({ authorization }) => authorization),
        ["Bearer wcs_pat_1"]
      )
    })
  )
})

const user = {
  id: 7,
  email: "dana@example.org",
  first_name: "Dana",
  surname: "Example",
  organization: { id: 1, name: "Example" }
}

const legacy = (reply: (sent: Sent, nth: number) => Reply) =>
  Effect.gen(function* () {
    const { calls, http, sent } = recorder(reply)
    const settings = { baseUrl, email: "dana@example.org", password: Redacted.make("correct horse") }
    return { calls, sent, client: yield* Effect.provide(LegacyClient.make(settings), http) }
  })

/** Issues tokens with a lifetime of 1000 s and a clock far from ours. */
const legacyAnswers = (answer: (sent: Sent) => Reply) => {
  let issued = 0
  return (sent: Sent): Reply => {
    if (sent.authorization?.startsWith("Basic ") === true && sent.call === "GET /api/users/me") return json(200, user)
    if (sent.call !== "POST /api/users/7/token") return answer(sent)
    issued += 1
    return json(200, { token: `legacy-${issued}`, iat: 1_700_000_000, exp: 1_700_001_000 })
  }
}

const organization = () => json(200, { id: 1, name: "Example", abn: "", is_active: true })
const basic = `Basic ${btoa("dana@example.org:correct horse")}`

describe("tokens of the legacy surface", () => {
  it.effect("LEG-25: sends Basic to users/me and the token exchange, and Bearer to everything else", () =>
    Effect.gen(function* () {
      const { client, sent } = yield* legacy(
        legacyAnswers(({ call }) => {
          if (call === "GET /api/users/me") return json(200, { ...user, is_verified: true })
          if (call === "POST /api/scan") {
            return json(200, { correlation_id: "c-1", status: "queued", type: "WWCC_NSW", identifier: "1" })
          }
          return call.startsWith("GET /api/constituents?")
            ? json(200, { data: [], page: 1, page_size: 25, total: 0 })
            : organization()
        })
      )
      yield* client.organization()
      yield* client.me()
      yield* client.constituents({ query: { page: "1" } })
      yield* client.scan({ payload: { type: "wwcc-nsw", identifier: "1", first_name: "A", surname: "B" } })
      assert.deepStrictEqual(
        sent.map(({ authorization, call }) => [call, authorization]),
        [
          ["GET /api/users/me", basic],
          ["POST /api/users/7/token", basic],
          ["GET /api/organizations/me", "Bearer legacy-1"],
          ["GET /api/users/me", "Bearer legacy-1"],
          ["GET /api/constituents?page=1", "Bearer legacy-1"],
          ["POST /api/scan", "Bearer legacy-1"]
        ]
      )
    })
  )
  it.effect("LEG-23: renews a token five minutes before it expires, without reading the user again", () =>
    Effect.gen(function* () {
      const { calls, client } = yield* legacy(legacyAnswers(organization))
      yield* client.organization()
      yield* TestClock.adjust("699 seconds")
      yield* client.organization()
      assert.lengthOf(calls(), 4)
      yield* TestClock.adjust("1 second")
      yield* client.organization()
      assert.deepStrictEqual(calls().slice(4), ["POST /api/users/7/token", "GET /api/organizations/me"])
    })
  )
  it.effect("LEG-23: renews the token after a 401 and repeats the call once", () =>
    Effect.gen(function* () {
      const expired = json(401, { status: 401, message: "The token has expired", field: "authentication" })
      const { calls, client } = yield* legacy(
        legacyAnswers(({ authorization }) => (authorization === "Bearer legacy-1" ? expired : organization()))
      )
      yield* client.organization()
      assert.deepStrictEqual(calls().slice(2), [
        "GET /api/organizations/me",
        "POST /api/users/7/token",
        "GET /api/organizations/me"
      ])
    })
  )
  it.effect("ENV-14: never retries a wrong password or a scan, but retries a 5xx of the token exchange", () =>
    Effect.gen(function* () {
      const wrong = yield* legacy(() => json(401, { status: 401, message: "No", field: "authentication" }))
      assert.deepInclude(yield* Effect.flip(wrong.client.me()), { status: 401, field: "authentication", code: null })
      assert.deepStrictEqual(wrong.calls(), ["GET /api/users/me"])

      const broken = yield* legacy((sent, nth) =>
        nth === 2 || sent.call === "POST /api/scan" ? json(500, {}) : legacyAnswers(organization)(sent)
      )
      const payload = { type: "wwcc-nsw", identifier: "1", first_name: "A", surname: "B" }
      assert.isTrue(Result.isFailure(yield* finished(broken.client.scan({ payload }))))
      assert.deepStrictEqual(broken.calls(), [
        "GET /api/users/me",
        "POST /api/users/7/token",
        "POST /api/users/7/token",
        "POST /api/scan"
      ])
    })
  )
})
