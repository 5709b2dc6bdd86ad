import { assert, describe, it } from "@effect/vitest"
import { catalogue } from "@wcs/domain/holding/CredentialType"
import * as Registers from "@wcs/register/Registers"
import { Effect } from "effect"
import { askedOf, questionAbout } from "./Questions.ts"

describe("the registers of a deployment", () => {
  it.effect("never send a manual credential type to a register", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const { ask } = Registers.withManualReview({
        ask: ({ credentialType }) => {
          asked.push(credentialType)
          return Effect.succeed({ _tag: "Found", statusDetail: "VALID", expiryDate: null })
        }
      })
      const queued: Array<string> = []
      for (const { code } of catalogue)
        if ((yield* ask(questionAbout(null, code), "tnt_1"))._tag === "Queued") queued.push(code)
      const coded = (isManual: boolean) => catalogue.filter(({ manual }) => manual === isManual).map(({ code }) => code)
      assert.deepStrictEqual([asked, queued], [coded(false), coded(true)])
    })
  )
})

/** Who is asked about: Ann Example with further details. */
const questionWith = (credentialType: string, identifier: string, more: object = {}, holder: object = {}) => {
  const question = questionAbout(identifier, credentialType)
  return { ...question, ...more, holder: { ...question.holder, ...holder } }
}

const today = "1970-01-01" // the clock of a test starts here
const inDays = (days: number) => new Date(Date.parse(today) + days * 24 * 60 * 60 * 1000).toISOString().slice(0, 10)
const formerly = (lastName: string) => ({ otherNames: [{ firstName: null, lastName }] })

/** Questions to the reference register, and what it says. */
const answers: ReadonlyArray<readonly [what: string, question: ReturnType<typeof questionWith>, answer: object]> = [
  ["a cleared card", questionWith("WWCC_NSW", "WWC1234567E"), { statusDetail: "VALID", expiryDate: inDays(1500) }],
  ["an expired card", questionWith("WWCC_NSW", "WWC1234502E"), { statusDetail: "EXPIRED", expiryDate: inDays(-1) }],
  ["an unknown card", questionWith("WWCC_NSW", "WWC7654321E"), { statusDetail: "NOT_FOUND" }],
  ["R7: another name", questionWith("WWCC_NSW", "WWC1234505E"), { statusDetail: "NAME_MISMATCH" }],
  [
    "R7: a name before the present one",
    questionWith("WWCC_NSW", "WWC1234505E", {}, formerly("Sample")),
    { statusDetail: "VALID", expiryDate: inDays(1500) }
  ],
  [
    "another date of birth",
    questionWith("WWCC_NSW", "WWC1234567E", {}, { birthDate: "1990-04-02" }),
    { statusDetail: "DETAILS_MISMATCH" }
  ],
  ["R9: an application", questionWith("WWCC_NSW", "APP12345670"), { statusDetail: "APPLICATION_IN_PROGRESS" }],
  ["R9: a replaced application", questionWith("WWCC_NSW", "APP12345671"), { statusDetail: "WITHDRAWN" }],
  ["an exclusion", questionWith("WWCC_VIC", "1234568A-01"), { statusDetail: "EXCLUDED" }],
  [
    "R1: a card with its expiry date",
    questionWith("BLUE_CARD_QLD", "1234567/2", { expiryDate: inDays(900) }),
    { statusDetail: "VALID", expiryDate: inDays(900) }
  ],
  [
    "R1: a card with another expiry date",
    questionWith("BLUE_CARD_QLD", "1234567/2", { expiryDate: inDays(899) }),
    { statusDetail: "NOT_FOUND" }
  ],
  [
    "R8: a card that was renewed under a new issue number",
    questionWith("BLUE_CARD_QLD", "1234567/1", { expiryDate: inDays(-30) }),
    { statusDetail: "EXPIRED" }
  ],
  ["a deemed withdrawal", questionWith("WWCC_WA", "1234570"), { statusDetail: "WITHDRAWN" }],
  ["a prohibition", questionWith("WWCC_SA", "1234568"), { statusDetail: "BARRED" }],
  ["a proposed negative notice", questionWith("WWVP_TAS", "1234568"), { statusDetail: "MANUAL_REVIEW_REQUIRED" }],
  ["a card of the north", questionWith("OCHRE_CARD_NT", "1234567"), { statusDetail: "VALID", expiryDate: inDays(600) }],
  [
    "R10: a number without a name",
    questionWith("NDIS_WORKER_SCREENING", "12345671", {}, { lastName: "Other" }),
    { statusDetail: "APPLICATION_IN_PROGRESS", matched: ["identifier"] }
  ],
  [
    "conditions",
    questionWith("AHPRA_REGISTRATION", "NMW0001234568"),
    { statusDetail: "CONDITIONAL", expiryDate: inDays(300), matched: ["identifier"] }
  ],
  [
    "R10: an active teacher",
    questionWith("TEACHER_REGISTRATION_NSW", "123456"),
    { statusDetail: "VALID", matched: ["identifier"] }
  ]
]

describe("the reference register", () => {
  it.effect.each(answers)("answers about %s", ([, question, answer]) =>
    Effect.gen(function* () {
      const said = yield* askedOf(Registers.layer({ _tag: "Reference" }), question)
      assert.deepStrictEqual(said, { _tag: "Found", expiryDate: null, ...answer })
    })
  )

  it.effect.each(["POLICE_CHECK_NATIONAL", "RIGHT_TO_WORK"])(
    "fails for good about %s, which it does not have",
    (code) =>
      Effect.gen(function* () {
        const said = yield* askedOf(Registers.layer({ _tag: "Reference" }), questionAbout("1234567", code))
        assert.deepStrictEqual(said, { fault: "SOURCE_NOT_CONFIGURED", isTransient: false })
      })
  )
})
