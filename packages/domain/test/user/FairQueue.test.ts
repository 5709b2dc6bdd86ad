import { assert, describe, it } from "@effect/vitest"
import * as FairQueue from "@wcs/domain/user/FairQueue"
import * as fc from "fast-check"

const most = 16

interface One extends FairQueue.Party {
  readonly id: number
}

const ipv6 = (network: number, subnet: number) => `2001:db8:${network.toString(16)}:${subnet.toString(16)}::/64`

/** Parties that flood: of one tenant or several, from one network or several, but never network 0. */
const flood = fc.oneof(
  fc.record({ tenantId: fc.constant("acme"), address: fc.nat(0xffff).map((subnet) => ipv6(1, subnet)) }),
  fc.record({ tenantId: fc.constant("acme"), address: fc.integer({ min: 1, max: 999 }).map((one) => ipv6(one, one)) }),
  fc.record({ tenantId: fc.constantFrom("acme", "b", "c"), address: fc.nat(0xffff).map((subnet) => ipv6(1, subnet)) })
)

const parties = fc.record({
  tenantId: fc.constantFrom("acme", "b", "c"),
  address: fc.option(fc.tuple(fc.nat(2), fc.nat(600)).map(([network, subnet]) => ipv6(network, subnet)))
})

const step = fc.oneof(
  fc.record({ kind: fc.constant("enter" as const), party: parties }),
  fc.record({ kind: fc.constant("next" as const) }),
  fc.record({ kind: fc.constant("leave" as const), place: fc.nat(most) })
)

describe("threat 43: the fair queue", () => {
  it("gives a place to a newcomer of another tenant and network, and its turn after one of each tenant", () => {
    fc.assert(
      fc.property(fc.array(flood, { minLength: most, maxLength: 60 }), (flooding) => {
        const queue = FairQueue.make<One>(most)
        for (const [id, party] of flooding.entries()) queue.enter({ ...party, id })
        const newcomer: One = { tenantId: "other", address: ipv6(0, 0), id: -1 }
        const lost = queue.enter(newcomer)
        assert.isDefined(lost)
        assert.notStrictEqual(lost, newcomer)
        const tenants = new Set(flooding.map(({ tenantId }) => tenantId)).size
        let turns = 1
        for (; queue.next() !== newcomer; turns++) {
          assert.isBelow(turns, tenants + 1)
          // The flood goes on, and the newcomer keeps its place.
          for (const party of flooding) assert.notStrictEqual(queue.enter({ ...party, id: turns }), newcomer)
        }
      })
    )
  })

  it("gives a place to a newcomer of another network of the flooded tenant, before the network that floods", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(0xffff), { minLength: most, maxLength: 60 }), (subnets) => {
        const queue = FairQueue.make<One>(most)
        for (const [id, subnet] of subnets.entries()) queue.enter({ tenantId: "acme", address: ipv6(1, subnet), id })
        const newcomer: One = { tenantId: "acme", address: ipv6(0, 0), id: -1 }
        assert.notStrictEqual(queue.enter(newcomer), newcomer)
        assert.include([queue.next(), queue.next()], newcomer)
      })
    )
  })

  it("protects a proven user of the flooded tenant", () => {
    const queue = FairQueue.make<One>(most)
    for (let id = 0; id < 2 * most; id++) queue.enter({ tenantId: "acme", address: ipv6(id, id), id })
    const proven: One = { tenantId: "acme", address: null, id: -1 }
    assert.notStrictEqual(queue.enter(proven), proven)
    for (let id = 0; id < 2 * most; id++) {
      assert.notStrictEqual(queue.enter({ tenantId: "acme", address: ipv6(id, id), id }), proven)
    }
    assert.include([queue.next(), queue.next()], proven)
  })

  it("refuses the flood itself: the last of its own", () => {
    const queue = FairQueue.make<One>(most)
    const entries = Array.from({ length: most + 1 }, (_, id): One => ({ tenantId: "acme", address: ipv6(1, id), id }))
    assert.deepStrictEqual(
      entries.map((one) => queue.enter(one)),
      [...Array.from({ length: most }, () => undefined), entries.at(-1)]
    )
  })

  it("never starves a party: each waits at most one turn of each other party on each level", () => {
    const queue = FairQueue.make<One>(most)
    const patient: One = { tenantId: "acme", address: ipv6(0, 0), id: -1 }
    queue.enter(patient)
    for (let id = 0; id < 3; id++) queue.enter({ tenantId: `old${id}`, address: ipv6(id, 0), id })
    let turns = 0
    while (queue.next() !== patient) {
      turns++
      // New parties come all the time.
      queue.enter({ tenantId: `new${turns}`, address: ipv6(100 + turns, 0), id: turns })
      assert.isBelow(turns, 4)
    }
  })

  it("in random sequences holds at most its places, in order within one client, and each entry ends once", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const queue = FairQueue.make<One>(most)
        const waiting: Array<One> = []
        const remove = (one: One | undefined) => {
          if (one === undefined) return
          const place = waiting.indexOf(one)
          assert.isAtLeast(place, 0)
          waiting.splice(place, 1)
        }
        for (const [id, each] of steps.entries()) {
          if (each.kind === "enter") {
            const one = { ...each.party, id }
            waiting.push(one)
            remove(queue.enter(one))
          } else if (each.kind === "next") {
            const next = queue.next()
            assert.strictEqual(next === undefined, waiting.length === 0)
            const ofClient = waiting.filter(
              ({ address, tenantId }) => address === next?.address && tenantId === next?.tenantId
            )
            assert.strictEqual(next, ofClient[0])
            remove(next)
          } else {
            const one = waiting[each.place]
            if (one === undefined) continue
            assert.isTrue(queue.leave(one))
            assert.isFalse(queue.leave(one))
            remove(one)
          }
          assert.isAtMost(waiting.length, most)
        }
      })
    )
  })
})
