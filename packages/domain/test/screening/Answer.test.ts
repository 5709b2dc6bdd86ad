import { assert, describe, it } from "@effect/vitest"
import { correctionOf, targetOf } from "@wcs/domain/answer/Answers"
import {
  type AnswerFields,
  type AnswerState,
  answerStates,
  approvalMillis,
  approved,
  approving,
  askedOn,
  isUndecided,
  rejected,
  released,
  type Submission,
  submitted
} from "@wcs/domain/screening/Answer"
import { cardsOf, detailsOfCard, detailsOfPerson, enteredOf } from "@wcs/domain/screening/AnswerEntry"
import { Result } from "effect"
import * as fc from "fast-check"

const now = Date.UTC(2026, 0, 31)
const by = { accountId: "acc_0000000000000001", now }

const sending: Submission = {
  request: { type: "captureRequest", id: "cap_0000000000000001" },
  person: { type: "worker", id: "wkr_0000000000000001" },
  consent: { version: "1", text: "I agree", notice: "Why", at: "2026-01-31T00:00:00.000Z" },
  cards: [{ credentialType: "FIRST_AID", identifier: "HLT-1" }]
}

const waiting = Result.getOrThrow(submitted(undefined, sending, now))
const claim = Result.getOrThrow(approving(waiting, by))
const inState = (state: AnswerState): AnswerFields => (state === "APPROVING" ? claim : { ...waiting, state })
const later = { ...by, now: now + approvalMillis }

const after = (result: Result.Result<AnswerFields, unknown>) =>
  Result.match(result, { onFailure: () => "refused", onSuccess: ({ state }) => state })

describe("the states of an answer", () => {
  it("follow the table", () => {
    // state, submit, approve, approve after a minute, written, released, reject, reject after a minute
    const table: ReadonlyArray<readonly [AnswerState, ...ReadonlyArray<string>]> = [
      ["WAITING", "WAITING", "APPROVING", "APPROVING", "refused", "WAITING", "REJECTED", "REJECTED"],
      ["APPROVING", "refused", "refused", "APPROVING", "APPROVED", "WAITING", "refused", "REJECTED"],
      ["APPROVED", "WAITING", "refused", "refused", "refused", "APPROVED", "refused", "refused"],
      ["REJECTED", "WAITING", "refused", "refused", "refused", "REJECTED", "REJECTED", "REJECTED"]
    ]
    assert.deepStrictEqual(
      table.map(([state]) => state),
      [...answerStates]
    )
    for (const [state, ...expected] of table) {
      const before = inState(state)
      const outcomes = [
        submitted(before, sending, now),
        approving(before, by),
        approving(before, later),
        approved(before, claim, []),
        Result.succeed(released(before, claim)),
        rejected(before, "no", by),
        rejected(before, "no", later)
      ]
      assert.deepStrictEqual(outcomes.map(after), expected, state)
    }
  })

  it("keep the decision beside a new answer, and lose that of an approval whose cards were refused", () => {
    const refused = Result.getOrThrow(rejected(waiting, "no", by))
    const again = Result.getOrThrow(submitted(refused, sending, now))
    assert.isUndefined(again.decision)
    assert.deepStrictEqual(again.previous, {
      state: "REJECTED",
      by: { id: by.accountId },
      at: "2026-01-31T00:00:00.000Z",
      reason: "no",
      consent: sending.consent
    })
    assert.deepStrictEqual(Result.getOrThrow(submitted(again, sending, now)).previous, again.previous)
    const taken = Result.getOrThrow(submitted(Result.getOrThrow(approved(claim, claim, [])), sending, now))
    assert.strictEqual(taken.previous?.state, "APPROVED")
    assert.deepStrictEqual(taken.previous?.credentials, [])
    assert.isUndefined(released(claim, claim).decision)
    assert.isTrue(isUndecided(waiting))
    assert.isFalse(isUndecided(refused))
  })
})

describe("threat 85: an approval", () => {
  it("that was taken for interrupted neither completes nor releases the one that followed", () => {
    const second = Result.getOrThrow(approving(claim, later))
    assert.isTrue(Result.isFailure(approved(second, claim, [])))
    assert.strictEqual(released(second, claim), second)
    assert.strictEqual(after(approved(second, second, [])), "APPROVED")
  })
})

describe("what a request asks", () => {
  const request = {
    worker: { id: "wkr_0000000000000001" },
    requestedCredentialTypes: ["FIRST_AID"],
    expiryDays: 14,
    status: "SENT",
    expiryDate: "2026-02-14"
  }

  it("is nothing after its last day, after its end, or without a card", () => {
    const isAsked = (fields: object, today = "2026-02-14") =>
      askedOn("captureRequest", { ...request, ...fields }, today)
    assert.isDefined(isAsked({}))
    assert.isUndefined(isAsked({}, "2026-02-15"))
    assert.isUndefined(isAsked({ status: "CANCELLED", expiryDate: undefined }))
    assert.isUndefined(isAsked({ requestedCredentialTypes: [] }))
  })
})

const textOf =
  (fields: Readonly<Record<string, string>>) =>
  (name: string): string =>
    fields[name] ?? ""

const nsw = {
  "WWCC_NSW.identifier": "wwc1234567e",
  "holder.lastName": "Nguyen",
  "holder.birthDate": "1990-02-03"
}

describe("what a person enters", () => {
  it("is read by the rules of the requested types alone", () => {
    assert.deepStrictEqual(
      detailsOfCard("WWCC_NSW").map(({ isRequired, path }) => [path.join("."), isRequired]),
      [
        ["identifier", true],
        ["expiryDate", false]
      ]
    )
    assert.deepStrictEqual(
      detailsOfPerson(["WWCC_NSW"]).map(({ path }) => path.join(".")),
      ["holder.lastName", "holder.birthDate"]
    )
    const read = cardsOf(["WWCC_NSW"], textOf({ ...nsw, "FIRST_AID.identifier": "1" }), "2026-01-31")
    assert.deepStrictEqual(Result.getOrThrow(read), [
      {
        credentialType: "WWCC_NSW",
        identifier: "WWC1234567E",
        holder: { lastName: "Nguyen", birthDate: "1990-02-03" }
      }
    ])
  })

  it("fails by the names of the fields", () => {
    const faults = (fields: Readonly<Record<string, string>>) =>
      Result.match(cardsOf(["WWCC_NSW", "FIRST_AID"], textOf(fields), "2026-01-31"), {
        onFailure: (all) => all.map(({ field }) => field),
        onSuccess: () => []
      })
    assert.deepStrictEqual(faults({}), [""])
    assert.deepStrictEqual(faults({ "WWCC_NSW.identifier": "WWC1234567E" }), ["holder.lastName", "holder.birthDate"])
    assert.deepStrictEqual(faults({ ...nsw, "WWCC_NSW.identifier": "12" }), ["WWCC_NSW.identifier"])
    assert.deepStrictEqual(faults({ ...nsw, "holder.birthDate": "2030-01-01" }), ["holder.birthDate"])
    assert.deepStrictEqual(faults({ ...nsw, "WWCC_NSW.identifier": "12", "holder.birthDate": "2030-01-01" }), [
      "holder.birthDate",
      "WWCC_NSW.identifier"
    ])
    assert.deepStrictEqual(faults({ ...nsw, "holder.birthDate": "1990-02-30" }), ["holder.birthDate"])
    assert.deepStrictEqual(faults({ ...nsw, "holder.lastName": "x".repeat(101) }), ["holder.lastName"])
    assert.deepStrictEqual(faults({ "FIRST_AID.identifier": "1", "FIRST_AID.expiryDate": "soon" }), [
      "FIRST_AID.expiryDate"
    ])
  })

  it("has its country in capital letters, as phones write it in others", () => {
    const police = { "POLICE_CHECK_INTERNATIONAL.identifier": "1", "POLICE_CHECK_INTERNATIONAL.issuingCountry": "nz" }
    const [card] = Result.getOrThrow(cardsOf(["POLICE_CHECK_INTERNATIONAL"], textOf(police), "2026-01-31"))
    assert.strictEqual(card?.issuingCountry, "NZ")
  })

  it("is shown again as it was read", () => {
    const letters = fc.stringMatching(/^[A-Za-z]{1,20}$/)
    fc.assert(
      fc.property(letters, fc.stringMatching(/^\d{7}$/), (lastName, digits) => {
        const fields = { ...nsw, "holder.lastName": lastName, "WWCC_NSW.identifier": `WWC${digits}V` }
        const cards = Result.getOrThrow(cardsOf(["WWCC_NSW"], textOf(fields), "2026-01-31"))
        const again = enteredOf(cards)
        for (const [name, value] of Object.entries(fields)) assert.strictEqual(again(name), value)
        assert.strictEqual(again("credentialType"), "")
        assert.strictEqual(again("__proto__.identifier"), "")
      })
    )
  })
})

describe("the card that an approval writes", () => {
  const held = (id: string, identifier: string, statusDetail: string) =>
    ({ id, attributes: { credentialType: "WWCC_NSW", identifier, statusDetail } }) as never

  it("is that of the same number, or else one whose details were wrong, or else new", () => {
    const card = { credentialType: "WWCC_NSW", identifier: "WWC1234567E" }
    const idOf = (...cards: ReadonlyArray<never>) => targetOf(card, cards)?.id
    assert.isUndefined(idOf())
    assert.strictEqual(idOf(held("a", "wwc 1234567-E", "VALID")), "a")
    assert.isUndefined(idOf(held("a", "WWC7654321E", "VALID")))
    assert.isUndefined(idOf(held("a", "WWC7654321E", "BARRED"), held("b", "WWC7654321E", "EXPIRED")))
    assert.isUndefined(idOf(held("a", "WWC7654321E", "PENDING")))
    assert.strictEqual(idOf(held("a", "WWC7654321E", "VALID"), held("b", "WWC7654322E", "NOT_FOUND")), "b")
    assert.isUndefined(idOf(held("a", "WWC7654321E", "NOT_FOUND"), held("b", "WWC7654322E", "NOT_FOUND")))
    assert.strictEqual(idOf(held("a", "WWC7654321E", "NOT_FOUND"), held("b", "WWC1234567E", "BARRED")), "b")
    const without = { credentialType: "FIRST_AID" }
    const first = { id: "a", attributes: { credentialType: "FIRST_AID" } } as never
    assert.strictEqual(targetOf(without, [held("b", "HLT-1", "NOT_FOUND"), first])?.id, "a")
    assert.isUndefined(targetOf(without, [held("b", "HLT-1", "NOT_FOUND")]))
  })

  it("takes no detail of another number with it", () => {
    const before = held("a", "WWC7654321E", "NOT_FOUND")
    const card = { credentialType: "WWCC_NSW", identifier: "WWC1234567E", holder: { lastName: "Nguyen" } }
    const { identifier, holder } = card
    const cleared = { issueNumber: null, cardType: null, issuingCountry: null, issueDate: null }
    assert.deepStrictEqual(correctionOf(card, before), {
      attributes: { ...cleared, expiryDate: null, identifier, holder }
    })
    assert.deepStrictEqual(correctionOf(card, held("a", "WWC1234567E", "VALID")), {
      attributes: { identifier, holder }
    })
  })
})
