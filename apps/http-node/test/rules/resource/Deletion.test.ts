import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  applicant,
  at,
  complianceCheck,
  credential,
  exemption,
  fetchRequest,
  ownersOf,
  recruitmentCheck,
  screeningPackage,
  webhook,
  worker
} from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertRefused, assertStatus, dataOf, get, idOfNothing, idsOf, post, put, remove } from "../NewerSurface.ts"

const workerRef = (id: string) => ({ type: "worker", id })
const applicantRef = (id: string) => ({ type: "applicant", id })

const isCode = (id: string) => id.startsWith("code-")

/** The path of a resource of each group. */
const oneOfEach = Effect.gen(function* () {
  const holder = yield* worker()
  const candidate = yield* applicant()
  return [
    `/workers/${yield* worker()}`,
    `/applicants/${yield* applicant()}`,
    `/credentials/${yield* credential({ worker: holder })}`,
    `/exemptions/${yield* exemption({ worker: { id: holder } })}`,
    `/screening-packages/${yield* screeningPackage()}`,
    `/compliance-checks/${yield* complianceCheck()}`,
    `/webhooks/${yield* webhook()}`,
    `/recruitment-checks/${yield* recruitmentCheck({ id: candidate }, yield* screeningPackage())}`,
    `/fetch-requests/${yield* fetchRequest({ id: holder })}`
  ]
})

layer(layerService(), { excludeTestServices: true })("deletion", (it) => {
  it.effect("DEL-01: a delete is 204 without a body, and the resource is gone", () =>
    Effect.gen(function* () {
      for (const path of yield* oneOfEach) {
        assertStatus(yield* get(path), 200)
        const answer = yield* remove(path)
        assertStatus(answer, 204)
        assert.strictEqual(answer.text, "")
        assert.isString(answer.headers["x-request-id"])
        assertRefused(yield* get(path), "NOT_FOUND")
        assertRefused(yield* get(`${path}?includeDeleted=false`), "NOT_FOUND")
      }
    })
  )

  it.effect("DEL-02, DEL-07: a second delete is 204 again, and changes nothing", () =>
    Effect.gen(function* () {
      for (const path of yield* oneOfEach) {
        const before = at(yield* get(path), "data")
        assertStatus(yield* remove(path), 204)
        const deleted = at(yield* get(`${path}?includeDeleted=true`), "data")
        for (let count = 0; count < 3; count++) {
          const again = yield* remove(path)
          assertStatus(again, 204)
          assert.strictEqual(again.text, "")
          assert.deepStrictEqual(at(yield* get(`${path}?includeDeleted=true`), "data"), deleted)
        }
        assert.deepStrictEqual({ ...Object(deleted), updatedAt: Object(before).updatedAt }, before)
      }
    })
  )

  it.effect("DEL-02: concurrent deletes are each 204", () =>
    Effect.gen(function* () {
      for (const path of yield* oneOfEach) {
        const answers = yield* Effect.all(
          Array.from({ length: 8 }, () => remove(path)),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(new Set(answers.map(({ status }) => status)), new Set([204]))
      }
    })
  )

  it.effect("ENV-08, ENV-09: deleting a missing resource is 404, a malformed id 400", () =>
    Effect.gen(function* () {
      for (const path of yield* oneOfEach) {
        const [, collection = "", id = ""] = path.split("/")
        assertRefused(yield* remove(`/${collection}/${idOfNothing(id)}`), "NOT_FOUND")
        const malformedIds = isCode(id)
          ? ["X", "-x", "_x", `${id}%20`, "%C3%A9", "a".repeat(65), "%00", "..%2f.."]
          : ["x", `${id}0`, id.slice(0, -1), id.replace("_", "-"), "%00", "..%2f.."]
        for (const malformed of malformedIds) {
          assertRefused(yield* remove(`/${collection}/${malformed}`), "INVALID_ARGUMENT", "id")
        }
        assertStatus(yield* get(path), 200)
        assertStatus(yield* remove(path), 204)
      }
    })
  )

  it.effect("ENV-08: an id of another group is malformed in this one", () =>
    Effect.gen(function* () {
      const paths = yield* oneOfEach
      const collections = paths.map((path) => path.split("/")[1])
      for (const path of paths) {
        for (const collection of collections.filter((name) => !path.startsWith(`/${name}/`))) {
          const id = path.split("/")[2] ?? ""
          const crossed = `/${collection}/${id}`
          // A code is valid for every group of codes: there is just nothing under it.
          const isBothCodes = isCode(id) && paths.some((other) => other.startsWith(`/${collection}/code-`))
          const code = isBothCodes ? "NOT_FOUND" : "INVALID_ARGUMENT"
          assertRefused(yield* get(crossed), code)
          assertRefused(yield* remove(crossed), code)
        }
        assertStatus(yield* get(path), 200)
      }
    })
  )

  // Threat 28: a deleted resource is in no list, with any filter, unless requested.
  it.effect("SIL-09: a deleted worker is in no list and no lookup; with includeDeleted=true it is", () =>
    Effect.gen(function* () {
      const fields = { source: { externalId: "gone", sourceSystem: "gone" }, identity: { displayName: "Gone Girl" } }
      const [gone, stays] = [yield* worker(fields), yield* worker(fields)]
      assertStatus(yield* remove(`/workers/${gone}`), 204)
      const queries = ["externalId=gone", "sourceSystem=gone", "query=gone", "sourceSystem=gone&sort=updatedAt:desc"]
      for (const query of queries) {
        assert.deepStrictEqual([...idsOf(yield* get(`/workers?${query}`))], [stays])
        assert.deepStrictEqual([...idsOf(yield* get(`/workers?${query}&includeDeleted=false`))], [stays])
        assert.sameMembers([...idsOf(yield* get(`/workers?${query}&includeDeleted=true`))], [gone, stays])
      }
      assert.notInclude(idsOf(yield* get("/workers?pageSize=100")), gone)
      assert.strictEqual(at(yield* get(`/workers/${gone}?includeDeleted=true`), "data.id"), gone)
    })
  )

  it.effect("SIL-09: a deleted credential is in no list, no filter by owner and no batch by owner", () =>
    Effect.gen(function* () {
      const [w, next] = [yield* worker({ source: { externalId: "holder" } }), yield* worker()]
      const [gone, stays] = [yield* credential({ worker: w }), yield* credential({ worker: w })]
      assertStatus(yield* remove(`/credentials/${gone}`), 204)
      for (const query of ["ownerExternalId=holder", `ownerType=worker&ownerId=${w}`]) {
        assert.deepStrictEqual([...idsOf(yield* get(`/credentials?${query}`))], [stays])
        assert.sameMembers([...idsOf(yield* get(`/credentials?${query}&includeDeleted=true`))], [gone, stays])
      }
      const moved = yield* post("/credentials/transfer", { from: workerRef(w), to: workerRef(next) })
      assert.deepStrictEqual(dataOf(moved), [{ credentialId: stays, status: "transferred" }])
      const shown = at(yield* get(`/credentials/${gone}?includeDeleted=true`), "data.attributes.owners")
      assert.deepStrictEqual(shown, { worker: w, applicant: null })
    })
  )

  it.effect("CRD-06: the credentials of a deleted owner are not found by its external id, and still exist", () =>
    Effect.gen(function* () {
      const w = yield* worker({ source: { externalId: "left" } })
      const id = yield* credential({ worker: w })
      assert.deepStrictEqual([...idsOf(yield* get("/credentials?ownerExternalId=left"))], [id])
      assertStatus(yield* remove(`/workers/${w}`), 204)
      assert.deepStrictEqual([...idsOf(yield* get("/credentials?ownerExternalId=left"))], [])
      assert.deepStrictEqual([...idsOf(yield* get(`/credentials?ownerType=worker&ownerId=${w}`))], [id])
      assert.deepStrictEqual(yield* ownersOf(id), { worker: w, applicant: null })
      // Everything else of such a credential can still be changed.
      assertStatus(
        yield* put(`/credentials/${id}`, { attributes: { credentialType: "FIRST_AID", cardType: "B" } }),
        200
      )
    })
  )

  it.effect("OWN-22: a credential whose last owner cannot be unlinked can be deleted instead", () =>
    Effect.gen(function* () {
      const w = yield* worker()
      const id = yield* credential({ worker: w })
      assertRefused(yield* post(`/credentials/${id}/unlink`, workerRef(w)), "UNPROCESSABLE", "Delete")
      assertStatus(yield* remove(`/credentials/${id}`), 204)
    })
  )

  it.effect("OWN-20: link, unlink and transfer of a deleted credential are 404, and change nothing", () =>
    Effect.gen(function* () {
      const [w, other, a] = [yield* worker(), yield* worker(), yield* applicant()]
      const id = yield* credential({ worker: w })
      assertStatus(yield* remove(`/credentials/${id}`), 204)
      assertRefused(yield* post(`/credentials/${id}/link`, applicantRef(a)), "NOT_FOUND")
      assertRefused(yield* post(`/credentials/${id}/link`, workerRef(w)), "NOT_FOUND")
      assertRefused(yield* post(`/credentials/${id}/unlink`, workerRef(w)), "NOT_FOUND")
      const refs = { from: workerRef(w), to: workerRef(other) }
      assertRefused(yield* post(`/credentials/${id}/transfer`, refs), "NOT_FOUND")
      const shown = at(yield* get(`/credentials/${id}?includeDeleted=true`), "data.attributes.owners")
      assert.deepStrictEqual(shown, { worker: w, applicant: null })
    })
  )

  it.effect("DEL-01: a delete ignores its body", () =>
    Effect.gen(function* () {
      const path = `/workers/${yield* worker()}`
      assertStatus(yield* remove(path, { id: "other" }), 204)
      assertRefused(yield* get(path), "NOT_FOUND")
    })
  )
})
