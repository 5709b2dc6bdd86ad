import { assert, describe, it } from "@effect/vitest"
import { inTurn } from "@wcs/domain/verification/VerificationTurns"
import * as fc from "fast-check"

const queue = { tenantId: fc.constantFrom("a", "b", "c"), credentialType: fc.constantFrom("x", "y") }

/** Due runs of a few tenants and types, each with a due time of its own. */
const due = fc
  .uniqueArray(fc.record({ ...queue, dueAt: fc.nat({ max: 99 }) }), { selector: ({ dueAt }) => dueAt, maxLength: 20 })
  .map((all) => all.toSorted((one, two) => one.dueAt - two.dueAt))

const inFlight = fc.array(fc.record(queue), { maxLength: 8 })
const limits = fc.record({ total: fc.nat({ max: 12 }), perType: fc.nat({ max: 5 }) })

describe("turns of runs", () => {
  it("use the places per type and in all, and leave none free that a run waits for", () => {
    fc.assert(
      fc.property(due, limits, inFlight, (all, most, before) => {
        const after = [...before, ...inTurn(all, most, before)]
        assert.isAtMost(after.length, Math.max(before.length, most.total))
        for (const type of ["x", "y"]) {
          const of = (some: ReadonlyArray<{ readonly credentialType: string }>) =>
            some.filter(({ credentialType }) => credentialType === type).length
          assert.isAtMost(of(after), Math.max(of(before), most.perType))
          const isLeft = of(all) > of(after) - of(before)
          if (after.length < most.total && of(after) < most.perType) assert.isFalse(isLeft)
        }
      })
    )
  })

  it("take the longest due of each queue first, each once", () => {
    fc.assert(
      fc.property(due, limits, inFlight, (all, most, before) => {
        const taken = inTurn(all, most, before)
        for (const { credentialType, tenantId } of all) {
          const isOwn = (run: (typeof all)[number]) =>
            run.tenantId === tenantId && run.credentialType === credentialType
          const own = taken.filter(isOwn)
          assert.deepStrictEqual(own, all.filter(isOwn).slice(0, own.length))
        }
      })
    )
  })

  it("give no tenant two more runs than another waiting tenant", () => {
    fc.assert(
      fc.property(due, fc.nat({ max: 20 }), inFlight, (all, total, before) => {
        const taken = inTurn(all, { total, perType: 1000 }, before)
        const of = (tenantId: string, some: ReadonlyArray<{ readonly tenantId: string }>) =>
          some.filter((run) => run.tenantId === tenantId).length
        const claimed = (tenantId: string) => of(tenantId, before) + of(tenantId, taken)
        for (const { tenantId } of all) {
          if (of(tenantId, all) === of(tenantId, taken)) continue
          for (const other of taken) assert.isAtMost(claimed(other.tenantId), claimed(tenantId) + 1)
        }
      })
    )
  })

  it("give the types of a tenant equally many runs", () => {
    const run = (credentialType: string, dueAt: number) => ({ tenantId: "a", credentialType, dueAt })
    const all = [run("x", 1), run("x", 2), run("x", 3), run("y", 4), run("y", 5)]
    assert.deepStrictEqual(
      inTurn(all, { total: 4, perType: 9 }, []).map(({ dueAt }) => dueAt),
      [1, 4, 2, 5]
    )
    assert.deepStrictEqual(
      inTurn(all, { total: 4, perType: 9 }, [run("x", 0), run("x", 0)]).map(({ dueAt }) => dueAt),
      [4, 5]
    )
  })

  it("skip the queues of a type without free places", () => {
    const run = (tenantId: string, credentialType: string, dueAt: number) => ({ tenantId, credentialType, dueAt })
    const all = [run("a", "x", 1), run("b", "x", 2), run("c", "x", 3), run("d", "y", 4)]
    assert.deepStrictEqual(
      inTurn(all, { total: 2, perType: 1 }, []).map(({ tenantId }) => tenantId),
      ["a", "d"]
    )
  })
})
