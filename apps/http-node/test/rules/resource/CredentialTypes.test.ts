import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { at, Service, tokenOf, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertRefused, assertStatus, dataOf, get, post, remove, root } from "../NewerSurface.ts"

const states = ["NSW", "VIC", "QLD", "SA", "WA", "TAS", "ACT", "NT"]

layer(layerService(), { excludeTestServices: true })("credential types", (it) => {
  it.effect("ENV-01: the catalogue is complete, with the requirements of each type", () =>
    Effect.gen(function* () {
      const answer = yield* get("/credential-types")
      assertStatus(answer, 200)
      assert.deepStrictEqual(at(answer, "meta"), { requestId: answer.headers["x-request-id"] })
      const rows = new Map(dataOf(answer).map((row) => [Object(row).code, Object(row)]))
      const registrations = states.map((state) => `TEACHER_REGISTRATION_${state}`)
      assert.sameMembers(
        [...rows.keys()],
        [
          ...["WWCC_NSW", "WWCC_VIC", "WWCC_SA", "WWCC_WA", "BLUE_CARD_QLD", "WWVP_TAS", "WWVP_ACT", "OCHRE_CARD_NT"],
          ...["NDIS_WORKER_SCREENING", "AHPRA_REGISTRATION", "POLICE_CHECK_NATIONAL", "FIRST_AID"],
          ...registrations
        ]
      )
      assert.deepStrictEqual(rows.get("WWCC_NSW"), {
        code: "WWCC_NSW",
        displayName: "Working With Children Check (New South Wales)",
        jurisdiction: "NSW",
        verifiable: true,
        manual: false,
        requiredFields: ["identifier"],
        identifier: {
          pattern: "^(WWC\\d{7}[EV]|APP\\d{6,10})$",
          form: "WWC with 7 digits and a final E or V, or APP with 6 to 10 digits",
          strict: true
        }
      })
      assert.deepStrictEqual(rows.get("FIRST_AID"), {
        code: "FIRST_AID",
        displayName: "First aid certificate",
        jurisdiction: "NATIONAL",
        verifiable: false,
        manual: false,
        requiredFields: [],
        identifier: null
      })
      assert.isTrue(rows.get("WWVP_ACT").manual)
    })
  )

  it.effect("CRD-01: credentials are checked against the same catalogue", () =>
    Effect.gen(function* () {
      const owners = { worker: yield* worker() }
      for (const row of dataOf(yield* get("/credential-types"))) {
        const { code: credentialType, identifier, requiredFields } = Object(row)
        const made = yield* post("/credentials", { attributes: { credentialType, identifier: "no such form", owners } })
        if (identifier?.strict === true) assertRefused(made, "INVALID_ARGUMENT", identifier.form)
        else assertStatus(made, 201)
        const without = yield* post("/credentials", { attributes: { credentialType, owners } })
        if (requiredFields.length > 0) assertRefused(without, "INVALID_ARGUMENT", `attributes.${requiredFields[0]}`)
        else assertStatus(without, 201)
      }
      assertRefused(yield* post("/credentials", { attributes: { credentialType: "NOPE", owners } }), "INVALID_ARGUMENT")
    })
  )

  it.effect("PRV-01: needs credential READ, and has no parameter and no other method", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const path = `${root}/credential-types`
      const { token } = yield* tokenOf(["credential:READ"])
      assertStatus(yield* call({ method: "GET", path, token }), 200)
      const other = yield* tokenOf(["credential:CREATE", "worker:READ"])
      assertRefused(yield* call({ method: "GET", path, token: other.token }), "FORBIDDEN", "READ credentials")
      assertRefused(yield* get("/credential-types?pageSize=1"), "INVALID_ARGUMENT", "pageSize")
      assertRefused(yield* post("/credential-types", {}), "METHOD_NOT_ALLOWED")
      assertRefused(yield* remove("/credential-types"), "METHOD_NOT_ALLOWED")
      assertRefused(yield* get("/credential-types/WWCC_NSW"), "NOT_FOUND")
    })
  )
})
