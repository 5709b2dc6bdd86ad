import { assert, describe, it } from "@effect/vitest"
import { type CredentialFields, missingDetails } from "@wcs/domain/holding/Credential"
import { find } from "@wcs/domain/holding/CredentialType"
import { afterUpdate } from "@wcs/domain/holding/CredentialUpdate"
import {
  eligibilities,
  isConclusive,
  type StatusDetail,
  statusDetails,
  verdictOf
} from "@wcs/domain/holding/Verification"
import type { VerificationDraft } from "@wcs/domain/holding/VerificationRecord"
import { VerificationSettings } from "@wcs/domain/holding/VerificationSettings"
import type { Stored } from "@wcs/domain/resource/Resource"
import { at } from "@wcs/domain/shared/Json"
import { type Matched, type RegisterAnswer, RegisterFailed } from "@wcs/domain/verification/Register"
import {
  afterAsking,
  conclude,
  found as outcomeOf,
  questionFor,
  questionOf,
  reusable,
  reuseMillis,
  withOutcome
} from "@wcs/domain/verification/VerificationRun"
import { Effect, Option, Result } from "effect"
import * as fc from "fast-check"
import { storedWith } from "../credential/CredentialFixtures.ts"
import * as arbitraries from "../shared/arbitraries.ts"

const now = Date.UTC(2026, 0, 31, 9, 30)
const { retryDelaysMillis } = Effect.runSync(VerificationSettings)
const registerFaults = statusDetails.ERROR
const details = eligibilities.flatMap((eligibility): ReadonlyArray<StatusDetail> => statusDetails[eligibility])
const conclusive = details.filter((detail) => isConclusive(verdictOf(detail)))

const open = (count: number): ReadonlyArray<VerificationDraft> =>
  Array.from({ length: count }, (_, index) => ({
    id: `vrf_${index}`,
    credentialId: "cred_0123456789abcDEF",
    correlationId: `run:${index}`,
    requestId: `request ${index}`,
    trigger: "verify" as const,
    account: "urn:wcs:account:acc_1",
    requestedAt: now,
    outcome: null
  }))

const by = () => {
  let minted = 0
  return {
    now,
    today: "2026-01-31",
    auditId: () => `aud_${++minted}`,
    eventId: () => `evt_${++minted}`,
    verificationId: () => `vrf_${++minted}`
  }
}

type Answer = Result.Result<RegisterAnswer, RegisterFailed>
const found = (statusDetail: (RegisterAnswer & { readonly _tag: "Found" })["statusDetail"]): Answer =>
  Result.succeed({ _tag: "Found", statusDetail, expiryDate: "2030-06-30" })
const queued: Answer = Result.succeed({ _tag: "Queued" })
const failing = (fault: RegisterFailed["fault"], isTransient: boolean): Answer =>
  Result.fail(new RegisterFailed({ fault, isTransient, detail: "" }))

const comesTo = (
  stored: Stored<CredentialFields> | undefined,
  answer: Answer,
  { attempt = 1, count = 2, question = stored && questionOf(stored.fields) } = {}
) =>
  afterAsking(
    { credential: Option.fromUndefinedOr(stored), open: open(count) },
    question,
    answer,
    attempt,
    retryDelaysMillis,
    by()
  )

describe("the conclusion of a run", () => {
  it("gives each open verification the verdict and its own event, with correlation id and sequence", () => {
    const conclusion = comesTo(storedWith(), found("VALID"), { count: 3 })
    assert.strictEqual(conclusion._tag, "Concluded")
    if (conclusion._tag !== "Concluded") return
    assert.deepInclude(conclusion.outcome, { ...verdictOf("VALID"), expiryDate: "2030-06-30", errorMessage: null })
    assert.deepStrictEqual(
      conclusion.records.events.map(({ correlationId, kind, sequence }) => `${kind} ${correlationId} ${sequence}`),
      [0, 1, 2].map((index) => `credential.verified run:${index} ${4 + index}`)
    )
    assert.strictEqual(conclusion.next?.version, 6)
    assert.deepInclude(conclusion.next?.fields.attributes, { ...verdictOf("VALID"), expiryDate: "2030-06-30" })
    assert.lengthOf(conclusion.records.audit, 1)
  })

  it("reports an expired card as expired, and stores what the register said", () => {
    for (const statusDetail of ["VALID", "CONDITIONAL"] as const) {
      const answer: Answer = Result.succeed({ _tag: "Found", statusDetail, expiryDate: "2020-02-29" })
      const conclusion = comesTo(storedWith(), answer, { count: 1 })
      assert.strictEqual(conclusion._tag, "Concluded")
      if (conclusion._tag !== "Concluded") return
      assert.deepInclude(conclusion.outcome, { ...verdictOf("EXPIRED"), expiryDate: "2020-02-29" })
      const [event] = conclusion.records.events
      assert.deepInclude(Object(event?.data).verification, { ...verdictOf("EXPIRED"), expiryDate: "2020-02-29" })
      assert.deepInclude(conclusion.next?.fields.attributes, { ...verdictOf(statusDetail), expiryDate: "2020-02-29" })
    }
  })

  it("ignores an answer about another card or person, and asks again", () => {
    const question = { ...questionOf(storedWith().fields), identifier: "WWC7654321E" }
    assert.deepStrictEqual(comesTo(storedWith(), found("VALID"), { question, attempt: 4 }), {
      _tag: "Postponed",
      dueAt: now,
      attempts: 0
    })
  })

  it("retries a transient fault after each delay, and ends every open verification with ERROR after the last", () => {
    for (const fault of registerFaults) {
      for (const [index, delay] of retryDelaysMillis.entries()) {
        const attempt = index + 1
        assert.deepStrictEqual(comesTo(storedWith(), failing(fault, true), { attempt }), {
          _tag: "Postponed",
          dueAt: now + delay,
          attempts: attempt
        })
      }
      for (const last of [
        comesTo(storedWith(), failing(fault, true), { attempt: retryDelaysMillis.length + 1 }),
        comesTo(storedWith(), failing(fault, false))
      ]) {
        assert.strictEqual(last._tag, "Concluded")
        if (last._tag !== "Concluded") continue
        assert.deepInclude(last.outcome, verdictOf(fault))
        assert.isNotNull(last.outcome.errorMessage)
        assert.lengthOf(last.records.events, 2)
      }
    }
  })

  it("DECISIONS.md#verification: ends a run despite repeated changes, and gives an unchanged run every attempt", () => {
    const hour = 3_600_000
    const sumMillis = retryDelaysMillis.reduce((sum, delay) => sum + delay, 0)
    const failingAt = (at: number, attempt: number) =>
      afterAsking(
        { credential: Option.some(storedWith()), open: open(2) },
        questionOf(storedWith().fields),
        failing("SOURCE_UNAVAILABLE", true),
        attempt,
        retryDelaysMillis,
        { ...by(), now: at }
      )
    fc.assert(
      fc.property(
        fc.integer({ min: 1_000, max: hour }),
        fc.array(fc.integer({ min: 0, max: 60_000 }), { minLength: 5, maxLength: 5 }),
        (forcedEveryMillis, lastingMillis) => {
          let at = now
          while (failingAt(at, 1)._tag === "Postponed" && at <= now + sumMillis + 3 * hour) at += forcedEveryMillis
          assert.isAtMost(at, now + sumMillis + hour + forcedEveryMillis, "attempts were reset")
          at = now
          for (const [index, delay] of retryDelaysMillis.entries()) {
            at += lastingMillis[index] ?? 0
            const dueAt = at + delay
            assert.deepStrictEqual(failingAt(at, index + 1), { _tag: "Postponed", dueAt, attempts: index + 1 })
            at = dueAt
          }
          assert.strictEqual(failingAt(at, retryDelaysMillis.length + 1)._tag, "Concluded")
        }
      )
    )
    assert.strictEqual(failingAt(now + sumMillis + hour, 1)._tag, "Postponed")
    const over = failingAt(now + sumMillis + hour + 1, 1)
    assert.strictEqual(over._tag, "Concluded")
    if (over._tag !== "Concluded") return
    assert.deepInclude(over.outcome, verdictOf("SOURCE_UNAVAILABLE"))
    assert.lengthOf(over.records.events, 2)
  })

  it("stores once that a person has to decide, and sends no event", () => {
    const first = comesTo(storedWith(), queued)
    assert.strictEqual(first._tag, "AwaitsReview")
    if (first._tag !== "AwaitsReview") return
    assert.deepInclude(first.next?.fields.attributes, verdictOf("QUEUED_MANUAL"))
    assert.deepStrictEqual([first.next?.version, first.records.audit.length, first.records.events], [4, 1, []])
    const again = comesTo(storedWith({ ...verdictOf("QUEUED_MANUAL") }), queued)
    assert.deepStrictEqual(again, { _tag: "AwaitsReview", next: undefined, records: { audit: [], events: [] } })
  })

  it("ends every open verification of a deleted or no longer verifiable credential without a verdict", () => {
    const moot = [storedWith({}, { deletedAt: now }), storedWith({ credentialType: "FIRST_AID" })]
    for (const stored of moot) {
      const conclusion = comesTo(stored, found("VALID"))
      assert.strictEqual(conclusion._tag, "Concluded")
      if (conclusion._tag !== "Concluded") continue
      assert.deepInclude(conclusion.outcome, verdictOf("INTERNAL_ERROR"))
      assert.deepStrictEqual(conclusion.next?.fields, stored.fields)
      assert.lengthOf(conclusion.records.events, 2)
    }
    const gone = comesTo(undefined, found("VALID"))
    assert.deepInclude(gone, { _tag: "Concluded", next: undefined, records: { audit: [], events: [] } })
  })

  it("never sends an event twice, and always raises the version", () => {
    fc.assert(
      fc.property(
        arbitraries.stored("cred_", arbitraries.credentialFields),
        fc.oneof(
          fc.constantFrom(...registerFaults).chain((fault) => fc.boolean().map((is) => failing(fault, is))),
          fc.constant(queued),
          fc.constant(found("SUSPENDED"))
        ),
        fc.integer({ min: 1, max: 9 }),
        fc.nat({ max: 4 }),
        (stored, answer, attempt, count) => {
          const conclusion = comesTo(stored, answer, { attempt, count })
          if (conclusion._tag === "Postponed") return
          if (conclusion.next !== undefined) assert.isAbove(conclusion.next.version, stored.version)
          const { events } = conclusion.records
          assert.lengthOf(events, conclusion._tag === "Concluded" ? count : 0)
          const sequences = events.map(({ sequence }) => sequence ?? 0)
          assert.strictEqual(new Set(sequences).size, sequences.length)
          for (const sequence of sequences) {
            assert.isAbove(sequence, stored.version)
            assert.isAtMost(sequence, conclusion.next?.version ?? 0)
          }
        }
      )
    )
  })
})

describe("the query to a register", () => {
  it("has what identifies the record, null for unknown values, and neither owners nor earlier verdicts", () => {
    assert.deepStrictEqual(questionOf(storedWith({ ...verdictOf("VALID"), lastCorrelationId: "hire-4711" }).fields), {
      credentialType: "WWCC_NSW",
      jurisdiction: null,
      identifier: "WWC1234567E",
      issueNumber: null,
      cardType: null,
      expiryDate: null,
      holder: { firstName: "Ann", middleName: null, lastName: "Example", birthDate: "1990-04-01", otherNames: [] },
      issuingCountry: null
    })
  })

  it("R7: has the other names in the order of the credential", () => {
    const otherNames = [{ lastName: "Sample" }, { firstName: "Anna", lastName: "Specimen" }]
    assert.deepStrictEqual(
      questionOf(storedWith({ holder: { lastName: "Example", otherNames } }).fields).holder.otherNames,
      [
        { firstName: null, lastName: "Sample" },
        { firstName: "Anna", lastName: "Specimen" }
      ]
    )
  })

  it("R1: has the declared expiry date, never the one of the register", () => {
    const expiryDate = "2030-05-31"
    const asked = (attributes: Partial<CredentialFields["attributes"]>) =>
      questionOf(storedWith({ credentialType: "BLUE_CARD_QLD", expiryDate, ...attributes }).fields).expiryDate
    assert.strictEqual(asked({}), expiryDate)
    assert.isNull(asked({ expiryDateOrigin: "register" }))
    assert.isNull(asked({ credentialType: "WWCC_NSW" }))
  })

  it.each([
    ["gave another one", "2031-01-31"],
    ["gave the same one", "2030-05-31"],
    ["gave none", null]
  ])("R1: has the declared expiry date again after the register %s", (_name, answered) => {
    const expiryDate = "2030-05-31"
    const holder = { firstName: "Ann", lastName: "Example" }
    const { fields } = storedWith({ credentialType: "BLUE_CARD_QLD", identifier: "123456/1", expiryDate, holder })
    const once = withOutcome(fields, outcomeOf(fields, "VALID", answered, now))
    assert.strictEqual(once.attributes.expiryDate, answered ?? expiryDate)
    const twice = withOutcome(once, outcomeOf(once, "VALID", "2032-01-31", now))
    const renamed = afterUpdate(twice, { attributes: { ...twice.attributes, category: "Employee" } })
    for (const stored of [once, twice, renamed]) {
      assert.deepStrictEqual(missingDetails(stored), [])
      assert.strictEqual(questionOf(stored).expiryDate, expiryDate)
    }
    const another = afterUpdate(twice, { attributes: { ...twice.attributes, identifier: "123456/2" } })
    assert.deepInclude(another.attributes, { statusDetail: "PENDING", expiryDate })
  })

  it("R2: is never asked without a path that its type asks with", () => {
    fc.assert(
      fc.property(arbitraries.stored("cred_", arbitraries.credentialFields), (stored) => {
        const question = questionFor(Option.some(stored), "2026-01-31")
        if (question === undefined) return
        for (const path of find(question.credentialType)?.askedWith ?? []) assert.isString(at(question, path))
      })
    )
  })

  const lacking: ReadonlyArray<readonly [string, Partial<CredentialFields["attributes"]>, string]> = [
    ["WWCC_NSW without a birth date", { holder: { lastName: "Example" } }, "holder.birthDate"],
    ["WWCC_NSW without a holder", { holder: {} }, "holder.lastName, holder.birthDate"],
    ["BLUE_CARD_QLD without an expiry date", { credentialType: "BLUE_CARD_QLD" }, "expiryDate"],
    [
      "BLUE_CARD_QLD with the register's own expiry date",
      { credentialType: "BLUE_CARD_QLD", expiryDate: "2030-05-31", expiryDateOrigin: "register" },
      "expiryDate"
    ]
  ]
  it.each(lacking)("R2: %s comes to a review that names what is missing", (_, attributes, missing) => {
    const before = storedWith({ ...attributes, ...verdictOf("VALID") })
    const conclusion = comesTo(before, failing("INTERNAL_ERROR", false), { question: undefined })
    assert.strictEqual(conclusion._tag, "Concluded")
    if (conclusion._tag !== "Concluded") return
    assert.deepInclude(conclusion.outcome, verdictOf("DETAILS_MISSING"))
    assert.include(conclusion.outcome.errorMessage, missing)
    assert.lengthOf(conclusion.records.events, 2)
    assert.deepInclude(conclusion.next?.fields.attributes, {
      ...verdictOf("DETAILS_MISSING"),
      lastKnown: verdictOf("VALID")
    })
    assert.isUndefined(reusable(conclusion.next ?? before, { now, today: "2026-01-31" }))
  })

  it.each([
    ["BLUE_CARD_QLD", "2026-01-30", "EXPIRED"],
    ["BLUE_CARD_QLD", "2026-01-31", "VALID"],
    ["WWCC_NSW", "2026-01-30", "VALID"]
  ] as const)("R8: a %s until %s, seen on 31 January 2026, comes to %s", (credentialType, expiryDate, statusDetail) => {
    const card = storedWith({ credentialType, expiryDate, ...verdictOf("VALID") })
    const asked = questionFor(Option.some(card), "2026-01-31")
    assert.strictEqual(asked === undefined, statusDetail === "EXPIRED")
    const conclusion = comesTo(card, found("VALID"))
    if (conclusion._tag !== "Concluded") return assert.fail(conclusion._tag)
    assert.deepInclude(conclusion.outcome, verdictOf(statusDetail))
    if (asked !== undefined) return
    assert.include(conclusion.outcome.errorMessage, "new number")
    assert.deepStrictEqual(conclusion.next?.fields, card.fields)
  })

  it("R9: is about the check once it has replaced the application", () => {
    const application = questionOf(storedWith({ identifier: "APP1234567" }).fields)
    const check = storedWith({ identifier: "WWC1234567E" })
    assert.strictEqual(comesTo(check, found("VALID"), { question: application })._tag, "Postponed")
    assert.strictEqual(questionFor(Option.some(check), "2026-01-31")?.identifier, "WWC1234567E")
  })

  const differing: ReadonlyArray<Partial<CredentialFields["attributes"]>> = [
    { credentialType: "WWCC_VIC" },
    { jurisdiction: "NSW" },
    { identifier: "WWC1234567V" },
    { issueNumber: "2" },
    { cardType: "VOLUNTEER" },
    { holder: { lastName: "Sample", birthDate: "1990-04-01" } },
    { holder: { lastName: "Example", birthDate: "1990-04-02" } }
  ]
  for (const difference of differing) {
    it(`is asked again when it would differ: ${JSON.stringify(difference)}`, () => {
      const question = questionOf(storedWith().fields)
      for (const answer of [found("VALID"), queued, failing("SOURCE_TIMEOUT", true)]) {
        assert.deepStrictEqual(comesTo(storedWith(difference), answer, { question, attempt: 3 }), {
          _tag: "Postponed",
          dueAt: now,
          attempts: 0
        })
      }
    })
  }

  it("does not depend on other fields", () => {
    const question = questionOf(storedWith().fields)
    const others = { expiryDate: "2031-01-01", category: "paid", lastCorrelationId: "hire-4711", ...verdictOf("VALID") }
    assert.strictEqual(comesTo(storedWith(others), found("VALID"), { question })._tag, "Concluded")
  })
})

describe("R10: what a register compared", () => {
  const rows: ReadonlyArray<
    readonly [
      matched: ReadonlyArray<Matched> | undefined,
      type: CredentialFields["attributes"]["credentialType"],
      detail: StatusDetail
    ]
  > = [
    [undefined, "WWCC_NSW", "VALID"],
    [["identifier", "name", "birthDate"], "WWCC_NSW", "VALID"],
    [["identifier", "name"], "WWCC_NSW", "POSSIBLE_MATCH"],
    [["identifier"], "WWCC_VIC", "POSSIBLE_MATCH"],
    [["identifier"], "TEACHER_REGISTRATION_NSW", "VALID"],
    [[], "AHPRA_REGISTRATION", "POSSIBLE_MATCH"]
  ]
  it.each(rows)("%j of %s says %s", (matched, credentialType, detail) => {
    const answer = { _tag: "Found", statusDetail: "VALID", expiryDate: null } as const
    const conclusion = comesTo(
      storedWith({ credentialType }),
      Result.succeed(matched === undefined ? answer : { ...answer, matched })
    )
    assert.strictEqual(conclusion._tag === "Concluded" && conclusion.outcome.statusDetail, detail)
  })

  it("is no reason to doubt a bar", () => {
    const answer = { _tag: "Found", statusDetail: "BARRED", expiryDate: null, matched: [] } as const
    const conclusion = comesTo(storedWith(), Result.succeed(answer))
    assert.strictEqual(conclusion._tag === "Concluded" && conclusion.outcome.statusDetail, "BARRED")
  })
})

describe("the expiry date of an outcome", () => {
  const register = "register" as const
  // from the register   in the credential before    in the outcome       in the credential afterwards
  const rows = [
    ["2030-06-30", ["2029-01-01", undefined], "2030-06-30", ["2030-06-30", register]],
    ["2030-06-30", ["2030-06-30", undefined], "2030-06-30", ["2030-06-30", undefined]],
    ["2030-06-30", ["2029-01-01", register], "2030-06-30", ["2030-06-30", register]],
    ["2030-06-30", [undefined, undefined], "2030-06-30", ["2030-06-30", register]],
    [null, ["2029-01-01", undefined], "2029-01-01", ["2029-01-01", undefined]],
    [null, ["2029-01-01", register], null, [undefined, undefined]],
    [null, [undefined, undefined], null, [undefined, undefined]]
  ] as const
  for (const [said, [date, origin], expected, afterwards] of rows) {
    const before = date === undefined ? "none" : `${date}, which ${origin === undefined ? "a person" : "it"} gave`
    it(`is ${expected} when the register says ${said} and the credential has ${before}`, () => {
      const own = {
        ...(date === undefined ? {} : { expiryDate: date }),
        ...(origin === undefined ? {} : { expiryDateOrigin: origin })
      }
      const answer: Answer = Result.succeed({ _tag: "Found", statusDetail: "VALID", expiryDate: said })
      const conclusion = comesTo(storedWith(own), answer)
      assert.strictEqual(conclusion._tag, "Concluded")
      if (conclusion._tag !== "Concluded") return
      assert.strictEqual(conclusion.outcome.expiryDate, expected)
      const { expiryDate, expiryDateOrigin } = conclusion.next?.fields.attributes ?? {}
      assert.deepStrictEqual([expiryDate, expiryDateOrigin], [...afterwards])
      for (const { data } of conclusion.records.events) {
        assert.nestedPropertyVal(data, "verification.expiryDate", expected)
      }
    })
  }

  it("is the unchanged date of the credential when there is no verdict", () => {
    for (const origin of [{}, { expiryDateOrigin: register }]) {
      const own = { expiryDate: "2029-01-01", ...origin }
      const conclusion = comesTo(storedWith(own), failing("SOURCE_UNAVAILABLE", false))
      assert.deepNestedInclude(conclusion, { "outcome.expiryDate": "2029-01-01" })
      if (conclusion._tag !== "Concluded") return
      const { expiryDate, expiryDateOrigin } = conclusion.next?.fields.attributes ?? {}
      assert.deepStrictEqual({ expiryDate, expiryDateOrigin }, { expiryDateOrigin: undefined, ...own })
    }
  })
})

describe("a credential with an outcome", () => {
  const outcome = (statusDetail: StatusDetail, expiryDate: string | null = null) => ({
    ...verdictOf(statusDetail),
    expiryDate,
    errorMessage: null,
    verifiedAt: now
  })

  it("keeps the last conclusive verdict through ERRORs, until the next verdict", () => {
    const good = withOutcome(storedWith().fields, outcome("VALID", "2030-06-30"))
    assert.deepInclude(good.attributes, { lastVerifiedAt: "2026-01-31T09:30:00.000Z", expiryDate: "2030-06-30" })
    const once = withOutcome(good, outcome("SOURCE_TIMEOUT"))
    const twice = withOutcome(once, outcome("QUEUED_MANUAL"))
    for (const { attributes } of [once, twice]) {
      assert.deepStrictEqual(attributes.lastKnown, { ...verdictOf("VALID"), since: "2026-01-31T09:30:00.000Z" })
      assert.strictEqual(attributes.lastVerifiedAt, "2026-01-31T09:30:00.000Z")
    }
    const again = withOutcome(twice, outcome("SUSPENDED"))
    assert.notProperty(again.attributes, "lastKnown")
    assert.deepInclude(again.attributes, verdictOf("SUSPENDED"))
    assert.notProperty(again.attributes, "expiryDate", "the register gives no date any more")
  })

  it("says since when it has its status, which the same verdict again does not change", () => {
    const sinceAfter = (...details: ReadonlyArray<StatusDetail>) =>
      details.reduce(
        (fields, detail, day) => withOutcome(fields, { ...outcome(detail), verifiedAt: now + day * 86_400_000 }),
        storedWith().fields
      ).attributes.statusSince
    assert.strictEqual(sinceAfter("BARRED", "BARRED", "BARRED"), "2026-01-31T09:30:00.000Z")
    assert.strictEqual(sinceAfter("VALID", "BARRED", "BARRED"), "2026-02-01T09:30:00.000Z")
    assert.strictEqual(sinceAfter("BARRED", "SOURCE_TIMEOUT", "QUEUED_MANUAL", "BARRED"), "2026-01-31T09:30:00.000Z")
    assert.strictEqual(sinceAfter("BARRED", "SOURCE_TIMEOUT"), "2026-02-01T09:30:00.000Z")
    assert.strictEqual(sinceAfter("VALID", "SOURCE_TIMEOUT", "BARRED"), "2026-02-02T09:30:00.000Z")
    const early = { ...verdictOf("BARRED"), lastVerifiedAt: "2025-10-03T00:00:00.000Z" }
    assert.strictEqual(
      withOutcome(storedWith(early).fields, outcome("BARRED")).attributes.statusSince,
      early.lastVerifiedAt,
      "an earlier release stored no time"
    )
    const hidden = { ...verdictOf("SOURCE_TIMEOUT"), lastKnown: verdictOf("BARRED") }
    assert.strictEqual(
      withOutcome(storedWith({ ...early, ...hidden }).fields, outcome("BARRED")).attributes.statusSince,
      early.lastVerifiedAt,
      "an earlier release stored no time of `lastKnown`"
    )
    const failed = { ...verdictOf("SOURCE_TIMEOUT"), lastVerifiedAt: "2025-10-03T00:00:00.000Z" }
    assert.strictEqual(
      withOutcome(storedWith(failed).fields, outcome("SOURCE_TIMEOUT")).attributes.statusSince,
      "2026-01-31T09:30:00.000Z"
    )
  })

  it("is reused for exactly a day, and only when it has a verdict", () => {
    const verified = (detail: StatusDetail) =>
      storedWith({ ...verdictOf(detail), lastVerifiedAt: "2026-01-31T09:30:00.000Z" })
    for (const detail of conclusive) {
      assert.deepInclude(reusable(verified(detail), { now: now + reuseMillis - 1, today: "2026-02-01" }), {
        verifiedAt: now,
        ...verdictOf(detail)
      })
      assert.isUndefined(reusable(verified(detail), { now: now + reuseMillis, today: "2026-02-01" }))
    }
    for (const detail of details.filter((each) => !conclusive.includes(each))) {
      assert.isUndefined(reusable(verified(detail), by()))
    }
    assert.isUndefined(reusable(storedWith(), by()))
    const lapsed = { ...verified("VALID").fields.attributes, expiryDate: "2026-01-30" }
    assert.deepInclude(reusable(storedWith(lapsed), by()), verdictOf("EXPIRED"))
  })

  it("is unchanged when it was not verified, and still counts its events", () => {
    const stored = storedWith({ ...verdictOf("VALID") })
    const { next } = conclude(stored, open(0), outcome("INTERNAL_ERROR"), by(), false)
    assert.deepStrictEqual(next, { ...stored, version: 4 })
  })
})

describe("a scheduled verification", () => {
  const verified = withOutcome(
    storedWith().fields,
    outcomeOf(storedWith().fields, "VALID", "2030-06-30", now - reuseMillis)
  )
  const stored = { ...storedWith(), fields: verified }
  const [scheduled] = open(1).map((draft) => ({ ...draft, id: "vrf_s", trigger: "schedule" as const }))
  const concluding = (answer: Answer, callers: number, from = stored) => {
    const drafts = scheduled === undefined ? [] : [...open(callers), scheduled]
    const basis = { credential: Option.some(from), open: drafts }
    const conclusion = afterAsking(basis, questionOf(from.fields), answer, 9, retryDelaysMillis, by())
    assert.strictEqual(conclusion._tag, "Concluded")
    return conclusion._tag === "Concluded" ? conclusion : assert.fail()
  }
  const triggers = (conclusion: ReturnType<typeof concluding>) =>
    conclusion.records.events.map(({ data }) => (data as { verification: { trigger: string } }).verification.trigger)

  it("has no event if the verdict and the date are the same", () => {
    const conclusion = concluding(found("VALID"), 0)
    assert.deepStrictEqual(triggers(conclusion), [])
    assert.strictEqual(conclusion.next?.fields.attributes.lastVerifiedAt, "2026-01-31T09:30:00.000Z")
  })

  it("has an event if the verdict or the date changed", () => {
    assert.deepStrictEqual(triggers(concluding(found("BARRED"), 0)), ["schedule"])
    const later = Result.succeed({ _tag: "Found", statusDetail: "VALID", expiryDate: "2031-06-30" } as const)
    assert.deepStrictEqual(triggers(concluding(later, 0)), ["schedule"])
    assert.deepStrictEqual(triggers(concluding(found("VALID"), 0, storedWith())), ["schedule"])
  })

  it("lets each caller who joined it have an event", () => {
    assert.deepStrictEqual(triggers(concluding(found("VALID"), 2)), ["verify", "verify"])
    assert.deepStrictEqual(triggers(concluding(found("BARRED"), 1)), ["verify", "schedule"])
  })

  it("changes nothing if the register cannot be asked, unless a caller joined it", () => {
    const alone = concluding(failing("SOURCE_UNAVAILABLE", true), 0)
    assert.strictEqual(alone.outcome?.statusDetail, "SOURCE_UNAVAILABLE")
    assert.isUndefined(alone.next)
    assert.deepStrictEqual([...alone.records.audit, ...alone.records.events], [])
    const joined = concluding(failing("SOURCE_UNAVAILABLE", true), 1)
    assert.strictEqual(joined.next?.fields.attributes.statusDetail, "SOURCE_UNAVAILABLE")
    assert.deepStrictEqual(triggers(joined), ["verify", "schedule"])
  })
})
