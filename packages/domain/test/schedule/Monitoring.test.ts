import { assert, describe, it } from "@effect/vitest"
import { type MonitoredSchedule, monitored } from "@wcs/domain/schedule/Monitoring"
import type { Plan } from "@wcs/domain/schedule/Plan"
import type { SourceState } from "@wcs/domain/verification/VerificationSource"
import { stored } from "../screening/StoredFields.ts"

const hour = 3_600_000
const now = Date.UTC(2026, 0, 31, 9)

/** What is said of a source in a state whose schedule was reached, and looked at, so many hours ago. */
const said = (state: SourceState | "none", reached: number | null, looked: number | null) => {
  const fields = {
    ...{ credentialType: "WWCC_VIC", url: "https://gateway.example.org/", intervalDays: 7 },
    ...{ limits: { callsPerMinute: 60 }, lastSuccessAt: null, lastFault: null, lastResult: "OK" as const },
    ...{ isPaused: false, sealedSecret: "sealed" }
  }
  const plan: Plan = {
    ...{ tenantId: "tnt_1", timeZone: "Australia/Sydney", types: ["WWCC_VIC"], intervalDays: 7, openMax: 30 },
    source: state === "none" ? undefined : stored({ ...fields, state }, { id: "src_1" }),
    stand: reached === null ? null : { turn: now - reached * hour, last: "" },
    lookedAt: looked === null ? null : now - looked * hour
  }
  const { message, ...shown } = monitored(plan, { due: 3, running: 2 }, now)
  assert.strictEqual(message === null, shown.reason === null)
  return shown
}

describe("what monitoring says", () => {
  const rows: ReadonlyArray<
    readonly [
      source: SourceState | "none",
      reached: number | null,
      looked: number | null,
      state: MonitoredSchedule["state"],
      reason: MonitoredSchedule["reason"]
    ]
  > = [
    ["OK", null, null, "NEW", null],
    ["OK", 2, 1, "ON_TIME", null],
    ["none", 2, 1, "ON_TIME", null],
    ["OK", 3, 1, "LATE", "BUSY"],
    ["none", 3, 1, "LATE", "BUSY"],
    ["OK", 3, 3, "LATE", "NO_WORKER"],
    ["AWAY", 3, 3, "LATE", "NO_WORKER"],
    ["AWAY", 3, 1, "LATE", "AWAY"],
    ["AWAY", 1, 1, "ON_TIME", "AWAY"],
    ["REFUSED", 3, 1, "LATE", "REFUSED"],
    ["PAUSED", 300, 300, "PAUSED", "PAUSED"],
    ["PAUSED", null, null, "PAUSED", "PAUSED"],
    ["NOT_CONFIGURED", null, null, "PAUSED", "NOT_CONFIGURED"]
  ]
  for (const [source, reached, looked, state, reason] of rows) {
    it(`is ${state} and ${reason} of ${source}, reached ${reached} and looked at ${looked} hours ago`, () => {
      assert.deepInclude(said(source, reached, looked), { state, reason })
    })
  }

  it("is the schedule, its times and its counts", () => {
    assert.deepStrictEqual(said("OK", 2, 1), {
      ...{ sourceId: "src_1", credentialTypes: ["WWCC_VIC"], intervalDays: 7, state: "ON_TIME", reason: null },
      ...{ due: 3, running: 2, reachedAt: "2026-01-31T07:00:00.000Z", lookedAt: "2026-01-31T08:00:00.000Z" }
    })
    assert.isNull(said("none", null, null).sourceId)
  })
})
