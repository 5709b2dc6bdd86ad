import { assert, describe, it } from "@effect/vitest"
import type { LoggedEntry } from "@wcs/domain/audit/LoggedEntry"
import { fitEntries, type SealedEntry } from "@wcs/domain/proof/ProofSize"
import { Result } from "effect"
import fc from "fast-check"

const seal = fc.option(fc.integer({ min: 1, max: 12 }), { nil: null })
const entries = fc
  .uniqueArray(fc.integer({ min: 1, max: 40 }), { maxLength: 20 })
  .chain((positions) =>
    fc.tuple(
      ...positions.map((position) => seal.map((number) => ({ entry: { position } as LoggedEntry, seal: number })))
    )
  ) as fc.Arbitrary<ReadonlyArray<SealedEntry>>
const records = fc.array(fc.record({ seal }), { maxLength: 6 })
const limits = fc.record({ seals: fc.integer({ min: 1, max: 10 }), entries: fc.integer({ min: 1, max: 10 }) })

const positions = (all: ReadonlyArray<SealedEntry>) => all.map(({ entry }) => entry.position)
const sealsOf = (...all: ReadonlyArray<ReadonlyArray<{ readonly seal: number | null }>>) =>
  new Set(all.flat().flatMap((each) => each.seal ?? []))

describe("the size of a proof", () => {
  it("is refused if the seals of the records and of their newest entries do not fit, and never otherwise", () => {
    fc.assert(
      fc.property(records, entries, entries, limits, (held, newest, others, bounds) => {
        const needed = sealsOf(held, newest)
        const fitted = fitEntries("wkr_1", held, newest, others, bounds)
        assert.strictEqual(Result.isFailure(fitted), needed.size > bounds.seals)
        if (Result.isFailure(fitted)) assert.strictEqual(fitted.failure.seals, needed.size)
      })
    )
  })

  it("keeps the newest entry of each record, and has no more seals and other entries than the bounds", () => {
    fc.assert(
      fc.property(records, entries, entries, limits, (held, newest, others, bounds) => {
        const fitted = fitEntries("wkr_1", held, newest, others, bounds)
        if (Result.isFailure(fitted)) return
        const { entries: kept, remarks } = fitted.success
        assert.includeMembers(positions(kept), positions(newest))
        assert.isAtMost(sealsOf(held, kept).size, bounds.seals)
        assert.isAtMost(kept.length - newest.length, bounds.entries)
        assert.deepStrictEqual(
          positions(kept),
          positions(kept).toSorted((one, two) => one - two)
        )
        const all = new Set([...positions(newest), ...positions(others)])
        assert.strictEqual(remarks.length > 0, kept.length < all.size)
      })
    )
  })

  it("leaves nothing out that fits", () => {
    fc.assert(
      fc.property(records, entries, entries, (held, newest, others) => {
        const fitted = fitEntries("wkr_1", held, newest, others, { seals: 50, entries: 50 })
        assert.deepStrictEqual(
          Result.map(fitted, ({ entries: kept, remarks }) => [kept.length, remarks]),
          Result.succeed([new Set([...positions(newest), ...positions(others)]).size, []])
        )
      })
    )
  })
})
