import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { applicant, at, freshCode, recruitmentCheck, screeningPackage } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertStatus, get, idOfNothing, patch, put, remove } from "../NewerSurface.ts"
import { type Row, run } from "../Row.ts"

layer(layerService(), { excludeTestServices: true })("recruitment checks", (it) => {
  it.effect("ENV-10: a missing, deleted or inactive package is 422, a missing applicant too", () =>
    Effect.gen(function* () {
      const a = yield* applicant()
      const [code, gone] = [yield* screeningPackage(), yield* screeningPackage()]
      const inactive = yield* screeningPackage({ active: false })
      assertStatus(yield* remove(`/screening-packages/${gone}`), 204)
      const making = (screeningPackageCode: string, expect: Row["expect"], person: unknown = { id: a }): Row => ({
        call: "POST /recruitment-checks",
        body: { applicant: person, screeningPackageCode },
        expect
      })
      const noPackage = "UNPROCESSABLE: screeningPackageCode was not found among the screening packages"
      const nobody = "UNPROCESSABLE: applicant was not found among the applicants"
      yield* run([
        making(freshCode(), noPackage),
        making(gone, noPackage),
        making(inactive, `UNPROCESSABLE: screeningPackageCode: the screening package ${inactive} is inactive`),
        making(code, nobody, { id: idOfNothing(a) }),
        making(code, nobody, { externalId: "nobody's" }),
        { call: `GET /recruitment-checks?applicantId=${a}`, expect: { data: [] } },
        { call: `PATCH /screening-packages/${inactive}`, body: { active: true }, expect: 200 },
        making(inactive, 201)
      ])
    })
  )

  it.effect("ENV-10: the requirements are a copy: later changes of the package do not matter", () =>
    Effect.gen(function* () {
      const code = yield* screeningPackage({ requirements: { credentialTypes: ["WWCC_NSW"] } })
      const path = `/recruitment-checks/${yield* recruitmentCheck({ id: yield* applicant() }, code)}`
      const before = Object(at(yield* get(path), "data"))
      assert.deepStrictEqual(before.requirements, { credentialTypes: ["WWCC_NSW"] })
      const other = { active: false, requirements: { credentialTypes: ["FIRST_AID"] } }
      assertStatus(yield* patch(`/screening-packages/${code}`, other), 200)
      assert.deepStrictEqual(at(yield* get(path), "data"), before)
      assertStatus(yield* remove(`/screening-packages/${code}`), 204)
      const { applicant: person, screeningPackageCode } = before
      const answer = yield* put(path, { applicant: person, screeningPackageCode, message: "Still" })
      assert.deepStrictEqual(at(answer, "data.requirements"), before.requirements)
      const plain = yield* recruitmentCheck({ id: yield* applicant() }, yield* screeningPackage())
      assert.deepStrictEqual(at(yield* get(`/recruitment-checks/${plain}`), "data.requirements"), {})
    })
  )
})
