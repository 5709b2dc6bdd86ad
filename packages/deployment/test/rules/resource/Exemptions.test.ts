import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { applicant, at, exemption, textAt, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertRefused, assertStatus, get, idOfNothing, idsOf, patch, post, put, remove } from "../NewerSurface.ts"
import { ids, list, type Parameters, pathOf } from "./Listing.ts"

layer(layerService(), { excludeTestServices: true })("exemptions", (it) => {
  it.effect("ENV-05: an exemption belongs to one worker or one applicant, and has a type", () =>
    Effect.gen(function* () {
      const [w, a] = [{ id: yield* worker() }, { id: yield* applicant() }]
      const exemptionType = "ENV-05"
      assertRefused(yield* post("/exemptions", { exemptionType }), "INVALID_ARGUMENT", "worker")
      assertRefused(yield* post("/exemptions", { exemptionType, worker: w, applicant: a }), "INVALID_ARGUMENT")
      assertRefused(yield* post("/exemptions", { exemptionType, worker: a }), "INVALID_ARGUMENT", "worker.id")
      assertRefused(yield* post("/exemptions", { exemptionType, worker: {} }), "INVALID_ARGUMENT", "worker.id")
      assertRefused(yield* post("/exemptions", { worker: w }), "INVALID_ARGUMENT", "exemptionType")
      const unknown = { exemptionType, worker: w, exemptedCredentialTypes: ["NOPE"] }
      assertRefused(yield* post("/exemptions", unknown), "INVALID_ARGUMENT", "exemptedCredentialTypes")
      assert.deepStrictEqual(yield* ids("exemptions", { exemptionType }), [])
      const path = `/exemptions/${yield* exemption({ worker: w })}`
      assertRefused(yield* patch(path, { worker: null }), "INVALID_ARGUMENT", "worker")
      assertRefused(yield* patch(path, { applicant: a }), "INVALID_ARGUMENT")
      const moved = yield* patch(path, { worker: null, applicant: a })
      assert.deepStrictEqual([at(moved, "data.worker"), at(moved, "data.applicant")], [undefined, a])
    })
  )

  it.effect("ENV-11: every write accepts a person's external id, and responses show the id", () =>
    Effect.gen(function* () {
      const [ann, bob] = [
        yield* worker({ source: { externalId: "exempt Ann" } }),
        yield* applicant({ source: { externalId: "exempt Bob" } })
      ]
      const made = yield* post("/exemptions", { exemptionType: "E", worker: { externalId: "exempt Ann" } })
      assertStatus(made, 201)
      assert.deepStrictEqual(at(made, "data.worker"), { id: ann })
      assert.isUndefined(at(made, "meta.warnings"))
      const path = `/exemptions/${textAt(made, "data.id")}`
      const same = yield* put(path, { exemptionType: "E", worker: { externalId: "exempt Ann" } })
      assert.deepStrictEqual(at(same, "data"), at(made, "data"))
      const replaced = yield* put(path, { exemptionType: "E", applicant: { externalId: "exempt Bob" } })
      assert.deepStrictEqual(at(replaced, "data.applicant"), { id: bob })
      assert.isUndefined(at(replaced, "data.worker"))
      const carl = yield* applicant({ source: { externalId: "exempt Carl" } })
      const patched = yield* patch(path, { applicant: { externalId: "exempt Carl" } })
      assert.deepStrictEqual(at(patched, "data.applicant"), { id: carl })
      const both = { exemptionType: "E", worker: { id: ann, externalId: "exempt Ann" } }
      assertRefused(yield* post("/exemptions", both), "INVALID_ARGUMENT", "worker")
      assertRefused(yield* patch(path, { applicant: { externalId: 7 } }), "INVALID_ARGUMENT", "applicant.externalId")
    })
  )

  it.effect("ENV-03: an exemption of a missing person is 422, for every way of naming one, and none is created", () =>
    Effect.gen(function* () {
      const exemptionType = "ENV-03"
      const gone = yield* worker({ source: { externalId: "exempt gone" } })
      assertStatus(yield* remove(`/workers/${gone}`), 204)
      yield* worker({ source: { externalId: "exempt twins" } })
      yield* worker({ source: { externalId: "exempt twins" } })
      const people = [
        { id: idOfNothing(gone) },
        { id: gone },
        { externalId: "exempt gone" },
        { externalId: "exempt nobody" },
        { externalId: "" },
        { externalId: "a\0b" },
        { externalId: "exempt twins" }
      ]
      for (const person of people) {
        assertRefused(yield* post("/exemptions", { exemptionType, worker: person }), "UNPROCESSABLE", "worker")
      }
      const twins = yield* post("/exemptions", { exemptionType, worker: { externalId: "exempt twins" } })
      assertRefused(twins, "UNPROCESSABLE", "several")
      assert.deepStrictEqual(yield* ids("exemptions", { exemptionType }), [])

      const path = `/exemptions/${yield* exemption({ worker: { id: yield* worker() } })}`
      const before = at(yield* get(path), "data")
      for (const person of people) {
        assertRefused(yield* put(path, { exemptionType, worker: person }), "UNPROCESSABLE", "worker")
        assertRefused(yield* patch(path, { worker: person }), "UNPROCESSABLE", "worker")
      }
      assert.deepStrictEqual(at(yield* get(path), "data"), before)
    })
  )

  it.effect("ENV-03: a malformed body is 400 and a missing exemption 404, before a missing person is 422", () =>
    Effect.gen(function* () {
      const nobody = { worker: { externalId: "exempt nobody" } }
      assertRefused(yield* post("/exemptions", nobody), "INVALID_ARGUMENT", "exemptionType")
      const missing = `/exemptions/${idOfNothing(yield* exemption({ worker: { id: yield* worker() } }))}`
      assertRefused(yield* put(missing, nobody), "INVALID_ARGUMENT", "exemptionType")
      assertRefused(yield* put(missing, { ...nobody, exemptionType: "E" }), "NOT_FOUND")
      assertRefused(yield* patch(missing, nobody), "NOT_FOUND")
    })
  )

  it.effect("DEL-01: the exemption of a deleted worker can still be changed and deleted", () =>
    Effect.gen(function* () {
      const w = yield* worker()
      const path = `/exemptions/${yield* exemption({ worker: { id: w } })}`
      assertStatus(yield* remove(`/workers/${w}`), 204)
      assert.strictEqual(at(yield* patch(path, { reason: "left" }), "data.reason"), "left")
      assertStatus(yield* put(path, { exemptionType: "E", worker: { id: w } }), 200)
      assertStatus(yield* remove(path), 204)
    })
  )

  it.effect("ENV-07: the filters of exemptions, alone and combined; expired ones are included", () =>
    Effect.gen(function* () {
      const [w, a] = [
        yield* worker({ source: { externalId: "exempt owner" } }),
        yield* applicant({ source: { externalId: "exempt owner" } })
      ]
      const [one, two, three] = [
        yield* exemption({ worker: { id: w } }, { jurisdiction: "NSW", expiryDate: "2999-01-01" }),
        yield* exemption({ worker: { id: w } }, { exemptionType: "RELIGIOUS", expiryDate: "2001-01-01" }),
        yield* exemption({ applicant: { id: a } }, { jurisdiction: "VIC", issueDate: "2000-01-01" })
      ]
      const rows: ReadonlyArray<readonly [Parameters, ReadonlyArray<string>]> = [
        [{}, [one, two, three]],
        [{ ownerType: "worker", ownerId: w }, [one, two]],
        [{ ownerType: "applicant", ownerId: a }, [three]],
        [{ exemptionType: "MEDICAL" }, [one, three]],
        [{ exemptionType: "medical" }, []],
        [{ exemptionType: "" }, []],
        [{ jurisdiction: "NSW" }, [one]],
        [{ expiringBefore: "2999-01-01" }, [two]],
        [{ expiringBefore: "2999-01-02" }, [one, two]],
        [{ exemptionType: "MEDICAL", jurisdiction: "VIC" }, [three]]
      ]
      for (const [parameters, expected] of rows) {
        const found = yield* ids("exemptions", { ownerExternalId: "exempt owner", ...parameters })
        assert.sameMembers(found, [...expected], JSON.stringify(parameters))
      }
      for (const [sort, expected] of [
        ["expiryDate:asc", [three, two, one]],
        ["issueDate:desc", [three]]
      ] as const) {
        const sorted = idsOf(yield* list("exemptions", { ownerExternalId: "exempt owner", sort }))
        assert.deepStrictEqual(sorted.slice(0, expected.length), [...expected])
      }
      for (const parameters of [{ jurisdiction: "nsw" }, { expiringBefore: "soon" }, { ownerId: w }]) {
        assertRefused(yield* get(pathOf("exemptions", parameters)), "INVALID_ARGUMENT")
      }
    })
  )
})
