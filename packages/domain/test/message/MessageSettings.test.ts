import { assert, describe, it } from "@effect/vitest"
import type { Account } from "@wcs/domain/access/Account"
import { privilegesOf } from "@wcs/domain/access/Privilege"
import { messagesOf } from "@wcs/domain/message/Announcing"
import { linesOf } from "@wcs/domain/message/Digest"
import { languages } from "@wcs/domain/message/Language"
import { defaultSettings, type MessageSettings, requireSettings, roundOf } from "@wcs/domain/message/MessageSettings"
import { momentAt } from "@wcs/domain/shared/CalendarDay"
import { dayAfter } from "@wcs/domain/shared/Instant"
import { Result } from "effect"

const enabled: MessageSettings = { ...defaultSettings, enabled: true, timeOfDay: "07:30", weekday: "MONDAY" }
const timeZone = "Australia/Adelaide"

/** The causes of the round at a local time; null if none is due. 2026-02-02 is a Monday. */
const at = (local: string, lastDay: string, settings = enabled) => {
  const now = Date.parse(`${local}:00+10:30`)
  const round = roundOf(settings, lastDay, momentAt(now, timeZone), timeZone)
  return round === undefined ? null : round.causes.map(({ cause, kind }) => `${kind} ${cause}`)
}

describe("a round of messages", () => {
  it("is due once a day from the time of day of the tenant", () => {
    assert.isNull(at("2026-02-03T07:29", "2026-02-02"))
    assert.deepStrictEqual(at("2026-02-03T07:30", "2026-02-02"), ["RED_TODAY 2026-02-03"])
    assert.deepStrictEqual(at("2026-02-03T23:59", "2026-02-02"), ["RED_TODAY 2026-02-03"])
    assert.isNull(at("2026-02-03T23:59", "2026-02-03"))
  })

  it("has the digest on its weekday, or once on the first day after a missed one", () => {
    const digest = "WEEKLY_DIGEST 2026-02-02"
    assert.deepStrictEqual(at("2026-02-02T08:00", "2026-02-01"), [digest, "RED_TODAY 2026-02-02"])
    assert.deepStrictEqual(at("2026-02-05T08:00", "2026-01-28"), [digest, "RED_TODAY 2026-02-05"])
    assert.deepStrictEqual(at("2026-02-06T08:00", "2026-02-05"), ["RED_TODAY 2026-02-06"])
    assert.deepStrictEqual(at("2026-02-08T08:00", "2026-02-07"), ["RED_TODAY 2026-02-08"])
  })

  it("is made up for after midnight if its time of day was late", () => {
    const late = { ...enabled, timeOfDay: "23:59" }
    assert.deepStrictEqual(at("2026-02-04T00:05", "2026-02-02", late), ["RED_TODAY 2026-02-03"])
    assert.isNull(at("2026-02-04T00:05", "2026-02-03", late))
  })

  it("is never due while messages are disabled", () => {
    assert.isNull(at("2026-02-03T08:00", "2026-02-02", defaultSettings))
  })

  it("is at its time on the days when the clocks change", () => {
    for (const day of ["2026-04-05", "2026-10-04"]) {
      const offset = day === "2026-04-05" ? "+09:30" : "+10:30"
      const due = (time: string) =>
        roundOf(enabled, dayAfter(day, -1), momentAt(Date.parse(`${day}T${time}:00${offset}`), timeZone), timeZone)
      assert.isUndefined(due("06:29"))
      assert.isDefined(due("08:31"))
    }
  })
})

describe("the messages of a round", () => {
  const account = (id: string, role: Account["role"], email: string | null = `${id}@example.org`): Account => ({
    ...{ id, tenantId: "tnt_1", kind: "user", email, role, rateLimit: null, workerId: null },
    ...{ deactivatedAt: null, createdAt: 0 }
  })
  const round = { day: "2026-02-02", causes: [{ kind: "RED_TODAY", cause: "2026-02-02" }] } as const
  const sentTo = (...recipients: ReadonlyArray<Parameters<typeof messagesOf>[1][number]>) =>
    messagesOf(
      round,
      recipients,
      ({ role }) => privilegesOf(role),
      ({ recipientId }) => recipientId,
      7
    ).map(({ message }) => message.fields.recipient.id)

  it("go to users who may change credentials, and have not turned them off", () => {
    const known = { invitedBy: null, joinedAt: null, declined: [] }
    const recipients = [
      { ...known, account: account("manager", "Data Manager") },
      { ...known, account: account("limited", { role: "Admin", units: [] }) },
      { ...known, account: account("viewer", "Viewer") },
      { ...known, account: account("declined", "Admin"), declined: ["RED_TODAY"] },
      { ...known, account: account("other", "Admin"), declined: ["WEEKLY_DIGEST"] },
      { ...known, account: account("none", "Admin", null) },
      // The invitation of the first one may have gone to a stranger.
      { ...known, account: account("invited", "Admin"), invitedBy: "urn:wcs:account:manager" },
      { ...known, account: account("joined", "Admin"), invitedBy: "urn:wcs:account:manager", joinedAt: 1 }
    ] as const
    assert.deepStrictEqual(sentTo(...recipients), ["manager", "limited", "other", "joined"])
  })
})

describe("the settings", () => {
  it("cannot enable messages that nothing would send, nor have unknown placeholders", () => {
    const field = (settings: MessageSettings, isAvailable: boolean) => {
      const judged = requireSettings(settings, isAvailable)
      return Result.isFailure(judged) ? judged.failure.field : null
    }
    assert.strictEqual(field(enabled, false), "enabled")
    assert.isNull(field(defaultSettings, false))
    assert.isNull(field(enabled, true))
    const templates = { RED_TODAY: { subject: "{nobody}", text: "x" } }
    assert.strictEqual(field({ ...defaultSettings, templates }, false), "templates.RED_TODAY.subject")
  })
})

describe("a digest", () => {
  it("has a line for each part with something, and none for what the reader may not read", () => {
    const figures = {
      notCompliant: { count: 1, oldest: "" },
      lapsing: { count: 0, oldest: "" },
      tasks: { count: 3, oldest: "2026-01-02" }
    }
    assert.deepStrictEqual(linesOf(figures, languages.en), [
      "1 person fails a compliance check.",
      "3 tasks are open, the oldest since 2026-01-02."
    ])
    assert.deepStrictEqual(linesOf({}, languages.de), [])
  })
})
