import { assert, describe, it } from "@effect/vitest"
import { letsEngage, questionsOf } from "@wcs/domain/holding/Clearance"
import { readOn } from "@wcs/domain/holding/Credential"
import { aboutOf, type Decision, decidable, decidedIn } from "@wcs/domain/holding/Decision"
import { eligibilities, type StatusDetail, statusDetails, verdictOf } from "@wcs/domain/holding/Verification"
import { dayAfter } from "@wcs/domain/shared/Instant"
import { withOutcome } from "@wcs/domain/verification/VerificationRun"
import * as fc from "fast-check"
import { fieldsWith, storedWith } from "../credential/CredentialFixtures.ts"

const details = eligibilities.flatMap((eligibility): ReadonlyArray<StatusDetail> => statusDetails[eligibility])
const cards = [
  { identifier: "WWC1234567E" },
  { identifier: "WWC1234567V" },
  { identifier: "APP1234567" },
  { identifier: "1234567/1", credentialType: "BLUE_CARD_QLD" }
]
const firstDay = "2026-01-31"

type Step =
  | { readonly step: "answer"; readonly detail: StatusDetail }
  | { readonly step: "decide"; readonly outcome: Decision["outcome"]; readonly days: number }
  | { readonly step: "wait"; readonly days: number }

const steps = fc.array(
  fc.oneof(
    fc.record({ step: fc.constant("answer" as const), detail: fc.constantFrom(...details) }),
    fc.record({
      step: fc.constant("answer" as const),
      detail: fc.constantFrom<StatusDetail>("CONDITIONAL", "VALID", "EXPIRED")
    }),
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

const byNumber = ["VOLUNTEER_ONLY", "APPLICATION_IN_PROGRESS"]
const forHolder = ["DETAILS_MISSING", "EXPIRED"]

/** What a history comes to, in the plainest words. */
const makeModel = (identifier: string) => {
  let [day, verdict] = [firstDay, "PENDING" as StatusDetail]
  let decision: (Pick<Decision, "about" | "endsOn" | "outcome"> & { isEnded: boolean }) | undefined
  // The last conclusive verdict, and whether anybody has looked at what it asks since it began.
  let [last, isLookedAt] = ["PENDING" as StatusDetail, false]
  const isRefused = () => refusals.includes(verdict)
  const current = () => (decision === undefined || decision.isEnded || day > decision.endsOn ? undefined : decision)
  const isBarred = () =>
    current()?.outcome === "MAY_NOT_ENGAGE" && current()?.about.every((one) => forHolder.includes(one)) === false
  const ends = ({ about, outcome }: Pick<Decision, "about" | "outcome">, detail: StatusDetail) => {
    if (outcome === "MAY_NOT_ENGAGE") return !about.includes(detail) && about.every((one) => forHolder.includes(one))
    const isSilent = about.some((one) => one !== detail && !byNumber.includes(one))
    return isRefused() || isSilent || (questions.includes(detail) && !about.includes(detail))
  }
  const asked = (): ReadonlyArray<StatusDetail> => {
    if (isRefused()) return []
    const own = [...questions, "DETAILS_MISSING"].includes(verdict) ? [verdict] : []
    const byNumber = identifier.endsWith("V") ? ["VOLUNTEER_ONLY" as const] : []
    return [...own, ...byNumber, ...(identifier.startsWith("APP") ? ["APPLICATION_IN_PROGRESS" as const] : [])]
  }
  return {
    day: () => day,
    isRefused,
    isBarred,
    isDecided: () => current() !== undefined,
    isUnseen: () => verdict === last && questions.includes(verdict) && !byNumber.includes(verdict) && !isLookedAt,
    last: () => last,
    lets: () => {
      const isOpen = ["PENDING", "QUEUED_MANUAL", ...statusDetails.ERROR].includes(verdict)
      if (isRefused() || isOpen || isBarred()) return false
      if (asked().length === 0) return true
      return current()?.outcome === "MAY_ENGAGE" && asked().every((one) => current()?.about.includes(one))
    },
    wait: (days: number) => (day = dayAfter(day, days)),
    answer: (detail: StatusDetail) => {
      verdict = detail
      if (![...statusDetails.MAY_ENGAGE, ...refusals, ...questions].includes(detail)) return
      if (decision !== undefined && ends(decision, detail)) decision.isEnded = true
      if (detail !== last) isLookedAt = false
      last = detail
    },
    decide: (about: ReadonlyArray<StatusDetail>, endsOn: string, outcome: Decision["outcome"]) => {
      decision = { about, endsOn, outcome, isEnded: false }
      isLookedAt = true
    }
  }
}

describe("a decision", () => {
  it("approves until a verdict says otherwise, and bars until its last day, in any history", () => {
    fc.assert(
      fc.property(fc.constantFrom(...cards), steps, (card, history) => {
        const model = makeModel(card.identifier)
        let fields = fieldsWith({ ...card, ...verdictOf("PENDING") })
        const read = () => readOn(storedWith(fields.attributes), model.day()).fields
        for (const each of history) {
          if (each.step === "wait") model.wait(each.days)
          if (each.step === "answer") {
            const outcome = { ...verdictOf(each.detail), expiryDate: null, errorMessage: null, verifiedAt: 0 }
            fields = withOutcome(fields, outcome)
            model.answer(each.detail)
          }
          if (each.step === "decide") {
            const [open, { decision: replaced }] = [questionsOf(read(), "EMPLOYEE"), read().attributes]
            const asked = decidedIn(open, replaced)
            if (model.isBarred() && open.length === 0) assert.isNotEmpty(asked, "nobody is trapped")
            const isPossible = asked.every((one) => decidable[one]?.outcomes.includes(each.outcome) === true)
            if (model.isBarred() && open.length === 0) assert.isTrue(isPossible, "nobody is trapped")
            if (asked.length === 0 || !isPossible) continue
            const endsOn = dayAfter(model.day(), each.days)
            const about = aboutOf(each.outcome, open, replaced, model.last())
            const decision: Decision = {
              ...{ outcome: each.outcome, reason: "because", endsOn, about },
              ...{ decidedAt: "2026-01-31T00:00:00.000Z", account: "urn:wcs:account:acc_1" }
            }
            const wasBarred = model.isBarred()
            fields = { attributes: { ...fields.attributes, decision } }
            model.decide(about, endsOn, each.outcome)
            if (wasBarred) assert.strictEqual(model.isBarred(), each.outcome === "MAY_NOT_ENGAGE")
          }
          assert.strictEqual(read().attributes.decision !== undefined, model.isDecided())
          assert.strictEqual(letsEngage(read(), "EMPLOYEE"), model.lets())
          for (const as of ["EMPLOYEE", "VOLUNTEER"] as const) {
            if (model.isRefused() || model.isBarred() || model.isUnseen()) assert.isFalse(letsEngage(read(), as))
          }
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

  // outcome, about, verdicts, whether the decision is there afterwards
  it.each([
    ["MAY_ENGAGE", ["CONDITIONAL"], ["VALID", "CONDITIONAL"], false],
    ["MAY_ENGAGE", ["CONDITIONAL"], ["SOURCE_TIMEOUT", "DETAILS_MISSING", "CONDITIONAL"], true],
    ["MAY_ENGAGE", ["VOLUNTEER_ONLY"], ["VALID"], true],
    ["MAY_ENGAGE", [], ["CONDITIONAL"], false],
    ["MAY_NOT_ENGAGE", ["CONDITIONAL"], ["VALID", "SUSPENDED", "POSSIBLE_MATCH"], true],
    ["MAY_NOT_ENGAGE", ["DETAILS_MISSING"], ["VALID"], false],
    ["MAY_NOT_ENGAGE", ["EXPIRED"], ["EXPIRED"], true],
    ["MAY_NOT_ENGAGE", ["EXPIRED"], ["VALID"], false]
  ] as const)("%s about %j, after %j, is there: %s", (outcome, about, verdicts, expected) => {
    const decision = { outcome, about, reason: "because", endsOn: firstDay, decidedAt: "", account: "" }
    const after = verdicts.reduce(
      (fields, detail) =>
        withOutcome(fields, { ...verdictOf(detail), expiryDate: null, errorMessage: null, verifiedAt: 0 }),
      fieldsWith({ decision })
    )
    assert.strictEqual(after.attributes.decision !== undefined, expected)
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
