import { assert, describe, it } from "@effect/vitest"
import type { Stand } from "@wcs/domain/schedule/Plan"
import { dueSince, reachedAt } from "@wcs/domain/schedule/Schedule"
import { alphabet } from "@wcs/domain/shared/Id"
import * as fc from "fast-check"

const hour = 3_600_000
const day = 24 * hour
const start = Date.UTC(2026, 0, 1)

/** Looks at all credentials that are due at a time. Returns them and the stand after. */
const look = (ids: ReadonlyArray<string>, stand: Stand | null, intervalDays: number, now: number) => {
  const found: Array<string> = []
  for (let at = stand; ; ) {
    const due = dueSince({ intervalDays, stand: at }, now)
    found.push(...ids.filter((id) => id > due.stand.last && (due.before === undefined || id < due.before)))
    at = due.end
    if (due.before !== undefined) return { found, stand: at }
  }
}

const ids = (count: number) =>
  fc.uniqueArray(
    fc
      .array(fc.constantFrom(...alphabet), { minLength: 16, maxLength: 16 })
      .map((letters) => `cred_${letters.join("")}`),
    { minLength: count, maxLength: count }
  )

describe("the due credentials of a schedule", () => {
  it("are each credential once in each interval, at most one round late, whatever the rounds", () => {
    fc.assert(
      fc.property(
        ids(5),
        fc.integer({ min: 1, max: 31 }),
        fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 20 }),
        (cards, intervalDays, gaps) => {
          const times = new Map<string, Array<number>>()
          let stand: Stand | null = null
          let now = start
          const lastly = start + 4 * intervalDays * day
          for (let index = 0; now <= lastly; index++) {
            const seen: ReturnType<typeof look> = look(cards, stand, intervalDays, now)
            for (const id of seen.found) times.set(id, [...(times.get(id) ?? []), now])
            stand = seen.stand
            now += (gaps[index % gaps.length] ?? 1) * hour
          }
          for (const id of cards) {
            const all = times.get(id) ?? []
            for (const [index, time] of [...all, lastly].entries()) {
              assert.isAtMost(time - (all[index - 1] ?? start), intervalDays * day + 20 * hour)
            }
            assert.isAtMost(all.length, 5)
          }
        }
      ),
      { numRuns: 50 }
    )
  })

  it("are each one once after an outage of any length", () => {
    fc.assert(
      fc.property(ids(5), fc.integer({ min: 1, max: 31 }), fc.integer({ min: 1, max: 400 }), (cards, days, away) => {
        const before = look(cards, look(cards, null, days, start).stand, days, start + 2 * hour).stand
        const { found, stand } = look(cards, before, days, start + away * day)
        assert.strictEqual(new Set(found).size, found.length)
        if (away > days) assert.sameMembers(found, cards)
        assert.isAtLeast(reachedAt({ intervalDays: days }, stand), start + away * day - 1000)
      })
    )
  })

  it("are none of a new schedule, whose first turn begins now", () => {
    assert.deepStrictEqual(dueSince({ intervalDays: 7, stand: null }, start), {
      at: start,
      stand: { turn: start, last: "" },
      before: "cred_00000000",
      end: { turn: start, last: "cred_00000000" }
    })
  })

  it("are at once those of a shorter interval, and wait with a longer one", () => {
    const half = { turn: start, last: "cred_V" } // the 32nd of 62 digits
    const now = start + 3.5 * day
    assert.strictEqual(dueSince({ intervalDays: 7, stand: half }, now).end.last, "cred_V0000000")
    assert.isUndefined(dueSince({ intervalDays: 1, stand: half }, now).before)
    assert.deepStrictEqual(dueSince({ intervalDays: 14, stand: half }, now).end, half)
  })
})
