import { assert, describe, it } from "@effect/vitest"
import { catalogue } from "@wcs/domain/holding/CredentialType"
import * as Registers from "@wcs/register/Registers"
import * as Simulator from "@wcs/register/Simulator"
import { Effect } from "effect"
import { askedOf, questionAbout } from "./Questions.ts"

const register = Registers.layer({ _tag: "Simulator", options: { latencyMillis: 0 } })

describe("the registers of a deployment", () => {
  for (const { code, manual } of catalogue) {
    it.effect(`ask ${manual ? "a person" : "the register"} about ${code}`, () =>
      Effect.gen(function* () {
        const answer = yield* askedOf(register, questionAbout("1234515", code))
        const barred = { _tag: "Found", statusDetail: "BARRED", expiryDate: null }
        assert.deepStrictEqual(answer, manual ? { _tag: "Queued" } : barred)
      })
    )
  }

  it.effect("never send a manual credential type to a register", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const { ask } = Registers.withManualReview({
        ask: (question, tenantId) => {
          asked.push(question.credentialType)
          return Simulator.make({ latencyMillis: 0 }).ask(question, tenantId)
        }
      })
      for (const { code } of catalogue) yield* ask(questionAbout(null, code), "tnt_1")
      assert.deepStrictEqual(
        asked,
        catalogue.filter(({ manual }) => !manual).map(({ code }) => code)
      )
    })
  )
})
