import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { at, credential, reviewed, textAt, tokenOf, verifiable, verified, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { dataOf, get } from "../NewerSurface.ts"
import * as Row from "../Row.ts"
import { list } from "../resource/Listing.ts"

const fresh = Effect.flatMap(worker(), (holder) => verified({ worker: holder }))
const inReview = Effect.flatMap(worker(), (holder) => verified({ worker: holder }, reviewed, "QUEUED_MANUAL"))

/** The verifications of a credential, oldest first. */
const history = (id: string) =>
  Effect.map(list(`credentials/${id}/verifications`), (answer) => dataOf(answer).map(Object))

/** The verifications of a credential once none is open. */
const ended = (id: string) =>
  Effect.repeat(history(id), { until: (all) => all.every(({ verifiedAt }) => verifiedAt !== null) })

layer(layerService(), { excludeTestServices: true })("verification", (it) => {
  it.effect("OWN-20: verify of a missing or deleted credential is 404, and of an unverifiable type 422", () =>
    Effect.gen(function* () {
      const [id, plain] = [yield* fresh, yield* credential({ worker: yield* worker() })]
      const [, , , , , left] = yield* Row.run([
        { call: `POST /credentials/${plain}/verify`, expect: "UNPROCESSABLE: FIRST_AID" },
        { call: "POST /credentials/cred_0000000000000000/verify", expect: "NOT_FOUND" },
        { call: "POST /credentials/nonsense/verify", expect: "INVALID_ARGUMENT: id" },
        { call: `DELETE /credentials/${id}`, expect: 204 },
        { call: `POST /credentials/${id}/verify`, expect: "NOT_FOUND" },
        { call: `GET /credentials/${id}/verifications`, expect: 200 },
        { call: `GET /credentials/${plain}/verifications`, expect: { data: [] } },
        { call: "GET /credentials/cred_0000000000000000/verifications", expect: "NOT_FOUND" },
        { call: `GET /credentials/${id}/verifications?page=1`, expect: "INVALID_ARGUMENT: page" }
      ])
      assert.isNotEmpty(dataOf(left))
    })
  )

  it.effect("manual review: a verify returns immediately, and a privileged caller decides once", () =>
    Effect.gen(function* () {
      const id = yield* inReview
      const { token } = yield* tokenOf("Data Manager")
      const { token: admin } = yield* tokenOf("Admin")
      const review = { call: `POST /credentials/${id}/review` }
      const shown = "data.attributes"
      yield* Row.run([
        ...[{}, { forceRefresh: true }].map((body) => ({
          call: `POST /credentials/${id}/verify`,
          body,
          expect: { "data.eligibility": "IN_PROGRESS", "data.statusDetail": "QUEUED_MANUAL", "data.expiryDate": null }
        })),
        { ...review, as: token, body: { statusDetail: "VALID" }, expect: "FORBIDDEN: UPDATE verifications" },
        ...["PENDING", "QUEUED_MANUAL", "SOURCE_TIMEOUT", "nonsense", undefined].map((statusDetail) => ({
          ...review,
          body: { statusDetail },
          expect: "INVALID_ARGUMENT: statusDetail"
        })),
        {
          ...review,
          as: admin,
          body: { statusDetail: "CONDITIONAL", expiryDate: "2031-05-01" },
          expect: { [`${shown}.eligibility`]: "REVIEW_REQUIRED", [`${shown}.expiryDate`]: "2031-05-01" }
        },
        { ...review, body: { statusDetail: "VALID" }, expect: "UNPROCESSABLE: waiting for a decision" }
      ])
      const [first] = yield* history(id)
      assert.deepStrictEqual([first.statusDetail, first.trigger], ["CONDITIONAL", "create"])
    })
  )

  it.effect("verifications in manual review end with the credential, or get the verdict on its new card", () =>
    Effect.gen(function* () {
      for (const [method, attributes, ends] of [
        ["DELETE", undefined, ["INTERNAL_ERROR", "INTERNAL_ERROR"]],
        ["PATCH", verifiable, ["VALID", "VALID", "VALID"]],
        ["PATCH", { credentialType: "FIRST_AID" }, ["INTERNAL_ERROR", "INTERNAL_ERROR"]]
      ] as const) {
        const id = yield* inReview
        const change = { call: `${method} /credentials/${id}`, expect: method === "DELETE" ? 204 : 200 }
        yield* Row.run([
          { call: `POST /credentials/${id}/verify`, expect: 200 },
          attributes === undefined ? change : { ...change, body: { attributes } }
        ])
        const details = (yield* ended(id)).map(({ statusDetail }) => statusDetail)
        assert.deepStrictEqual(details, [...ends])
      }
    })
  )

  it.effect("a change of the card starts a verification, and returns its correlation id", () =>
    Effect.gen(function* () {
      const id = yield* fresh
      const body = { attributes: { identifier: "WWC1234504E" } } // barred
      const [answer] = yield* Row.run([{ call: `PATCH /credentials/${id}`, body, expect: 200 }])
      const correlationId = textAt(answer, "meta.correlationId")
      assert.strictEqual(at(answer, "data.attributes.lastCorrelationId"), correlationId)
      assert.isUndefined(at(answer, "data.attributes.lastVerifiedAt"))
      const [, second, ...others] = yield* ended(id)
      assert.deepStrictEqual(
        [second.trigger, second.correlationId, second.requestId, others.length],
        ["update", correlationId, answer.headers["x-request-id"], 0]
      )
      const { eligibility, lastVerifiedAt, statusDetail } = Object(
        at(yield* get(`/credentials/${id}`), "data.attributes")
      )
      assert.deepStrictEqual(
        [second.eligibility, second.statusDetail, second.verifiedAt],
        [eligibility, statusDetail, lastVerifiedAt]
      )
    })
  )
})
