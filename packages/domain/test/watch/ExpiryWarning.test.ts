import { assert, describe, it } from "@effect/vitest"
import type { CredentialFields } from "@wcs/domain/holding/Credential"
import type { Owner } from "@wcs/domain/people/Engaged"
import { dayAfter } from "@wcs/domain/shared/Instant"
import { type WarningDays, WarningSettings, warnedDates, warnedOf, warningOf } from "@wcs/domain/watch/ExpiryWarning"
import { portionOf, type WarnedTenant } from "@wcs/domain/watch/WarningStore"
import * as fc from "fast-check"
import { stored } from "../screening/StoredFields.ts"

const settings = WarningSettings.defaultValue()
const today = "2026-01-31"
const day = (offset: number) => dayAfter(today, offset)

const worker: Owner = { type: "worker", person: stored({ identity: { displayName: "Ann" } }) }
const card = (expiryDate: string | undefined, deletedAt: number | null = null) => ({
  ...stored<CredentialFields>({
    attributes: {
      credentialType: "FIRST_AID",
      owners: { worker: "wkr_1", applicant: null },
      ...(expiryDate === undefined ? {} : { expiryDate })
    }
  }),
  deletedAt
})
const warning = (credential: ReturnType<typeof card>, owners: ReadonlyArray<Owner> = [worker]) =>
  warningOf(credential, owners, () => "evt_1", { now: Date.parse(today), today })

describe("the days of the warnings", () => {
  it("are 60, 30 and 7 days before the last valid day, the day after it, and each week for 52 weeks", () => {
    const stages = [-60, -30, -7, ...Array.from({ length: 53 }, (_, week) => 1 + 7 * week)]
    const dates = warnedDates({ after: day(-1), upTo: today }, settings)
    assert.deepStrictEqual(
      dates,
      stages.map((stage) => ({ from: day(-stage), to: day(-stage) })).toSorted((a, b) => (a.from < b.from ? -1 : 1))
    )
  })

  it("choose exactly the cards that have one of their days among some days, in ranges with gaps", () => {
    const anySettings: fc.Arbitrary<WarningDays> = fc.record({
      daysBefore: fc.array(fc.integer({ min: 1, max: 90 }), { maxLength: 4 }),
      repeatDays: fc.integer({ min: 1, max: 10 }),
      repeatsMax: fc.integer({ min: 0, max: 4 })
    })
    fc.assert(
      fc.property(
        anySettings,
        fc.integer({ min: 0, max: 50 }),
        fc.integer({ min: -130, max: 130 }),
        (some, span, at) => {
          const stages = [
            ...some.daysBefore.map((days) => -days),
            ...Array.from({ length: some.repeatsMax + 1 }, (_, repeat) => 1 + repeat * some.repeatDays)
          ]
          const isChosen = stages.some((stage) => at + stage > -span && at + stage <= 0)
          const dates = warnedDates({ after: day(-span), upTo: today }, some)
          assert.strictEqual(dates.filter(({ from, to }) => from <= day(at) && day(at) <= to).length, isChosen ? 1 : 0)
          for (const [index, { from }] of dates.entries()) {
            const before = dates[index - 1]
            if (before !== undefined) assert.isBelow(Date.parse(dayAfter(before.to, 1)), Date.parse(from))
          }
        }
      )
    )
  })
})

describe("a warning", () => {
  it("says what is true today: expiring to the last valid day, expired after it, with the days that are left", () => {
    const said = [30, 1, 0, -1, -8].map((left) => {
      const event = warning(card(day(left)))
      return [event?.kind, event?.data && (event.data as { expiry: { daysLeft: number } }).expiry.daysLeft]
    })
    assert.deepStrictEqual(said, [
      ["credential.expiring", 30],
      ["credential.expiring", 1],
      ["credential.expiring", 0],
      ["credential.expired", -1],
      ["credential.expired", -8]
    ])
  })

  it("is later than every event of the card before it", () => {
    assert.strictEqual(warning({ ...card(day(7)), version: 4 })?.sequence, 5)
  })

  it("is not given for a deleted card, a card without a date, or a card of nobody who is engaged", () => {
    const gone: Owner = {
      type: "worker",
      person: stored({ identity: { displayName: "Ann" }, employment: { status: "TERMINATED" } })
    }
    assert.isUndefined(warning(card(day(7), 1)))
    assert.isUndefined(warning(card(undefined)))
    assert.isUndefined(warning(card(day(7)), []))
    assert.isUndefined(warning(card(day(7)), [gone]))
    assert.isDefined(warning(card(day(7)), [gone, worker]))
  })
})

describe("the message of a warning", () => {
  const messageAbout = (expiryDate: string, owners: ReadonlyArray<Owner>) =>
    warnedOf(card(expiryDate), owners, { eventId: () => "evt_1", messageId: () => "msg_1" }, { now: 1, today }).message

  it("goes to the worker, once for the card, its date and the day", () => {
    const applicant: Owner = {
      type: "applicant",
      person: { ...stored({ emailAddress: "a@example.org", status: "NEW" }), id: "app_1" }
    }
    const message = messageAbout(day(7), [applicant, worker])
    assert.deepInclude(message, { kind: "CARD_EXPIRING", at: 1, recipient: { type: "worker", id: worker.person.id } })
    const { id } = card(day(7))
    assert.deepInclude(message, { about: { type: "credential", id }, cause: `${id} ${day(7)} ${today}` })
    assert.strictEqual(messageAbout(day(-1), [worker])?.kind, "CARD_EXPIRED")
    assert.strictEqual(messageAbout(day(7), [applicant])?.recipient.id, "app_1")
  })

  it("is none if nobody who holds the card is engaged", () => {
    assert.isUndefined(messageAbout(day(7), []))
  })
})

describe("the next part of a round", () => {
  const tenant: WarnedTenant = { tenantId: "tnt_1", timeZone: "UTC", through: null, round: null }
  const next = (stand: Partial<WarnedTenant>) => portionOf({ ...tenant, ...stand }, today, settings, 10)

  it("begins with today for a tenant that was never warned, and has every day since the last one for others", () => {
    assert.deepInclude(next({}), { after: day(-1), upTo: today })
    assert.deepInclude(next({ through: day(-9) }), { after: day(-9), upTo: today })
  })

  it("is none when all warnings up to today were sent, also if the day went back", () => {
    assert.isUndefined(next({ through: today }))
    assert.isUndefined(next({ through: day(1) }))
  })

  it("ends a round that was begun on another day, from the last card on", () => {
    const portion = next({ through: day(-9), round: { upTo: day(-2), last: { expiryDate: day(20), id: "cred_1" } } })
    assert.deepInclude(portion, { after: day(-9), upTo: day(-2) })
    assert.isTrue(portion?.dates.every(({ to }) => to >= day(20)))
    assert.isNotEmpty(portion?.dates ?? [])
  })
})
