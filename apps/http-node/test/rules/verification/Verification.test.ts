import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { at, credential, reviewed, Service, textAt, tokenOf, verifiable, verified, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertRefused, assertStatus, dataOf, get, patch, post, remove, root } from "../NewerSurface.ts"

const six = ["eligibility", "statusDetail", "expiryDate", "errorMessage", "correlationId", "requestId"]

const verify = (id: string, body?: unknown) => post(`/credentials/${id}/verify`, body)

const fresh = Effect.flatMap(worker(), (holder) => verified({ worker: holder }))

/** The verifications of a credential, oldest first. */
const history = Effect.fnUntraced(function* (id: string) {
  const answer = yield* get(`/credentials/${id}/verifications`)
  assertStatus(answer, 200)
  return dataOf(answer).map(Object)
})

layer(layerService(), { excludeTestServices: true })("verification", (it) => {
  it.effect(
    "VER-01, VER-02, VER-03, VER-08, SIL-05: the six fields are at the top level and in data, with equal values",
    () =>
      Effect.gen(function* () {
        const answer = yield* verify(yield* fresh, { forceRefresh: true })
        assertStatus(answer, 200)
        const data = Object(at(answer, "data"))
        assert.sameMembers(Object.keys(data), six)
        assert.sameMembers(Object.keys(Object(answer.json)), [...six, "data", "meta"])
        for (const field of six) assert.deepStrictEqual(at(answer, field), data[field], field)
        assert.deepStrictEqual([data.eligibility, data.statusDetail, data.errorMessage], ["MAY_ENGAGE", "VALID", null])
        assert.match(data.expiryDate, /^\d{4}-\d{2}-\d{2}$/)
        assert.strictEqual(data.requestId, answer.headers["x-request-id"])
        assert.deepStrictEqual(at(answer, "meta"), { requestId: data.requestId, correlationId: data.correlationId })
      })
  )

  it.effect("VER-04, VER-05: echoes a correlation id; generates one when it is absent or null", () =>
    Effect.gen(function* () {
      const id = yield* fresh
      for (const correlationId of ["a", "A.b_c:d-1", "x".repeat(128)]) {
        assert.strictEqual(at(yield* verify(id, { correlationId }), "data.correlationId"), correlationId)
        assert.strictEqual(at(yield* verify(id, { correlationId, forceRefresh: true }), "correlationId"), correlationId)
      }
      const bodies = [undefined, {}, { forceRefresh: true }, { correlationId: null }]
      const without = yield* Effect.forEach(bodies, (body) => verify(id, body))
      for (const answer of without) assertStatus(answer, 200)
      const made = without.map((answer) => textAt(answer, "data.correlationId"))
      assert.lengthOf(new Set(made), bodies.length)
      for (const each of made) assert.match(each, /^[0-9A-HJKMNP-TV-Z]{26}$/)
    })
  )

  it.effect("VER-06, SIL-02, threat 24: the literal string and malformed ids are 400, and no verification starts", () =>
    Effect.gen(function* () {
      const id = yield* fresh
      const before = yield* history(id)
      for (const correlationId of ["string", "", "x".repeat(129), "a b", "a\u0000", "a\r\nb", "é", 7, []]) {
        const refused = yield* verify(id, { correlationId })
        assertRefused(refused, "INVALID_ARGUMENT", "correlationId")
        if (typeof correlationId === "string" && correlationId.length > 1) {
          assert.notInclude(JSON.stringify(refused.headers), JSON.stringify(correlationId).slice(1, -1))
        }
      }
      assert.deepStrictEqual(yield* history(id), before)
    })
  )

  it.effect("VER-07, ENV-06: forceRefresh is optional, accepts true and false, and anything else is 400", () =>
    Effect.gen(function* () {
      const id = yield* fresh
      for (const body of [undefined, {}, { forceRefresh: true }, { forceRefresh: false }]) {
        assertStatus(yield* verify(id, body), 200)
      }
      for (const forceRefresh of ["yes", "true", 1, null, {}]) {
        assertRefused(yield* verify(id, { forceRefresh }), "INVALID_ARGUMENT", "forceRefresh")
      }
      for (const body of [[], "text", 1, null]) assertRefused(yield* verify(id, body), "INVALID_ARGUMENT")
      assert.include(JSON.stringify(at(yield* verify(id, { force: true }), "meta.warnings")), "force")
    })
  )

  it.effect(
    "CRD-02, CRD-09: a create starts a verification with the create's correlation id, in progress until it ends",
    () =>
      Effect.gen(function* () {
        const attributes = { ...verifiable, owners: { worker: yield* worker() } }
        const made = yield* post("/credentials", { attributes })
        assertStatus(made, 201)
        assert.deepStrictEqual(
          [at(made, "data.attributes.eligibility"), at(made, "data.attributes.statusDetail")],
          ["IN_PROGRESS", "PENDING"]
        )
        const id = textAt(made, "data.id")
        const [first] = yield* Effect.repeat(history(id), { until: ([one]) => one.verifiedAt !== null })
        assert.strictEqual(first.correlationId, at(made, "meta.correlationId"))
        assert.strictEqual(first.requestId, made.headers["x-request-id"])
        assert.deepStrictEqual(
          [first.trigger, first.eligibility, first.statusDetail],
          ["create", "MAY_ENGAGE", "VALID"]
        )
        const shown = Object(at(yield* get(`/credentials/${id}`), "data.attributes"))
        assert.deepStrictEqual([shown.eligibility, shown.statusDetail], ["MAY_ENGAGE", "VALID"])
        assert.deepStrictEqual([shown.lastVerifiedAt, shown.expiryDate], [first.verifiedAt, first.expiryDate])
      })
  )

  it.effect("reuses an outcome younger than 24 hours; forceRefresh, and an older one, call the register", () =>
    Effect.gen(function* () {
      const { advance } = yield* Service
      const id = yield* fresh
      const asked = Effect.map(history(id), (all) => all.map(({ verifiedAt }) => verifiedAt))
      yield* advance(60)
      assertStatus(yield* verify(id), 200)
      const [first, again] = yield* asked
      assert.strictEqual(again, first)
      yield* advance(60)
      assertStatus(yield* verify(id, { forceRefresh: true }), 200)
      const forced = (yield* asked)[2]
      assert.isAbove(Date.parse(forced), Date.parse(first))
      yield* advance(86_400)
      assertStatus(yield* verify(id), 200)
      assert.isAbove(Date.parse((yield* asked)[3]), Date.parse(forced))
    })
  )

  it.effect("a credential past its expiry date reads as EXPIRED, and verify returns that without a register", () =>
    Effect.gen(function* () {
      const id = yield* verified({ worker: yield* worker() })
      assertStatus(yield* patch(`/credentials/${id}`, { attributes: { expiryDate: "2020-02-29" } }), 200)
      const answer = yield* verify(id)
      assert.deepStrictEqual(
        [at(answer, "data.eligibility"), at(answer, "data.statusDetail"), at(answer, "data.expiryDate")],
        ["MAY_NOT_ENGAGE", "EXPIRED", "2020-02-29"]
      )
    })
  )

  it.effect(
    "OWN-20: verify of a missing or deleted credential is 404, of a malformed id 400, of an unverifiable type 422",
    () =>
      Effect.gen(function* () {
        const id = yield* fresh
        const plain = yield* credential({ worker: yield* worker() })
        assertRefused(yield* verify(plain), "UNPROCESSABLE", "FIRST_AID")
        assertRefused(yield* verify("cred_0000000000000000"), "NOT_FOUND")
        assertRefused(yield* verify("nonsense"), "INVALID_ARGUMENT", "id")
        assertStatus(yield* remove(`/credentials/${id}`), 204)
        assertRefused(yield* verify(id), "NOT_FOUND")
        assert.isNotEmpty(yield* history(id))
        assert.isEmpty(yield* history(plain))
        assertRefused(yield* get("/credentials/cred_0000000000000000/verifications"), "NOT_FOUND")
        assertRefused(yield* get(`/credentials/${id}/verifications?page=1`), "INVALID_ARGUMENT", "page")
      })
  )

  it.effect("threat 23: concurrent verifications of a credential have their own correlation ids, and one verdict", () =>
    Effect.gen(function* () {
      const id = yield* fresh
      const own = Array.from({ length: 20 }, (_, index) => `own-${index}`)
      const answers = yield* Effect.forEach(own, (correlationId) => verify(id, { correlationId, forceRefresh: true }), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(
        answers.map((answer) => at(answer, "data.correlationId")),
        own
      )
      for (const answer of answers) assert.strictEqual(at(answer, "data.statusDetail"), "VALID")
      const seen = (yield* history(id)).map(({ correlationId }) => correlationId)
      assert.includeMembers(seen, own)
      assert.lengthOf(seen, own.length + 1)
    })
  )

  it.effect("manual review: a privileged caller decides once; nobody else can, and nothing else can be decided", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const id = yield* verified({ worker: yield* worker() }, reviewed, "QUEUED_MANUAL")
      const decide = (body: unknown, token?: string) =>
        call({
          method: "POST",
          path: `${root}/credentials/${id}/review`,
          body,
          ...(token === undefined ? {} : { token })
        })
      const { token } = yield* tokenOf("Data Manager")
      assertRefused(yield* decide({ statusDetail: "VALID" }, token), "FORBIDDEN", "UPDATE verifications")
      for (const statusDetail of ["PENDING", "QUEUED_MANUAL", "SOURCE_TIMEOUT", "nonsense", undefined]) {
        assertRefused(yield* decide({ statusDetail }), "INVALID_ARGUMENT", "statusDetail")
      }
      const { token: admin } = yield* tokenOf("Admin")
      const decided = yield* decide({ statusDetail: "CONDITIONAL", expiryDate: "2031-05-01" }, admin)
      assertStatus(decided, 200)
      const shown = Object(at(decided, "data.attributes"))
      assert.deepStrictEqual(
        [shown.eligibility, shown.statusDetail, shown.expiryDate],
        ["REVIEW_REQUIRED", "CONDITIONAL", "2031-05-01"]
      )
      assertRefused(yield* decide({ statusDetail: "VALID" }), "UNPROCESSABLE", "waiting for a decision")
      const [first] = yield* history(id)
      assert.deepStrictEqual([first.statusDetail, first.trigger], ["CONDITIONAL", "create"])
    })
  )

  it.effect("a verify during a manual review returns immediately, with or without forceRefresh", () =>
    Effect.gen(function* () {
      const id = yield* verified({ worker: yield* worker() }, reviewed, "QUEUED_MANUAL")
      for (const body of [undefined, { forceRefresh: true }, { forceRefresh: false }]) {
        const answer = yield* verify(id, body)
        assertStatus(answer, 200)
        assert.deepStrictEqual(
          [at(answer, "data.eligibility"), at(answer, "data.statusDetail"), at(answer, "data.expiryDate")],
          ["IN_PROGRESS", "QUEUED_MANUAL", null]
        )
      }
    })
  )

  /** A credential with two waiting verifications, in manual review. */
  const queued = Effect.gen(function* () {
    const id = yield* verified({ worker: yield* worker() }, reviewed, "QUEUED_MANUAL")
    assertStatus(yield* verify(id), 200)
    return id
  })

  /** The outcomes of all verifications of a credential, once none is open. */
  const endsOf = (id: string) =>
    Effect.map(
      Effect.repeat(history(id), { until: (all) => all.every(({ verifiedAt }) => verifiedAt !== null) }),
      (all) => all.map(({ statusDetail }) => statusDetail)
    )

  it.effect("verifications in manual review end without a verdict when the credential is deleted", () =>
    Effect.gen(function* () {
      const id = yield* queued
      assertStatus(yield* remove(`/credentials/${id}`), 204)
      assert.deepStrictEqual(yield* endsOf(id), ["INTERNAL_ERROR", "INTERNAL_ERROR"])
    })
  )

  it.effect("verifications in manual review get the verdict on the changed credential, or end without one", () =>
    Effect.gen(function* () {
      for (const [attributes, ends] of [
        [verifiable, ["VALID", "VALID", "VALID"]],
        [{ credentialType: "FIRST_AID" }, ["INTERNAL_ERROR", "INTERNAL_ERROR"]]
      ] as const) {
        const id = yield* queued
        assertStatus(yield* patch(`/credentials/${id}`, { attributes }), 200)
        assert.deepStrictEqual(yield* endsOf(id), [...ends])
      }
    })
  )
})
