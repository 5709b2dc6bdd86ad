import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { applicant, at, freshCode, recruitmentCheck, screeningPackage } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertRefused, assertStatus, get, idOfNothing, patch, post, put, remove } from "../NewerSurface.ts"
import { ids, type Parameters } from "../resource/Listing.ts"

layer(layerService(), { excludeTestServices: true })("recruitment checks", (it) => {
  it.effect("ENV-10: a missing, deleted or inactive package is 422, a missing applicant too", () =>
    Effect.gen(function* () {
      const a = yield* applicant()
      const [gone, inactive] = [yield* screeningPackage(), yield* screeningPackage({ active: false })]
      assertStatus(yield* remove(`/screening-packages/${gone}`), 204)
      const make = (screeningPackageCode: string, person: unknown = { id: a }) =>
        post("/recruitment-checks", { applicant: person, screeningPackageCode })
      for (const code of [freshCode(), gone]) {
        assertRefused(
          yield* make(code),
          "UNPROCESSABLE",
          "screeningPackageCode was not found among the screening packages"
        )
      }
      assertRefused(
        yield* make(inactive),
        "UNPROCESSABLE",
        `screeningPackageCode: the screening package ${inactive} is inactive`
      )
      const code = yield* screeningPackage()
      for (const person of [{ id: idOfNothing(a) }, { externalId: "nobody's" }]) {
        assertRefused(yield* make(code, person), "UNPROCESSABLE", "applicant was not found among the applicants")
      }
      assert.deepStrictEqual(yield* ids("recruitment-checks", { applicantId: a }), [])
      assertStatus(yield* patch(`/screening-packages/${inactive}`, { active: true }), 200)
      assertStatus(yield* make(inactive), 201)
    })
  )

  it.effect("ENV-10: the requirements are a copy: later changes of the package do not matter", () =>
    Effect.gen(function* () {
      const code = yield* screeningPackage({ requirements: { credentialTypes: ["WWCC_NSW"] } })
      const bare = yield* screeningPackage()
      const path = `/recruitment-checks/${yield* recruitmentCheck({ id: yield* applicant() }, code)}`
      const before = Object(at(yield* get(path), "data"))
      assert.deepStrictEqual(before.requirements, { credentialTypes: ["WWCC_NSW"] })
      const other = { active: false, requirements: { credentialTypes: ["FIRST_AID"] } }
      assertStatus(yield* patch(`/screening-packages/${code}`, other), 200)
      assert.deepStrictEqual(at(yield* get(path), "data"), before)
      assertStatus(yield* remove(`/screening-packages/${code}`), 204)
      const { applicant: person, screeningPackageCode } = before
      const answer = yield* put(path, { applicant: person, screeningPackageCode, message: "Still" })
      assertStatus(answer, 200)
      assert.deepStrictEqual(at(answer, "data.requirements"), before.requirements)
      assertRefused(yield* patch(path, { requirements: null }), "INVALID_ARGUMENT", "requirements")
      const plain = yield* recruitmentCheck({ id: yield* applicant() }, bare)
      assert.deepStrictEqual(at(yield* get(`/recruitment-checks/${plain}`), "data.requirements"), {})
    })
  )

  it.effect("ENV-07: the filters of recruitment checks, alone and combined", () =>
    Effect.gen(function* () {
      const [ann, bob] = [
        yield* applicant({ source: { externalId: "checked Ann" } }),
        yield* applicant({ source: { externalId: "checked Bob" } })
      ]
      const [care, aged] = [yield* screeningPackage(), yield* screeningPackage()]
      const [one, two, three] = [
        yield* recruitmentCheck({ externalId: "checked Ann" }, care),
        yield* recruitmentCheck({ id: ann }, aged, { expiryDays: 90 }),
        yield* recruitmentCheck({ id: bob }, care)
      ]
      const rows: ReadonlyArray<readonly [Parameters, ReadonlyArray<string>]> = [
        [{ applicantId: ann }, [one, two]],
        [{ applicantId: idOfNothing(ann) }, []],
        [{ ownerExternalId: "checked Ann" }, [one, two]],
        [{ ownerExternalId: "checked" }, []],
        [{ ownerExternalId: "" }, []],
        [{ screeningPackageCode: care }, [one, three]],
        [{ screeningPackageCode: aged, applicantId: bob }, []],
        [{ screeningPackageCode: care, status: "INITIATED" }, [one, three]],
        [{ applicantId: ann, expiringBefore: "2999-01-01" }, [one, two]]
      ]
      for (const [parameters, expected] of rows) {
        assert.sameMembers(yield* ids("recruitment-checks", parameters), [...expected], JSON.stringify(parameters))
      }
    })
  )
})
