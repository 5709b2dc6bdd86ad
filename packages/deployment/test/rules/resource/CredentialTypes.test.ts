import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { at } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertStatus, dataOf, get } from "../NewerSurface.ts"

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
})
