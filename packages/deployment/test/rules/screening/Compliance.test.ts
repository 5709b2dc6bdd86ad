import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, accessToken, at, complianceCheck, engaging, Service, textAt, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertStatus, dataOf, get, idOfNothing, patch, post, remove, root } from "../NewerSurface.ts"
import { type Row, run } from "../Row.ts"
import { walk } from "../resource/Listing.ts"

const check = (requirement: Readonly<Record<string, unknown>> = {}) =>
  complianceCheck({ requirement: { credentialTypes: ["FIRST_AID"], ...requirement } })

const evaluate = (code: string, workers: ReadonlyArray<unknown>) =>
  post(`/compliance-checks/${code}/evaluate`, { workers })

const removed = <E, R>(collection: string, made: Effect.Effect<string, E, R>) =>
  Effect.tap(made, (id) => remove(`/${collection}/${id}`))

const workersIn = (answer: Answer): ReadonlyArray<string> => dataOf(answer).map((item) => Object(item).worker.id)

// The tests of the domain judge holdings, on each day. `TimeZones.test.ts` shows that the day is the tenant's.
layer(layerService(), { excludeTestServices: true })("evaluating a compliance check", (it) => {
  it.effect("answers the named workers, in order, repeated ones too, by id and by external id, or refuses all", () =>
    Effect.gen(function* () {
      const [code, off] = [yield* check(), yield* complianceCheck({ enabled: false })]
      const [deleted, gone] = [
        yield* removed("compliance-checks", check()),
        yield* removed("workers", worker({ source: { externalId: "evaluated gone" } }))
      ]
      const [ann, bob] = [yield* worker({ source: { externalId: "evaluated Ann" } }), yield* worker()]
      yield* engaging(ann)
      const passed = {
        worker: { id: ann, externalId: "evaluated Ann" },
        result: "PASS",
        missingCredentialTypes: [],
        reviews: [],
        failingCredentials: [],
        bans: []
      }
      const failed = {
        worker: { id: bob },
        result: "FAIL",
        missingCredentialTypes: ["FIRST_AID"],
        reviews: [],
        failingCredentials: [],
        bans: []
      }
      const evaluating = (code: string, workers: ReadonlyArray<unknown>, expect: Row["expect"]): Row => ({
        call: `POST /compliance-checks/${code}/evaluate`,
        body: { workers },
        expect
      })
      const missing = [{ id: idOfNothing(gone) }, { id: gone }, { externalId: "evaluated gone" }]
      const answers = yield* run([
        evaluating(code, [{ id: bob }, { externalId: "evaluated Ann" }, { id: bob }, { id: ann }], {
          data: [failed, passed, failed, passed],
          "meta.pageSize": 4,
          "meta.nextCursor": null
        }),
        ...missing.map((person) => evaluating(code, [{ id: ann }, { id: ann }, person], "UNPROCESSABLE: workers.2")),
        evaluating(code, [{ id: ann, a: 1 }], { "meta.warnings": ["unknown field ignored: workers.0.a"] }),
        evaluating(deleted, [{ id: ann }], "NOT_FOUND"),
        evaluating("no-such-check", [{ id: ann }], "NOT_FOUND"),
        evaluating("No-Code", [{ id: ann }], "INVALID_ARGUMENT: id"),
        evaluating(off, [{ id: ann }], "UNPROCESSABLE: Enable"),
        { call: `POST /compliance-checks/${off}/evaluate`, expect: `UNPROCESSABLE: ${off}` },
        { call: `PATCH /compliance-checks/${off}`, body: { enabled: true }, expect: 200 },
        evaluating(off, [{ id: ann }], 200)
      ])
      for (const { text } of answers.slice(1, 4)) assert.notInclude(text, "PASS")
    })
  )

  it.effect("ENV-07: unknown parameters are 400, and cursor and pageSize beside workers too", () =>
    Effect.gen(function* () {
      yield* worker()
      const path = `/compliance-checks/${yield* check()}/evaluate`
      const body = { workers: [{ id: yield* worker() }] }
      const cursor = textAt(yield* post(`${path}?pageSize=1`), "meta.nextCursor")
      yield* run([
        { call: `POST ${path}?includeDeleted=x`, expect: "INVALID_ARGUMENT: includeDeleted" },
        { call: `POST ${path}?pageSize=1&pageSize=2`, expect: "INVALID_ARGUMENT: pageSize" },
        { call: `POST ${path}?cursor=nonsense`, expect: "INVALID_ARGUMENT: cursor" },
        { call: `POST ${path}?cursor=${cursor}`, body, expect: "INVALID_ARGUMENT: cursor" },
        { call: `POST ${path}?pageSize=1`, body, expect: "INVALID_ARGUMENT: pageSize" },
        { call: `POST ${path}?cursor=${cursor}`, body: {}, expect: 200 }
      ])
    })
  )
})

layer(layerService(), { excludeTestServices: true })("evaluating a compliance check for all", (it) => {
  it.effect("WRK-08, WRK-09: without workers it pages through the whole tenant", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const ids = yield* Effect.replicateEffect(worker(), 27)
      yield* removed("workers", worker())
      const path = `/compliance-checks/${yield* check()}/evaluate`
      const first = yield* post(path)
      assert.deepStrictEqual([workersIn(first).length, at(first, "meta.pageSize")], [25, 25])
      const rest = yield* post(`${path}?cursor=${textAt(first, "meta.nextCursor")}`)
      assert.sameMembers([...workersIn(first), ...workersIn(rest)], ids)
      assert.isNull(at(rest, "meta.nextCursor"))
      assert.strictEqual(at(yield* post(`${path}?pageSize=1000`), "meta.pageSize"), 100)
      // No body, an empty object and a typed empty body are equivalent.
      const headers = { "content-type": "application/json" }
      const { token } = yield* accessToken()
      for (const sent of [{ body: {} }, { rawBody: "", headers }, { rawBody: "" }, { token }]) {
        const answer = yield* call({ method: "POST", path: root + path, ...sent })
        assert.deepStrictEqual(at(answer, "data"), at(first, "data"))
      }
    })
  )
})

layer(layerService(), { excludeTestServices: true })("the compliance matrix", (it) => {
  it.effect("filters, sorts and pages workers as their list does, 50 at most", () =>
    Effect.gen(function* () {
      const source = { sourceSystem: "paged" }
      const named = (index: number) =>
        worker({ source, identity: { displayName: `Matrix ${String(index).padStart(2, "0")}` } })
      const ids = yield* Effect.forEach(
        Array.from({ length: 52 }, (_, index) => index),
        named
      )
      const path = `/compliance-matrix?sourceSystem=paged&checkId=${yield* check()}`
      const [largest] = yield* run([
        { call: `GET ${path}&pageSize=100`, expect: { "meta.pageSize": 50, "data.0.worker.displayName": "Matrix 00" } },
        { call: `GET ${path}&includeTotal=true&pageSize=1`, expect: { "meta.total": 52 } },
        { call: `GET ${path}&query=matrix%2007`, expect: { "data.0.worker.id": ids[7], "data.1": undefined } }
      ])
      assert.lengthOf(dataOf(largest), 50)
      const first = yield* get(`${path}&sort=displayName:desc&pageSize=30`)
      const rest = yield* get(`${path}&sort=displayName:desc&pageSize=30&cursor=${textAt(first, "meta.nextCursor")}`)
      assert.deepStrictEqual([...workersIn(first), ...workersIn(rest)], ids.toReversed())
    })
  )

  it.effect(
    "leaves out who has left, as the evaluation of all does, unless the worker is named or includeDeleted is set",
    () =>
      Effect.gen(function* () {
        const source = { sourceSystem: "leaving" }
        const [stays, left, ended] = [
          yield* worker({ source, employment: { status: "ACTIVE", endDate: "2999-12-31" } }),
          yield* worker({ source, employment: { status: "TERMINATED" } }),
          yield* worker({ source, employment: { endDate: "2001-01-01" } })
        ]
        const code = yield* check()
        const path = `/compliance-matrix?sourceSystem=leaving&checkId=${code}`
        assert.deepStrictEqual(workersIn(yield* get(path)), [stays])
        assert.sameMembers([...workersIn(yield* get(`${path}&includeDeleted=true`))], [stays, left, ended])
        const all = workersIn(yield* post(`/compliance-checks/${code}/evaluate?pageSize=100`))
        assert.deepStrictEqual(
          [stays, left, ended].map((id) => all.includes(id)),
          [true, false, false]
        )
        assert.deepStrictEqual(workersIn(yield* evaluate(code, [{ id: left }, { id: ended }])), [left, ended])
        assertStatus(yield* patch(`/workers/${stays}`, { employment: { status: "TERMINATED" } }), 200)
        assert.deepStrictEqual(workersIn(yield* get(path)), [])
      })
  )

  it.effect("uses the oldest enabled checks by default, and says if there are more", () =>
    Effect.gen(function* () {
      // Checks of the same millisecond are in the order of their codes.
      const oldest = Effect.map(
        walk("compliance-checks", { enabled: "true", sort: "createdAt:asc", pageSize: "100" }),
        (pages) => pages.flat()
      )
      for (const code of yield* oldest) {
        assertStatus(yield* patch(`/compliance-checks/${code}`, { enabled: false }), 200)
      }
      yield* worker({ source: { externalId: "by default" } })
      const created = yield* Effect.replicateEffect(complianceCheck(), 20)
      const matrix = get("/compliance-matrix?externalId=by%20default")
      const idsIn = (answer: Answer) =>
        Array.from(Object(dataOf(answer)[0]).checks, Object).map(({ complianceCheckId }) => complianceCheckId)
      const whole = yield* matrix
      assert.sameMembers(idsIn(whole), created)
      assert.deepStrictEqual(idsIn(whole), yield* oldest)
      assert.isUndefined(at(whole, "meta.warnings"))
      yield* complianceCheck()
      const part = yield* matrix
      assert.deepStrictEqual(idsIn(part), (yield* oldest).slice(0, 20))
      assert.include(String(at(part, "meta.warnings")), "more than 20 checks")
    })
  )

  it.effect("ENV-07: refuses checks that are malformed, missing, deleted, disabled or too many", () =>
    Effect.gen(function* () {
      yield* worker()
      const [kept, off] = [yield* check(), yield* complianceCheck({ enabled: false })]
      const gone = yield* removed("compliance-checks", check())
      const many = Array.from({ length: 21 }, (_, n) => `checkId=c${n}`).join("&")
      yield* run([
        { call: "GET /compliance-matrix?checkId=", expect: "INVALID_ARGUMENT: checkId" },
        { call: `GET /compliance-matrix?checkId=${kept}&checkId=No%20Code`, expect: "INVALID_ARGUMENT: checkId" },
        { call: `GET /compliance-matrix?${many}`, expect: "INVALID_ARGUMENT: checkId" },
        { call: `GET /compliance-matrix?checkId=${kept}&result=NONE`, expect: "INVALID_ARGUMENT: result" },
        { call: "GET /compliance-matrix?result=FAIL&result=PASS", expect: "INVALID_ARGUMENT: result" },
        {
          call: `GET /compliance-matrix?result=FAIL&workerId=${idOfNothing("wkr_")}`,
          expect: "INVALID_ARGUMENT: result"
        },
        { call: "GET /compliance-matrix?result=FAIL&asOf=2026-01-01", expect: "INVALID_ARGUMENT: result" },
        { call: "GET /compliance-matrix?include=credentials", expect: "INVALID_ARGUMENT: include" },
        { call: "GET /compliance-matrix?pageSize=1&pageSize=2", expect: "INVALID_ARGUMENT: pageSize" },
        { call: "GET /compliance-matrix?checkId=no-such-check", expect: "NOT_FOUND" },
        { call: `GET /compliance-matrix?checkId=${kept}&checkId=${gone}`, expect: "NOT_FOUND" },
        { call: `GET /compliance-matrix?checkId=${off}`, expect: `UNPROCESSABLE: ${off}` },
        {
          call: `GET /compliance-matrix?checkId=${kept}&checkId=${kept}&pageSize=1`,
          expect: { "data.0.checks.0.complianceCheckId": kept, "data.0.checks.1": undefined }
        }
      ])
    })
  )
})
