import { assert, describe, it } from "@effect/vitest"
import {
  type Action,
  actions,
  afterMessage,
  afterUpdate,
  begun,
  decide,
  type Invitation,
  type InvitationClosed,
  type Status,
  statuses,
  statusOn
} from "@wcs/domain/screening/Invitation"
import { dayAt, defaultTimeZone, momentAt } from "@wcs/domain/shared/CalendarDay"
import { Result } from "effect"
import * as fc from "fast-check"

const dayMillis = 86_400_000
const start = Date.parse("2026-01-31T01:00:00.000Z") // noon in Sydney
const asked: Invitation = { status: "INITIATED", expiryDays: 14 }

/** DECISIONS.md#fields, row by row: the status after each action, or refused (!). */
const rows: ReadonlyArray<readonly [Status, string, string, string]> = [
  // status        resend         remind         cancel
  ["INITIATED", "SENT", "SENT", "CANCELLED"],
  ["SENT", "SENT", "SENT", "CANCELLED"],
  ["IN_PROGRESS", "IN_PROGRESS", "IN_PROGRESS", "CANCELLED"],
  ["COMPLETED", "!", "!", "!"],
  ["EXPIRED", "SENT", "!", "CANCELLED"],
  ["CANCELLED", "!", "!", "CANCELLED"]
]

/** An invitation that reads as the status at `start`. */
const reading = (status: Status): Invitation => {
  switch (status) {
    case "EXPIRED":
      return { ...asked, status: "SENT", expiryDate: "2026-01-30" }
    case "COMPLETED":
    case "CANCELLED":
      return { ...asked, status }
    default:
      return { ...asked, status, expiryDate: "2026-01-31" }
  }
}

const toldOf = (outcome: Result.Result<Invitation, InvitationClosed>, now: number): string =>
  Result.match(outcome, {
    onSuccess: (fields) => statusOn(fields, dayAt(now, defaultTimeZone)),
    onFailure: () => "!"
  })

describe("a message that a mail server took", () => {
  const moment = momentAt(start, defaultTimeZone)
  const at = "2026-01-31T01:00:00.000Z"

  it("makes an invitation sent that waits for its person, and keeps the last day and an earlier time", () => {
    for (const status of statuses) {
      const before = reading(status)
      const after = afterMessage(before, moment, false)
      const opened = { INITIATED: "SENT", SENT: "SENT", IN_PROGRESS: "IN_PROGRESS" } as const
      const expected = Object.entries(opened).find(([open]) => open === status)?.[1]
      assert.deepStrictEqual(after, expected === undefined ? before : { ...before, status: expected, sentAt: at })
      const earlier = { ...before, sentAt: "2026-01-30T00:00:00.000Z" }
      assert.deepStrictEqual(afterMessage(earlier, moment, false), earlier)
    }
  })

  it("is kept as a reminder if the service sent one by itself", () => {
    const before = { ...reading("SENT"), sentAt: "2026-01-30T00:00:00.000Z" }
    assert.deepStrictEqual(afterMessage(before, moment, true), { ...before, remindedAt: at })
  })
})

describe("the transition table of invitations", () => {
  it("has a row for every status", () => {
    assert.sameMembers(
      rows.map(([status]) => status),
      [...statuses]
    )
  })

  for (const [status, ...outcomes] of rows) {
    for (const [index, action] of actions.entries()) {
      it(`${action} of ${status} is ${outcomes[index]}`, () => {
        const before = reading(status)
        assert.strictEqual(statusOn(before, dayAt(start, defaultTimeZone)), status)
        const outcome = decide(before, action, momentAt(start, defaultTimeZone))
        assert.strictEqual(toldOf(outcome, start), outcomes[index])
        if (Result.isFailure(outcome)) {
          const { action: said, status: at } = outcome.failure
          assert.deepStrictEqual([said, at], [action, status])
        }
      })
    }
  }

  it("resend restarts the days, remind keeps them, cancel removes them; cancelling again changes nothing", () => {
    const before: Invitation = {
      ...asked,
      status: "SENT",
      expiryDate: "2026-02-02",
      sentAt: "2026-01-19T01:00:00.000Z"
    }
    const now = "2026-01-31T01:00:00.000Z"
    const done = (action: Action, fields = before) =>
      Result.getOrThrow(decide(fields, action, momentAt(start, defaultTimeZone)))
    assert.deepStrictEqual(done("resend"), { ...before, sentAt: now, expiryDate: "2026-02-14" })
    assert.deepStrictEqual(done("remind"), { ...before, remindedAt: now })
    const { expiryDate: _, ...rest } = before
    const cancelled: Invitation = { ...rest, status: "CANCELLED" }
    assert.deepStrictEqual(done("cancel"), cancelled)
    assert.deepStrictEqual(done("cancel", cancelled), cancelled)
  })

  it("remind counts as the first message if none was sent", () => {
    const reminded = Result.getOrThrow(decide(begun(asked, "2026-01-31"), "remind", momentAt(start, defaultTimeZone)))
    assert.deepStrictEqual([reminded.status, reminded.sentAt], ["SENT", reminded.remindedAt])
  })

  it("days follow the tenant's calendar over months, leap days and changes of daylight saving", () => {
    const lastDays: ReadonlyArray<readonly [string, number, string]> = [
      ["2026-01-31T12:59:59.999Z", 1, "2026-02-01"],
      ["2026-01-31T13:00:00.000Z", 1, "2026-02-02"], // midnight in Sydney
      ["2028-02-27T12:00:00.000Z", 2, "2028-02-29"],
      ["2026-04-04T12:00:00.000Z", 1, "2026-04-05"],
      ["2026-10-03T12:00:00.000Z", 90, "2027-01-01"]
    ]
    for (const [now, expiryDays, day] of lastDays) {
      assert.strictEqual(begun({ ...asked, expiryDays }, dayAt(Date.parse(now), defaultTimeZone)).expiryDate, day, now)
    }
  })

  it("a change of expiryDays moves the last day and can reopen an expired invitation; closed ones do not change", () => {
    const expired = reading("EXPIRED")
    const longer = Result.getOrThrow(afterUpdate(expired, { ...expired, expiryDays: 15 }))
    assert.deepStrictEqual([longer.expiryDate, statusOn(longer, dayAt(start, defaultTimeZone))], ["2026-01-31", "SENT"])
    const shorter = Result.getOrThrow(afterUpdate(longer, { ...longer, expiryDays: 1 }))
    assert.deepStrictEqual(
      [shorter.expiryDate, statusOn(shorter, dayAt(start, defaultTimeZone))],
      ["2026-01-17", "EXPIRED"]
    )
    for (const status of ["COMPLETED", "CANCELLED"] as const) {
      const closed = reading(status)
      assert.deepStrictEqual(Result.getOrThrow(afterUpdate(closed, { ...closed })), closed)
      for (const change of [{ message: "Other" }, { expiryDays: 1 }]) {
        const outcome = afterUpdate(closed, { ...closed, ...change })
        assert.deepStrictEqual(Result.isFailure(outcome) ? [outcome.failure.action, outcome.failure.status] : outcome, [
          "update",
          status
        ])
      }
    }
  })
})

/** A step in time: an action, a change of days, or a delay. */
type Step = { readonly do: Action } | { readonly days: number } | { readonly pass: number }

const days = fc.integer({ min: 1, max: 90 })
const steps: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(
  fc.oneof(
    fc.record({ do: fc.constantFrom(...actions) }),
    fc.record({ days }),
    fc.record({ pass: fc.integer({ min: 1, max: 40 * dayMillis }) })
  ),
  { maxLength: 30 }
)

/** Every state on the way, with its time and the step before it. */
const historyOf = (expiryDays: number, taken: ReadonlyArray<Step>) => {
  let now = start
  let countedFrom = dayAt(now, defaultTimeZone)
  let fields = begun({ ...asked, expiryDays }, countedFrom)
  return taken.map((step) => {
    const before = fields
    if ("pass" in step) now += step.pass
    const outcome =
      "do" in step
        ? decide(before, step.do, momentAt(now, defaultTimeZone))
        : "days" in step
          ? afterUpdate(before, { ...before, expiryDays: step.days })
          : Result.succeed(before)
    fields = Result.getOrElse(outcome, () => before)
    if ("do" in step && step.do === "resend" && Result.isSuccess(outcome)) countedFrom = dayAt(now, defaultTimeZone)
    return {
      before,
      countedFrom,
      fields,
      now,
      isRefused: Result.isFailure(outcome),
      shown: statusOn(fields, dayAt(now, defaultTimeZone))
    }
  })
}

describe("any history of an invitation", () => {
  const holds = (law: (moment: ReturnType<typeof historyOf>[number]) => void) =>
    fc.assert(fc.property(days, steps, (expiryDays, taken) => historyOf(expiryDays, taken).forEach(law)))

  it("reads as EXPIRED exactly when open after its last day, and never stores EXPIRED", () =>
    holds(({ fields, now, shown }) => {
      const isOpen = ["INITIATED", "SENT", "IN_PROGRESS"].includes(fields.status)
      assert.strictEqual(shown === "EXPIRED", isOpen && (fields.expiryDate ?? "") < dayAt(now, defaultTimeZone))
      assert.notStrictEqual(fields.status, "EXPIRED")
    }))

  it("has a last day exactly while it is open", () =>
    holds(({ fields }) => assert.strictEqual(fields.expiryDate === undefined, fields.status === "CANCELLED")))

  it("never changes after it is cancelled", () =>
    holds(({ before, fields }) => {
      if (before.status === "CANCELLED") assert.deepStrictEqual(fields, before)
    }))

  it("has sentAt exactly if it is SENT or was sent before, and its times never go back", () =>
    holds(({ before, fields }) => {
      assert.strictEqual(fields.sentAt !== undefined, fields.status === "SENT" || before.sentAt !== undefined)
      for (const name of ["sentAt", "remindedAt"] as const) {
        assert.isAtLeast(Date.parse(fields[name] ?? "1970-01-01"), Date.parse(before[name] ?? "1970-01-01"))
      }
    }))

  it("has expiryDays days from its creation or last resend", () =>
    holds(({ countedFrom, fields }) => {
      if (fields.expiryDate === undefined) return
      assert.strictEqual(Date.parse(fields.expiryDate) - Date.parse(countedFrom), fields.expiryDays * dayMillis)
    }))

  it("is unchanged by refused actions", () =>
    holds(({ before, fields, isRefused }) => {
      if (isRefused) assert.deepStrictEqual(fields, before)
    }))

  it("can be closed at any time until it is closed", () =>
    holds(({ fields, now }) => {
      assert.strictEqual(toldOf(decide(fields, "cancel", momentAt(now, defaultTimeZone)), now), "CANCELLED")
    }))
})
