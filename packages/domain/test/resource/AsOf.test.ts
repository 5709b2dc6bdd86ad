import { assert, describe, it } from "@effect/vitest"
import { parseAsOf, requireKnown, requireOnly } from "@wcs/domain/resource/AsOf"
import { Result } from "effect"

const now = Date.parse("2026-10-05T03:00:00Z")
const zone = "Australia/Sydney"

const parsed = (text: string | ReadonlyArray<string>) =>
  Result.match(parseAsOf(text, now, zone), {
    onFailure: ({ reason }) => reason,
    onSuccess: ({ now, today }) => `${new Date(now).toISOString()} ${today}`
  })

describe("asOf", () => {
  it.each([
    ["2026-10-03T01:02:03Z", "2026-10-03T01:02:03.000Z 2026-10-03"],
    ["2026-10-03T15:00:00+01:00", "2026-10-03T14:00:00.000Z 2026-10-04"],
    // The clocks go forward on 4 October 2026.
    ["2026-10-03", "2026-10-03T13:59:59.999Z 2026-10-03"],
    ["2026-10-04", "2026-10-04T12:59:59.999Z 2026-10-04"],
    ["2026-10-05", "2026-10-05T03:00:00.000Z 2026-10-05"],
    ["2026-10-05T03:00:00Z", "2026-10-05T03:00:00.000Z 2026-10-05"],
    ["2026-10-05T03:00:00.001Z", "must not be in the future"],
    ["2026-10-06", "must not be in the future"],
    ["2026-02-30", "must be an RFC 3339 time, such as 2026-01-31T09:30:00Z, or a date, YYYY-MM-DD"],
    ["", "must be an RFC 3339 time, such as 2026-01-31T09:30:00Z, or a date, YYYY-MM-DD"],
    ["yesterday", "must be an RFC 3339 time, such as 2026-01-31T09:30:00Z, or a date, YYYY-MM-DD"],
    [["2026-10-03", "2026-10-03"], "must be given once"]
  ])("reads %j as %s", (text, expected) => {
    assert.strictEqual(parsed(text), expected)
  })

  it("refuses a time before the history begins, and names the beginning", () => {
    const refused = requireKnown({ now: now - 1, today: "2026-10-05" }, now)
    assert.isTrue(Result.isFailure(refused) && refused.failure.reason.includes("2026-10-05T03:00:00.000Z"))
    assert.isTrue(Result.isSuccess(requireKnown({ now, today: "2026-10-05" }, now)))
  })

  it("refuses other parameters than the allowed ones", () => {
    assert.isTrue(Result.isSuccess(requireOnly({ cursor: "a" }, ["cursor"])))
    const refused = requireOnly({ cursor: "a", sort: "id:asc" }, ["cursor"])
    assert.strictEqual(Result.isFailure(refused) && refused.failure.field, "sort")
  })
})
