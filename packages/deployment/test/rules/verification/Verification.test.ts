import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { at, credential, reviewed, Service, tokenOf, verifiable, verified, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertRefused, assertStatus, dataOf, get, patch, post, remove, root } from "../NewerSurface.ts"

const verify = (id: string, body?: unknown) => post(`/credentials/${id}/verify`, body)

const fresh = Effect.flatMap(worker(), (holder) => verified({ worker: holder }))

/** The verifications of a credential, oldest first. */
const history = Effect.fnUntraced(function* (id: string) {
  const answer = yield* get(`/credentials/${id}/verifications`)
  assertStatus(answer, 200)
  return dataOf(answer).map(Object)
})

layer(layerService(), { excludeTestServices: true })("verification", (it) => {
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
