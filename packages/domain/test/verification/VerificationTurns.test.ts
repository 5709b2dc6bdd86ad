import { assert, describe, it } from "@effect/vitest"
import { inTurn, nextDueAt, type Places, placesAfter, queuesInTurn } from "@wcs/domain/verification/VerificationTurns"
import * as fc from "fast-check"

const now = 100

/** Queues of a few tenants and types, with their due runs and the number of leased runs. */
const queues = fc
  .uniqueArray(
    fc.record({
      tenantId: fc.constantFrom("a", "b", "c"),
      credentialType: fc.constantFrom("x", "y"),
      leased: fc.nat({ max: 3 }),
      due: fc.array(fc.integer({ min: 1, max: 99 }), { minLength: 1, maxLength: 6 })
    }),
    { selector: ({ credentialType, tenantId }) => `${tenantId} ${credentialType}` }
  )
  .map((all) =>
    all.map(({ due, ...queue }) => {
      const runs = due.toSorted((one, two) => one - two).map((dueAt, place) => ({ ...queue, dueAt, place }))
      return { ...queue, dueAt: Math.min(...due), runs }
    })
  )

const places = fc.record({
  limit: fc.nat({ max: 6 }),
  perType: fc.nat({ max: 3 }),
  takenByType: fc
    .dictionary(fc.constantFrom("x", "y"), fc.nat({ max: 4 }))
    .map((taken) => new Map(Object.entries(taken)))
})

type Queues = ReturnType<typeof fc.sample<typeof queues extends fc.Arbitrary<infer All> ? All : never>>[number]

const take = (all: Queues, at: Places) =>
  inTurn(
    queuesInTurn(all, now, at).map((queue) => ({ queue, due: queue.runs })),
    at
  )

describe("turns of runs", () => {
  it("use the places per type and in all, and leave none free that a run waits for", () => {
    fc.assert(
      fc.property(queues, places, (all, at) => {
        const taken = take(all, at)
        const left = placesAfter(
          at,
          taken.map(({ credentialType }) => credentialType)
        )
        assert.isAtLeast(left.limit, 0)
        for (const type of ["x", "y"]) {
          const before = at.takenByType.get(type) ?? 0
          const after = left.takenByType.get(type) ?? 0
          assert.isAtMost(after, Math.max(before, at.perType))
          const waiting = all.filter(({ credentialType }) => credentialType === type).flatMap(({ runs }) => runs)
          const isLeft = waiting.length > after - before
          if (left.limit > 0 && after < at.perType) assert.isFalse(isLeft)
        }
      })
    )
  })

  it("take the longest due of each queue first, each once", () => {
    fc.assert(
      fc.property(queues, places, (all, at) => {
        const taken = take(all, at)
        for (const { credentialType, tenantId } of all) {
          const own = taken.filter((run) => run.tenantId === tenantId && run.credentialType === credentialType)
          assert.deepStrictEqual(
            own.map(({ place }) => place),
            own.map((_, place) => place)
          )
        }
      })
    )
  })

  it("give no tenant two more runs than another waiting tenant in one claim", () => {
    fc.assert(
      fc.property(queues, fc.nat({ max: 20 }), (all, limit) => {
        const at = { limit, perType: 1000, takenByType: new Map<string, number>() }
        const taken = take(all, at)
        const claimed = (tenantId: string) =>
          all.filter((queue) => queue.tenantId === tenantId).reduce((sum, { leased }) => sum + leased, 0) +
          taken.filter((run) => run.tenantId === tenantId).length
        const given = new Set(taken.map(({ tenantId }) => tenantId))
        for (const { tenantId } of all) {
          const own = all.filter((queue) => queue.tenantId === tenantId).flatMap(({ runs }) => runs)
          if (own.length === taken.filter((run) => run.tenantId === tenantId).length) continue
          for (const other of given) assert.isAtMost(claimed(other), claimed(tenantId) + 1)
        }
      })
    )
  })

  it("skip the queues of a type without free places", () => {
    const queue = (tenantId: string, credentialType: string, dueAt: number) => ({
      tenantId,
      credentialType,
      dueAt,
      leased: 0,
      runs: [{ tenantId, credentialType, dueAt }]
    })
    const all = [queue("a", "x", 1), queue("b", "x", 2), queue("c", "x", 3), queue("d", "y", 4)]
    const at = { limit: 2, perType: 1, takenByType: new Map<string, number>() }
    const taken = inTurn(
      queuesInTurn(all, now, at).map((one) => ({ queue: one, due: one.runs })),
      at
    )
    assert.deepStrictEqual(
      taken.map(({ tenantId }) => tenantId),
      ["a", "d"]
    )
  })

  it("are not taken by queues without a due run", () => {
    const queue = (tenantId: string, dueAt: number) => ({ tenantId, credentialType: "x", dueAt, leased: 0 })
    const at = { limit: 1, perType: 1, takenByType: new Map<string, number>() }
    const due = { ...queue("b", now), leased: 1 }
    assert.deepStrictEqual(queuesInTurn([queue("a", now + 1), due], now, at), [{ ...due, leasedOfTenant: 1 }])
  })

  it("come next when the first run of a type with a free place is due", () => {
    const queue = (credentialType: string, dueAt: number) => ({ tenantId: "a", credentialType, dueAt, leased: 0 })
    const at = { limit: 1, perType: 2, takenByType: new Map([["x", 2]]) }
    assert.strictEqual(nextDueAt([queue("x", 1), queue("y", 5), queue("z", 7)], at), 5)
    assert.isNull(nextDueAt([queue("x", 1)], at))
    assert.isNull(nextDueAt([], at))
    assert.isNull(nextDueAt([queue("y", 5)], { ...at, limit: 0 }))
  })
})
