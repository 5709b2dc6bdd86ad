import { assert, describe, it } from "@effect/vitest"
import type { CredentialFields } from "@wcs/domain/holding/Credential"
import { codes, find } from "@wcs/domain/holding/CredentialType"
import { conclusiveDetails, type StatusDetail } from "@wcs/domain/holding/Verification"
import type { VerificationDraft } from "@wcs/domain/holding/VerificationRecord"
import type { Stored } from "@wcs/domain/resource/Resource"
import * as VerificationRun from "@wcs/domain/verification/VerificationRun"
import * as fc from "fast-check"
import { storedWith } from "../credential/CredentialFixtures.ts"

const now = Date.UTC(2026, 0, 31, 9, 30)

/** The cards of one person with their open verifications. A call verifies a card; the register answers in any order. */
class Person {
  readonly cards: Map<string, Stored<CredentialFields>>
  readonly open: Array<VerificationDraft> = []
  /** Every verification that a bar has started. */
  readonly started: Array<VerificationDraft> = []
  #minted = 0

  constructor(types: ReadonlyArray<CredentialFields["attributes"]["credentialType"]>) {
    this.cards = new Map(
      types.map((credentialType, index) => [`card ${index}`, storedWith({ credentialType }, { id: `card ${index}` })])
    )
  }

  ask(credentialId: string): void {
    this.open.push({
      id: this.#next("call"),
      credentialId,
      correlationId: credentialId,
      requestId: "request",
      trigger: "verify",
      account: "urn:wcs:account:acc_1",
      requestedAt: now,
      outcome: null
    })
  }

  answer(credentialId: string, detail: StatusDetail): void {
    const card = this.cards.get(credentialId)
    const asked = this.open.filter((one) => one.credentialId === credentialId)
    if (card === undefined || asked.length === 0) return
    for (const one of asked) this.open.splice(this.open.indexOf(one), 1)
    const by = {
      now,
      today: "2026-01-31",
      auditId: () => this.#next("aud"),
      eventId: () => this.#next("evt"),
      verificationId: () => this.#next("vrf")
    }
    const outcome = VerificationRun.found(card.fields, detail, null, now)
    const { next, records } = VerificationRun.conclude(card, asked, outcome, by)
    this.cards.set(credentialId, next)
    const others = [...this.cards.values()].filter(({ fields }) =>
      records.recheck?.credentialTypes.includes(fields.attributes.credentialType)
    )
    const drafts = records.recheck?.decide(others) ?? []
    this.started.push(...drafts)
    this.open.push(...drafts)
  }

  #next(kind: string): string {
    this.#minted += 1
    return `${kind}_${this.#minted}`
  }
}

const bars = ["CANCELLED", "REVOKED", "BARRED", "INTERIM_BARRED", "NEGATIVE_NOTICE", "EXCLUDED"]

const step = fc.record({
  card: fc.nat({ max: 3 }).map((index) => `card ${index}`),
  asks: fc.boolean(),
  detail: fc.constantFrom(...conclusiveDetails)
})

describe("R6: barred in one, barred in all", () => {
  it("a new bar starts each other card of the person exactly once, also if these are barred then", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...codes), { minLength: 4, maxLength: 4 }),
        fc.array(step, { maxLength: 30 }),
        (types, steps) => {
          const person = new Person(types as ReadonlyArray<CredentialFields["attributes"]["credentialType"]>)
          for (const { asks, card, detail } of steps) {
            if (asks) person.ask(card)
            const before = person.cards.get(card)
            const asked = person.open.filter((one) => one.credentialId === card)
            const already = person.started.length
            person.answer(card, detail)
            const own = before?.fields.attributes
            const isNew = bars.includes(detail) && !bars.includes(own?.statusDetail ?? "")
            const isCause = asked.length > 0 && asked.every(({ trigger }) => trigger !== "bar")
            const barsOthers = find(own?.credentialType ?? "")?.barsOthers ?? false
            const others = [...person.cards.values()]
              .filter(({ fields, id }) => id !== card && find(fields.attributes.credentialType)?.barsOthers)
              .map(({ id }) => id)
            assert.deepStrictEqual(
              person.started.slice(already).map(({ credentialId }) => credentialId),
              isNew && isCause && barsOthers ? others : []
            )
          }
        }
      )
    )
  })

  it("repeats the correlation id and the account of the call that found the bar", () => {
    const person = new Person(["WWCC_NSW", "WWCC_VIC", "FIRST_AID", "WWVP_ACT"])
    person.ask("card 0")
    person.answer("card 0", "BARRED")
    assert.deepStrictEqual(
      person.started.map(({ correlationId, credentialId, trigger }) => [credentialId, trigger, correlationId]),
      [
        ["card 1", "bar", "card 0"],
        ["card 3", "bar", "card 0"]
      ]
    )
  })
})
