import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { applicant, at, Service, textAt } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertRefused, assertStatus, get, idsOf, post, put, root } from "../NewerSurface.ts"

const addressed = { emailAddress: "ann@example.org" }

layer(layerService(), { excludeTestServices: true })("applicants", (it) => {
  it.effect("ENV-11, CRD-10: a create is 201 with a new id app_<id>, and Location leads to the applicant", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const [made, again] = [yield* post("/applicants", addressed), yield* post("/applicants", addressed)]
      for (const answer of [made, again]) {
        assertStatus(answer, 201)
        assert.sameMembers(Object.keys(Object(answer.json)), ["data", "meta"])
        assert.match(textAt(answer, "data.id"), /^app_[0-9A-Za-z]{16}$/)
        assert.strictEqual(at(answer, "data.type"), "applicant")
        assert.strictEqual(answer.headers["location"], `${root}/applicants/${textAt(answer, "data.id")}`)
      }
      assert.notStrictEqual(textAt(made, "data.id"), textAt(again, "data.id"))
      const read = yield* call({ method: "GET", path: made.headers["location"] ?? "" })
      assertStatus(read, 200)
      assert.deepStrictEqual(at(read, "data"), at(made, "data"))
    })
  )

  it.effect("WRK-03: the server creates an applicant's id too, and ignores a sent one", () =>
    Effect.gen(function* () {
      const made = yield* post("/applicants", { ...addressed, id: "app_0123456789ABCDEF" })
      assertStatus(made, 201)
      assert.notStrictEqual(textAt(made, "data.id"), "app_0123456789ABCDEF")
      assert.include(String(at(made, "meta.warnings")), "id")
      assertRefused(yield* get("/applicants/app_0123456789ABCDEF"), "NOT_FOUND")
    })
  )

  it.effect("ENV-11: keeps and shows every field of an applicant unchanged", () =>
    Effect.gen(function* () {
      const fields = {
        displayName: "Ann Example",
        firstName: "Ann",
        lastName: "Example",
        emailAddress: "Ann.Example+1@Example.org",
        phone: "+61 400 000 000",
        birthDate: "1980-02-29",
        source: { externalId: "all fields", sourceSystem: "ATS" },
        status: "SCREENING"
      }
      const made = yield* post("/applicants", fields)
      assertStatus(made, 201)
      const { createdAt, id, type, updatedAt, ...shown } = Object(at(made, "data"))
      assert.deepStrictEqual(shown, fields)
      assert.deepStrictEqual([type, updatedAt], ["applicant", createdAt])
      assert.deepStrictEqual(at(yield* get(`/applicants/${id}`), "data"), at(made, "data"))
    })
  )

  it.effect("ENV-05: refuses an applicant without an address, and creates none", () =>
    Effect.gen(function* () {
      const source = { externalId: "ENV-05" }
      const found = Effect.map(get("/applicants?externalId=ENV-05"), idsOf)
      for (const emailAddress of [undefined, null, "", "ann", "ann@", "@example.org", "a b@example.org"]) {
        assertRefused(yield* post("/applicants", { source, emailAddress }), "INVALID_ARGUMENT", "emailAddress")
      }
      assert.deepStrictEqual(yield* found, [])
      assertStatus(yield* post("/applicants", { source, ...addressed }), 201)
      assert.lengthOf(yield* found, 1)
    })
  )

  it.effect("ENV-11: status defaults to NEW, on create and on PUT, and is one of five words", () =>
    Effect.gen(function* () {
      const made = yield* post("/applicants", addressed)
      assert.strictEqual(at(made, "data.status"), "NEW")
      const path = `/applicants/${textAt(made, "data.id")}`
      for (const status of ["NEW", "SCREENING", "COMPLETED", "HIRED", "WITHDRAWN"]) {
        assert.strictEqual(at(yield* put(path, { ...addressed, status }), "data.status"), status)
      }
      assertRefused(yield* put(path, { ...addressed, status: "hired" }), "INVALID_ARGUMENT", "status")
      assert.strictEqual(at(yield* get(path), "data.status"), "WITHDRAWN")
      assert.strictEqual(at(yield* put(path, addressed), "data.status"), "NEW")
    })
  )

  it.effect("ENV-09: an applicant's id with its last characters exchanged is 404", () =>
    Effect.gen(function* () {
      const id = yield* applicant()
      assertStatus(yield* get(`/applicants/${id}`), 200)
      const other = id.slice(0, -2) + (id.endsWith("00") ? "11" : "00")
      assertRefused(yield* get(`/applicants/${other}`), "NOT_FOUND")
    })
  )
})
