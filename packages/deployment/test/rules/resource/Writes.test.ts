import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { applicant, at, exemption, screeningPackage, textAt, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { pathOf, routes } from "../EveryRoute.ts"
import { assertRefused, assertStatus, get, idOfNothing, patch, put, remove, root } from "../NewerSurface.ts"
import { type Row, run } from "../Row.ts"
import { subjects } from "../Subjects.ts"

// `Write.test.ts` tests the rules of bodies, and the store's suite that every field of every resource is kept.
layer(layerService(), { excludeTestServices: true })("writes", (it) => {
  it.effect("ENV-16, SIL-09: PUT and PATCH take the body of GET and change nothing; after a delete they are 404", () =>
    Effect.gen(function* () {
      const of = yield* subjects
      const replaceable = routes.filter(({ name }) => name.endsWith(".replace"))
      assert.lengthOf(replaceable, 12)
      for (const route of replaceable) {
        const path = pathOf(route, of).slice(root.length)
        const before = at(yield* get(path), "data")
        for (const send of [put, patch]) {
          const answer = yield* send(path, before)
          assertStatus(answer, 200)
          assert.deepStrictEqual(at(answer, "data"), before, route.name)
          assert.isUndefined(at(answer, "meta.warnings"), route.name)
        }
        assert.deepStrictEqual(at(yield* get(path), "data"), before, route.name)
        assertStatus(yield* remove(path), 204)
        for (const send of [put, patch]) assertRefused(yield* send(path, before), "NOT_FOUND")
        assertRefused(yield* get(path), "NOT_FOUND")
      }
    })
  )

  it.effect(
    "ENV-05, threat 41: are judged on the wire by the rules of the domain, get defaults, and name unknown fields",
    () =>
      Effect.gen(function* () {
        const code = yield* screeningPackage()
        const identity = { displayName: "Ann", nick: { name: "A" } }
        const born = { identity: { ...identity, birthDate: "2999-01-01" } }
        const making = (code: string, expect: Row["expect"]): Row => ({
          call: "POST /compliance-checks",
          body: { code, displayName: "Short", requirement: { credentialTypes: ["FIRST_AID"] } },
          expect
        })
        const defaults = { credentialTypes: ["FIRST_AID"], mode: "ALL", exemptionsCount: false }
        yield* run([
          {
            call: "POST /workers",
            body: { identity, shoeSize: 42 },
            expect: { "meta.warnings": ["unknown field ignored: identity.nick", "unknown field ignored: shoeSize"] }
          },
          { call: "POST /workers", body: born, expect: "INVALID_ARGUMENT: birthDate" },
          { call: `PATCH /workers/${yield* worker()}`, body: born, expect: "INVALID_ARGUMENT: birthDate" },
          { call: `PATCH /screening-packages/${code}`, body: { code: "other" }, expect: "INVALID_ARGUMENT: code" },
          { call: `PUT /screening-packages/${code}`, body: { name: "Short" }, expect: { "data.active": true } },
          { call: "PUT /screening-packages/no-such-code", body: { name: "Short" }, expect: "NOT_FOUND" },
          making(`0_${"z".repeat(62)}`, {
            "data.severity": "WARNING",
            "data.enabled": true,
            "data.requirement": defaults
          }),
          making("a".repeat(65), "INVALID_ARGUMENT: code"),
          making("A", "INVALID_ARGUMENT: code")
        ])
      })
  )

  it.effect("CRD-01, ENV-03, ENV-10: name a person by id or external id, who must exist unless nothing changes", () =>
    Effect.gen(function* () {
      const named = (externalId: string) => ({ source: { externalId } })
      const [ann, bob] = [yield* worker(named("exempt Ann")), yield* applicant(named("exempt Bob"))]
      const gone = yield* worker(named("exempt gone"))
      for (let twin = 0; twin < 2; twin++) yield* worker(named("exempt twins"))
      const owned = yield* exemption({ worker: { id: gone } })
      const exemptionType = "ENV-03"
      const post = (body: object, expect: Row["expect"]): Row => ({ call: "POST /exemptions", body, expect })
      const missing = [{ id: idOfNothing(gone) }, { id: gone }, { externalId: "exempt gone" }, { externalId: "" }]
      assertStatus(yield* remove(`/workers/${gone}`), 204)
      const [made] = yield* run([
        post({ exemptionType, worker: { externalId: "exempt Ann" } }, { "data.worker": { id: ann } }),
        post({ exemptionType }, "INVALID_ARGUMENT: worker"),
        post({ exemptionType, worker: { id: ann }, applicant: { id: bob } }, "INVALID_ARGUMENT"),
        post({ exemptionType, worker: { id: bob } }, "INVALID_ARGUMENT: worker.id"),
        post({ exemptionType, worker: { id: ann, externalId: "exempt Ann" } }, "INVALID_ARGUMENT: worker"),
        post({ exemptionType, worker: { externalId: "exempt twins" } }, "UNPROCESSABLE: several"),
        post({ worker: { externalId: "exempt nobody" } }, "INVALID_ARGUMENT: exemptionType"),
        ...missing.map((person) => post({ exemptionType, worker: person }, "UNPROCESSABLE: worker"))
      ])
      const path = `/exemptions/${textAt(made, "data.id")}`
      const nobody = { externalId: "exempt nobody" }
      const applicantOnly = { "data.applicant": { id: bob }, "data.worker": undefined }
      const attributes = { credentialType: "FIRST_AID", owners: { worker: ann, applicant: idOfNothing(bob) } }
      yield* run([
        { call: "POST /credentials", body: { attributes }, expect: `UNPROCESSABLE: ${idOfNothing(bob)}` },
        {
          call: "POST /credentials",
          body: { attributes: { ...attributes, owners: { worker: gone } } },
          expect: `UNPROCESSABLE: ${gone}`
        },
        { call: `PATCH ${path}`, body: { worker: null }, expect: "INVALID_ARGUMENT: worker" },
        { call: `PATCH ${path}`, body: { applicant: { id: bob } }, expect: "INVALID_ARGUMENT" },
        { call: `PATCH ${path}`, body: { worker: nobody }, expect: "UNPROCESSABLE: worker" },
        { call: `PUT ${path}`, body: { exemptionType, worker: nobody }, expect: "UNPROCESSABLE: worker" },
        {
          call: `PUT ${path}`,
          body: { exemptionType, applicant: { externalId: "exempt Bob" } },
          expect: applicantOnly
        },
        {
          call: `PATCH ${path}`,
          body: { applicant: { externalId: 7 } },
          expect: "INVALID_ARGUMENT: applicant.externalId"
        },
        { call: `PATCH /exemptions/${idOfNothing(owned)}`, body: { worker: nobody }, expect: "NOT_FOUND" },
        { call: `PATCH /exemptions/${owned}`, body: { reason: "left" }, expect: { "data.reason": "left" } },
        { call: `PUT /exemptions/${owned}`, body: { exemptionType, worker: { id: gone } }, expect: 200 },
        { call: `DELETE /exemptions/${owned}`, expect: 204 }
      ])
    })
  )
})
