import { assert, describe, it } from "@effect/vitest"
import { requireRetention } from "@wcs/domain/access/Tenant"
import type { Erasure } from "@wcs/domain/erasure/Erasure"
import { erasableFrom, noticeDays, retained } from "@wcs/domain/erasure/Retention"
import { isEngaged } from "@wcs/domain/people/Engaged"
import type { WorkerFields } from "@wcs/domain/people/Worker"
import type { Stored } from "@wcs/domain/resource/Resource"
import { instantOn, momentAt } from "@wcs/domain/shared/CalendarDay"
import { dayAfter } from "@wcs/domain/shared/Instant"
import { Option, Result } from "effect"
import * as fc from "fast-check"
import { stored } from "../screening/StoredFields.ts"

const timeZone = "Australia/Perth"
const momentOn = (day: string) => momentAt(instantOn(day, timeZone), timeZone)
const first = "2024-02-29"
const worker = (employment: WorkerFields["employment"], more: Partial<Stored<WorkerFields>> = {}) =>
  stored<WorkerFields>({ identity: { displayName: "Ann" }, ...(employment && { employment }) }, more)

describe("the retention of a tenant", () => {
  it("begins with the last day, or with the deletion or last change of a worker who has left without one", () => {
    const from = (of: Stored<WorkerFields>, today: string, retentionYears: number | undefined = 7) =>
      erasableFrom(of, { retentionYears, timeZone }, momentOn(today))
    const at = { updatedAt: instantOn("2025-03-01", timeZone) }
    assert.strictEqual(from(worker({ endDate: first }), "2024-03-01"), "2031-03-02") // no 29 February in 2031
    assert.strictEqual(from(worker({ endDate: first }), "2024-03-01", 4), "2028-03-01")
    assert.strictEqual(from(worker({ status: "TERMINATED" }, at), "2026-01-01"), "2032-03-02")
    assert.strictEqual(from(worker({}, { deletedAt: at.updatedAt }), "2026-01-01"), "2032-03-02")
    assert.isUndefined(from(worker({ endDate: first }), first))
    assert.isUndefined(from(worker({ status: "ACTIVE" }), "2099-01-01"))
    const forEver = { retentionYears: undefined, timeZone }
    assert.isUndefined(erasableFrom(worker({ endDate: first }), forEver, momentOn("2099-01-01")))
  })

  it("threat 66: counts from the latest of the records that were merged, and never while a merge can be undone", () => {
    const retention = { retentionYears: 1, timeZone }
    const old = { endDate: "2016-01-01" }
    const mergedOn = "2024-03-01"
    const from = (merged: WorkerFields["employment"], own: WorkerFields["employment"] = old) => {
      const other = worker(merged, { deletedAt: instantOn(mergedOn, timeZone) })
      return erasableFrom(worker(own), retention, momentOn("2024-03-02"), [other])
    }
    assert.isUndefined(from({}))
    assert.strictEqual(from({ endDate: "2023-12-01" }), "2024-12-02")
    assert.strictEqual(from({ endDate: "2015-01-01" }), "2024-04-01") // the day after the last one of the undo
    assert.strictEqual(from({ status: "TERMINATED" }), "2025-03-02")
    assert.isUndefined(from({}, { endDate: "2024-03-02" })) // still engaged on its last day
    assert.strictEqual(
      erasableFrom(worker({ endDate: "2024-03-05" }), retention, momentOn("2024-03-06"), [
        worker({}, { deletedAt: instantOn(mergedOn, timeZone) })
      ]),
      "2025-03-06"
    )
  })

  it("is a whole number of years, or never", () => {
    assert.deepStrictEqual(requireRetention("7"), Result.succeed(7))
    assert.deepStrictEqual(requireRetention("never"), Result.succeed(undefined))
    for (const text of ["0", "101", "-1", "1.5", "07", "7y", "", " 7"]) {
      assert.isTrue(Result.isFailure(requireRetention(text)), text)
    }
  })

  it("erases exactly the announced workers, 30 days later, if the rule still holds on the day", () => {
    const change = fc.record({
      days: fc.constantFrom(1, 5, 29, 30, 31, 200, 366),
      years: fc.constantFrom(1, 1, 2, undefined),
      left: fc.constantFrom<undefined | "keep" | number>(undefined, undefined, "keep", "keep", "keep", 0, -400, -700)
    })
    let erasures = 0
    fc.assert(
      fc.property(fc.array(change, { minLength: 5, maxLength: 30 }), (changes) => {
        let [today, of, known] = [first, worker({ endDate: first }), undefined as Erasure | undefined]
        const announced = new Map<string, string>()
        for (const { days, left, years } of changes) {
          today = dayAfter(today, days)
          if (left !== "keep") of = worker(left === undefined ? {} : { endDate: dayAfter(today, left) })
          const retention = { retentionYears: years, timeZone }
          const acting = { requestId: "r", auditId: () => "aud_1", eventId: () => "evt_1", moment: momentOn(today) }
          const basis = { worker: Option.some(of), merged: [], erasure: Option.fromUndefinedOr(known), retention }
          const { erasure, next, records } = retained("tnt_1", basis, acting)
          const from = erasableFrom(of, retention, acting.moment)
          known = erasure === undefined ? known : (erasure ?? undefined)
          if (known === undefined) {
            assert.isTrue(from === undefined || today < dayAfter(from, -noticeDays) || erasure === null, today)
            announced.clear()
          } else if (known.status === "ANNOUNCED") {
            assert.isDefined(from, "an engaged worker is announced")
            assert.isTrue(known.dueOn !== null && today < known.dueOn && (from ?? "") <= known.dueOn)
            if (erasure !== undefined) {
              announced.set(known.dueOn ?? "", today)
              assert.deepStrictEqual(
                records.events.map(({ kind }) => kind),
                ["worker.erasing"]
              )
              assert.isAtLeast(Date.parse(known.dueOn ?? ""), Date.parse(dayAfter(today, noticeDays)))
            }
          } else {
            erasures++
            assert.isFalse(isEngaged({ type: "worker", person: of }, today))
            assert.isTrue(from !== undefined && from <= today)
            const on = announced.get(known.dueOn ?? "")
            assert.isTrue(on !== undefined && dayAfter(on, noticeDays) <= today)
            assert.isNotNull(next?.deletedAt)
            return
          }
        }
      }),
      { numRuns: 200 }
    )
    assert.isAbove(erasures, 10)
  })
})
