import { assert, describe, it } from "@effect/vitest"
import { letsEngage, questionsOf } from "@wcs/domain/holding/Clearance"
import { readOn } from "@wcs/domain/holding/Credential"
import { type Decision, decidable, inForce } from "@wcs/domain/holding/Decision"
import { eligibilities, type StatusDetail, statusDetails, verdictOf } from "@wcs/domain/holding/Verification"
import { dayAfter } from "@wcs/domain/shared/Instant"
import { withOutcome } from "@wcs/domain/verification/VerificationRun"
import * as fc from "fast-check"
import { fieldsWith, storedWith } from "../credential/CredentialFixtures.ts"

const details = eligibilities.flatMap((eligibility): ReadonlyArray<StatusDetail> => statusDetails[eligibility])
const numbers = ["WWC1234567E", "WWC1234567V", "APP1234567"]
const firstDay = "2026-01-31"

type Step =
  | { readonly step: "answer"; readonly detail: StatusDetail }
  | { readonly step: "decide"; readonly outcome: Decision["outcome"]; readonly days: number }
  | { readonly step: "wait"; readonly days: number }

const steps = fc.array(
  fc.oneof(
    fc.record({ step: fc.constant("answer" as const), detail: fc.constantFrom(...details) }),
    fc.record({ step: fc.constant("answer" as const), detail: fc.constantFrom<StatusDetail>("CONDITIONAL", "VALID") }),
    fc.record({
      step: fc.constant("decide" as const),
      outcome: fc.constantFrom("MAY_ENGAGE" as const, "MAY_NOT_ENGAGE" as const),
      days: fc.integer({ min: 0, max: 9 })
    }),
    fc.record({ step: fc.constant("wait" as const), days: fc.integer({ min: 1, max: 5 }) })
  ) satisfies fc.Arbitrary<Step>,
  { maxLength: 12 }
)

/** The words that a register or a reviewer refuses with, and those that leave a question. Stated apart from the rules. */
const refusals: ReadonlyArray<string> = statusDetails.MAY_NOT_ENGAGE
const questions = [
  "APPLICATION_IN_PROGRESS",
  "CONDITIONAL",
  "VOLUNTEER_ONLY",
  "POSSIBLE_MATCH",
  "MANUAL_REVIEW_REQUIRED"
]

/** What a history comes to, in the plainest words. */
const makeModel = (identifier: string) => {
  let [day, verdict] = [firstDay, "PENDING" as StatusDetail]
  let decision: (Pick<Decision, "about" | "endsOn" | "outcome"> & { isEnded: boolean }) | undefined
  const isRefused = () => refusals.includes(verdict)
  const asked = (): ReadonlyArray<StatusDetail> => {
    if (isRefused()) return []
    const own = [...questions, "DETAILS_MISSING"].includes(verdict) ? [verdict] : []
    const byNumber = identifier.endsWith("V") ? ["VOLUNTEER_ONLY" as const] : []
    return [...own, ...byNumber, ...(identifier.startsWith("APP") ? ["APPLICATION_IN_PROGRESS" as const] : [])]
  }
  return {
    day: () => day,
    isRefused,
    isDecided: () => decision !== undefined && !decision.isEnded && day <= decision.endsOn,
    lets: () => {
      const isOpen = ["PENDING", "QUEUED_MANUAL", ...statusDetails.ERROR].includes(verdict)
      if (isRefused() || isOpen) return false
      if (asked().length === 0) return true
      if (decision === undefined || decision.isEnded || day > decision.endsOn) return false
      return decision.outcome === "MAY_ENGAGE" && asked().every((one) => decision?.about.includes(one))
    },
    wait: (days: number) => (day = dayAfter(day, days)),
    answer: (detail: StatusDetail) => {
      verdict = detail
      const isAnotherQuestion = questions.includes(detail) && decision?.about.includes(detail) === false
      if (decision !== undefined && (isRefused() || isAnotherQuestion)) decision.isEnded = true
    },
    decide: (about: ReadonlyArray<StatusDetail>, endsOn: string, outcome: Decision["outcome"]) => {
      decision = { about, endsOn, outcome, isEnded: false }
    }
  }
}

describe("a decision", () => {
  it("is in force until its last day, unless a later verdict refuses or asks something else, in any history", () => {
    fc.assert(
      fc.property(fc.constantFrom(...numbers), steps, (identifier, history) => {
        const model = makeModel(identifier)
        let fields = fieldsWith({ identifier, ...verdictOf("PENDING") })
        let [made, later] = [undefined as Decision | undefined, [] as Array<StatusDetail>]
        const read = () => readOn(storedWith(fields.attributes), model.day()).fields
        for (const each of history) {
          if (each.step === "wait") model.wait(each.days)
          if (each.step === "answer") {
            const outcome = { ...verdictOf(each.detail), expiryDate: null, errorMessage: null, verifiedAt: 0 }
            fields = withOutcome(fields, outcome)
            model.answer(each.detail)
            later.push(each.detail)
          }
          if (each.step === "decide") {
            const about = questionsOf(read(), "EMPLOYEE")
            const isPossible = about.every((one) => decidable[one]?.outcomes.includes(each.outcome) === true)
            if (about.length === 0 || !isPossible) continue
            const endsOn = dayAfter(model.day(), each.days)
            const decision: Decision = {
              ...{ outcome: each.outcome, reason: "because", endsOn, about },
              ...{ decidedAt: "2026-01-31T00:00:00.000Z", account: "urn:wcs:account:acc_1" }
            }
            fields = { attributes: { ...fields.attributes, decision } }
            model.decide(about, endsOn, each.outcome)
            ;[made, later] = [decision, []]
          }
          const shown = read().attributes.decision !== undefined
          assert.strictEqual(shown, model.isDecided())
          if (made !== undefined) assert.strictEqual(inForce(made, later.map(verdictOf), model.day()), shown)
          assert.strictEqual(letsEngage(read(), "EMPLOYEE"), model.lets())
          if (model.isRefused()) assert.isFalse(letsEngage(read(), "VOLUNTEER"))
        }
      }),
      { numRuns: Number(process.env["WCS_TEST_RUNS"] ?? 300) }
    )
  })

  it("never answers for a register that has not, and lets nobody work whose card has expired or lacks details", () => {
    assert.deepStrictEqual(decidable.DETAILS_MISSING?.outcomes, ["MAY_NOT_ENGAGE"])
    assert.deepStrictEqual(decidable.EXPIRED?.outcomes, ["MAY_NOT_ENGAGE"])
    for (const detail of [...statusDetails.MAY_ENGAGE, ...statusDetails.IN_PROGRESS, ...statusDetails.ERROR]) {
      assert.isUndefined(decidable[detail], detail)
    }
  })

  it.each([
    ["BLUE_CARD_QLD", ["EXPIRED"]],
    ["WWCC_WA", []]
  ] as const)("R8: an expired %s leaves %j to a person", (credentialType, expected) => {
    const card = storedWith({ credentialType, expiryDate: "2026-01-30", ...verdictOf("VALID") })
    assert.deepStrictEqual(questionsOf(readOn(card, firstDay).fields), expected)
    assert.deepStrictEqual(questionsOf(readOn(card, "2026-01-30").fields), [])
  })
})
